"""Generated modules: kept in the kernel cache under the fingerprint of their own text, and loaded from there.

A module file never changes, so Numba's disk cache for it can never be stale, and what runs can be read.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Literal

Target = Literal["cpu", "cuda"]

CORE = Path(__file__).resolve().parent
"""The folder of the core: what makes and compiles kernels is in it or below it."""


@dataclass(frozen=True)
class Generated:
    """A generated module: where it lies, its text, and which name in it to use."""

    path: Path
    source: str
    entry: str


def cache_folder() -> Path:
    """Where generated kernels are kept: ``$PHALANX_CACHE_DIR``, else the user's cache folder, else a temporary one."""
    chosen = os.environ.get("PHALANX_CACHE_DIR")
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = Path(chosen) if chosen else home / "phalanx" / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError as error:
        if chosen:
            raise OSError(f"PHALANX_CACHE_DIR={chosen} cannot be used: {error.strerror}") from error
    fallback = Path(tempfile.gettempdir()) / f"phalanx-kernels-{os.getuid()}"
    fallback.mkdir(mode=0o700, exist_ok=True)
    return fallback


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
    """The module of a text that :func:`fingerprinted` has named; written unless it is there."""
    path = cache_folder() / f"{entry}.py"
    if not path.exists():
        put(path, source)
    return Generated(path, source, entry)


def put(path: Path, text: str) -> None:
    """Write a file that is there as a whole or not at all, whoever else writes it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def load(generated: Generated) -> ModuleType:
    """Run the generated module, as a module: Numba's disk cache looks up the environment of its functions by module."""
    name = f"_phalanx_{generated.entry}"
    if name not in sys.modules:
        module = ModuleType(name)
        module.__file__ = str(generated.path)
        sys.modules[name] = module
        exec(compile(generated.source, str(generated.path), "exec"), vars(module))
    return sys.modules[name]


@cache
def versions() -> str:
    """The compilers' versions."""
    names = ("numba", "llvmlite", "numba-cuda")
    found = []
    for name in names:
        try:
            found.append(f"{name}={importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"{name}=none")
    return " ".join(found)


@cache
def _joined_text(files: tuple[Path, ...]) -> str:
    return "".join(file.read_text() for file in files)
