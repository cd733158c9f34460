"""Looks through the folder of kernels for what is damaged, and changes nothing."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from phalanx.ecs.cache.files import is_sealed
from phalanx.ecs.cache.folder import folders


def damaged() -> list[Path]:
    """Files of the cache that a process would throw away and make anew."""
    return [path for path in _files() if not _is_whole(path)]


def _files() -> Iterator[Path]:
    both = folders()
    for folder in filter(None, (both.shared, both.own)):
        for place in (folder, folder / "recalled"):
            if place.is_dir():
                yield from sorted(path for path in place.iterdir() if not path.name.startswith("."))


def _is_whole(path: Path) -> bool:
    suffix = path.suffix
    if path.is_dir():
        return suffix == ""
    if not path.is_file():
        return False
    try:
        if suffix == ".nbc":
            return is_sealed(path)
        if suffix == ".json":
            return is_sealed(path) or path.read_bytes()[:1] in (b"{", b"[")  # of an earlier version, which nobody reads
        if suffix == ".npz":
            return zipfile.is_zipfile(path) and zipfile.ZipFile(path).testzip() is None
        if suffix == ".npy":
            np.load(path, mmap_mode="r", allow_pickle=False)
        if suffix == ".py":
            return path.stat().st_size > 0
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return False
    return True
