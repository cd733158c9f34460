"""What has been worked out before, in whatever process: kept on the disk by what it was made from.

A robot's step takes Python 3 s to write, recorded programs included, which are the same as the last time. Files lie in
the folder of the kernels; a file never changes. What it was made from is in its name, together with this package's
compiler and the versions of Python and Numba, so it can never be stale, and any of them may be deleted.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from phalanx.ecs.cache.files import folder_of, put_sealed, unsealed
from phalanx.ecs.cache.folder import places
from phalanx.ecs.cache.modules import CORE, versions

FOLDER = "recalled"


def recalled(kind: str, made_from: Iterable[str], make: Callable[[], Any]) -> Any:
    """What ``make()`` returned once; it is called where that is not known.

    Args:
        kind: what it is, in a word.
        made_from: all that it depends on but for this package's compiler.
        make: returns what JSON can say.
    """
    digest = hashlib.sha256("\n".join((_compiler(), *made_from)).encode()).hexdigest()[:32]
    name = f"{kind}_{digest}.json"
    for path in places(f"{FOLDER}/{name}"):
        if (known := unsealed(path)) is not None:
            return json.loads(known)
    made = make()
    put_sealed(folder_of(FOLDER) / name, json.dumps(made).encode())
    return made


@cache
def _compiler() -> str:
    """What makes texts and programs: all files of the core."""
    files = sorted(CORE.rglob("*.py"))
    texts = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    return f"{texts} {sys.version} {versions()}"
