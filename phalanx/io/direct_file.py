"""Files written past the operating system's cache, by one thread.

Copying a recording into pages of the cache may take a processor longer than compressing it: 20 ms for 8 MB on a virtual
machine that grows as memory is touched, 2 ms where pages are at hand. Direct writes take 0.3 ms, and do not push out of
the cache what others read. Small files, and file systems without direct access, go through the cache.
"""

from __future__ import annotations

import errno
import mmap
import os
from pathlib import Path

_DIRECT = getattr(os, "O_DIRECT", 0)  # Linux
_ALIGN = 4096
_SMALL = 128 << 10
_REFUSALS = (errno.EINVAL, errno.EOPNOTSUPP)


class DirectFiles:
    """Writes whole files; keeps the memory that it writes from."""

    def __init__(self) -> None:
        self._buffer: mmap.mmap | None = None
        self._direct = _DIRECT != 0

    def write(self, path: Path, parts: list[bytes]) -> None:
        """Make or replace the file."""
        size = sum(len(part) for part in parts)
        if self._direct and size >= _SMALL:
            try:
                self._write_past_cache(path, parts, size)
                return
            except OSError as error:
                if error.errno not in _REFUSALS:
                    raise
                self._direct = False
        path.write_bytes(b"".join(parts))  # in one call, which costs much less than one for each part

    def _write_past_cache(self, path: Path, parts: list[bytes], size: int) -> None:
        whole = -(-size // _ALIGN) * _ALIGN
        if self._buffer is None or len(self._buffer) < whole:
            self._buffer = mmap.mmap(-1, whole)
        self._buffer.seek(0)
        for part in parts:
            self._buffer.write(part)
        handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC | _DIRECT, 0o666)
        try:
            with memoryview(self._buffer) as memory:
                done = 0
                while done < whole:
                    done += os.write(handle, memory[done:whole])
            os.ftruncate(handle, size)
        finally:
            os.close(handle)
