"""Files written past the operating system's cache.

Copying a recording into pages of the cache may take a processor longer than compressing it: 20 ms for 8 MB on a virtual
machine that grows as memory is touched, 2 ms where pages are at hand. Direct writes take 0.3 ms, and do not push out of
the cache what others read. Small files, and file systems without direct access, go through the cache.
"""

from __future__ import annotations

import errno
import mmap
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = 4096
"""Bytes: addresses and sizes of direct writes are multiples."""

SMALL = 128 << 10
"""Bytes: smaller files go through the cache."""

_DIRECT = getattr(os, "O_DIRECT", 0)  # Linux
_MAKE = os.O_CREAT | os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW
_REFUSALS = (errno.EINVAL, errno.EOPNOTSUPP)


class DirectFiles:
    """Writes whole files, from memory that each thread keeps."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._direct = _DIRECT != 0

    def memory(self, size: int) -> np.ndarray:
        """At least so many bytes that :meth:`write_memory` writes from, of the calling thread; they are not cleared."""
        found: np.ndarray | None = getattr(self._own, "memory", None)
        if found is None or len(found) < size:
            found = self._own.memory = np.frombuffer(mmap.mmap(-1, -(-size // PAGE) * PAGE), np.uint8)
        return found

    def write(self, path: Path, parts: Sequence[bytes]) -> None:
        """Make or replace the file."""
        size = sum(len(part) for part in parts)
        if not self._direct or size < SMALL:
            _write(path, b"".join(parts))  # in one call, which costs much less than one for each part
            return
        memory, at = self.memory(size), 0
        for part in parts:
            memory[at : at + len(part)] = np.frombuffer(part, np.uint8)
            at += len(part)
        self.write_memory(path, size)

    def write_memory(self, path: Path, size: int) -> None:
        """Make or replace the file: the first ``size`` bytes of :meth:`memory`."""
        memory = self.memory(size)
        if self._direct and size >= SMALL:
            try:
                _write_past_cache(path, memory, size)
                return
            except OSError as error:
                if error.errno not in _REFUSALS:
                    raise
                self._direct = False
        _write(path, memory[:size].data)


def _write(path: Path, data: Any) -> None:
    with open(os.open(path, _MAKE, 0o666), "wb") as file:
        file.write(data)


def _write_past_cache(path: Path, memory: np.ndarray, size: int) -> None:
    whole = -(-size // PAGE) * PAGE
    handle = os.open(path, _MAKE | _DIRECT, 0o666)
    try:
        done = 0
        while done < whole:
            done += os.write(handle, memory[done:whole].data)
        if whole > size:
            os.ftruncate(handle, size)
    finally:
        os.close(handle)
