"""Generated modules: kept in the kernel cache under the fingerprint of their own text, and loaded from there.

A module file never changes, so Numba's disk cache for it can never be stale, and what runs can be read.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal

from phalanx.ecs.cache.files import content, discard, put
from phalanx.ecs.cache.folder import GENERATED, folders

Target = Literal["cpu", "cuda"]

CORE = Path(__file__).resolve().parents[1]
"""The folder of the core: what makes and compiles kernels is in it or below it."""


@dataclass(frozen=True)
class Generated:
    """A generated module: where it lies, its text, and which name in it to use."""

    path: Path
    source: str
    entry: str


def fingerprinted(name: str, source: str, back_end: Sequence[Path]) -> tuple[str, str]:
    """The name of a module's entry, ``name`` with the fingerprint, and the text with that in place of ``__ENTRY__``.

    Args:
        name: what it computes.
        source: its text.
        back_end: files that decide how it is compiled; their text is part of the fingerprint, as are the versions of
            the compilers.
    """
    digest = hashlib.sha256((source + versions() + _joined_text(tuple(back_end))).encode()).hexdigest()[:20]
    entry = f"{name}_{digest}"
    return entry, source.replace("__ENTRY__", entry)


def kept(entry: str, source: str) -> Generated:
    """The module of a text that :func:`fingerprinted` has named; written unless it is there, as it should be."""
    name = f"{entry}.py"
    both = folders()
    if both.shared is not None and entry in _compiled_in(both.shared) and _says(both.shared / name, source):
        return Generated(both.shared / name, source, entry)
    path = both.own / name
    if not _says(path, source):
        put(path, source)
    return Generated(path, source, entry)


def _says(path: Path, source: str) -> bool:
    """Whether a file has this text."""
    try:
        found = content(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        discard(path, str(error))
        return False
    if found != source.encode():
        discard(path, "it has another text than it should")
        return False
    return True


@cache
def _compiled_in(folder: Path) -> frozenset[str]:
    """Entries whose machine code is in a folder that can only be read."""
    return frozenset(path.name.partition(".")[0] for path in folder.glob("*.nbc"))


def load(generated: Generated) -> ModuleType:
    """Run the generated module, as a module: Numba's disk cache looks up the environment of its functions by module."""
    name = f"{GENERATED}{generated.entry}"
    if name not in sys.modules:
        module = ModuleType(name)
        module.__file__ = str(generated.path)
        sys.modules[name] = module
        try:
            exec(compile(generated.source, str(generated.path), "exec"), vars(module))
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


@cache
def versions() -> str:
    """The compilers' versions, and what they compile for."""
    from importlib import metadata  # takes 20 ms: it reads mail

    from llvmlite import binding

    names = ("numba", "llvmlite", "numba-cuda")
    found = []
    for name in names:
        try:
            found.append(f"{name}={metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name}=none")
    features = hashlib.sha256(binding.get_host_cpu_features().flatten().encode()).hexdigest()[:8]
    found.append(f"cpu={binding.get_host_cpu_name()}-{features} python={sys.version_info[:2]}")
    return " ".join(found)


@cache
def _joined_text(files: tuple[Path, ...]) -> str:
    return "".join(file.read_text() for file in files)
