"""What has been worked out before, in whatever process: kept on the disk by what it was made from.

A robot's step takes Python 3 s to write, recorded programs included, which are the same as the last time. Files lie in
the folder of the kernels; a file never changes. What it was made from is in its name, together with this package's
compiler and the versions of Python and Numba, so it can never be stale, and any of them may be deleted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

from phalanx.ecs.modules import CORE, cache_folder, put, versions


def recalled(kind: str, made_from: Iterable[str], make: Callable[[], Any]) -> Any:
    """What ``make()`` returned once; it is called where that is not known.

    Args:
        kind: what it is, in a word.
        made_from: all that it depends on but for this package's compiler.
        make: returns what JSON can say.
    """
    path = _path(kind, made_from)
    with contextlib.suppress(OSError, ValueError):  # there is none, or no whole one: the disk was full
        return json.loads(path.read_text())
    made = make()
    put(path, json.dumps(made))
    return made


def _path(kind: str, made_from: Iterable[str]) -> Path:
    digest = hashlib.sha256("\n".join((_compiler(), *made_from)).encode()).hexdigest()[:32]
    folder = cache_folder() / "recalled"
    folder.mkdir(exist_ok=True)
    return folder / f"{kind}_{digest}.json"


@cache
def _compiler() -> str:
    """What makes texts and programs: all files of the core."""
    files = sorted(CORE.rglob("*.py"))
    texts = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    return f"{texts} {sys.version} {versions()}"
