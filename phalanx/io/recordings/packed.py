"""What chunks unpack to, by what they say of themselves: no more than their array has room for.

Codecs make room for what a chunk says that it holds, before they look at the rest; a few bytes can say gigabytes.
"""

from __future__ import annotations

import gzip
import io
import math
import os
from pathlib import Path
from typing import Any

from phalanx.io.reading.errors import LoadError

TEXT_BYTES = 1 << 26
"""Of a chunk of texts, of which the number says nothing."""

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
BLOSC_HEADER = 16


def check_chunk(file: Path, name: str, node: dict[str, Any], size: int) -> None:
    """Refuse a chunk that would unpack to more than it may.

    Args:
        file: of the chunk, which is there.
        name: of the array.
        node: its metadata, checked.
        size: bytes of one value; 0 for texts.

    Raises:
        LoadError: it does.
    """
    codecs = {codec["name"]: codec.get("configuration", {}) for codec in node["codecs"]}
    chunk = node["chunk_grid"]["configuration"]["chunk_shape"]
    shard = codecs.get("sharding_indexed")
    inner = chunk if shard is None else shard["chunk_shape"]
    room = math.prod(inner) * size if size else TEXT_BYTES
    unpacked = 0
    if shard is not None:
        if any(codec["name"] == "blosc" for codec in shard["codecs"]):
            unpacked = _of_shard(file, math.prod(-(-a // b) for a, b in zip(chunk, inner, strict=True)))
    elif "blosc" in codecs:
        with open(file, "rb") as opened:
            unpacked = _of_blosc(opened.read(BLOSC_HEADER))
    elif "zstd" in codecs:
        with open(file, "rb") as opened:
            unpacked = _of_zstd(opened.read(18))
    elif "gzip" in codecs:
        unpacked = _of_gzip(file, room)
    if unpacked > room:
        raise LoadError(
            f"{file}: is damaged: it says that it holds more than {room:,} bytes, the most of a chunk of {name!r}."
        )


def _of_blosc(head: bytes) -> int:
    """Bytes that a frame of Blosc unpacks to."""
    return int.from_bytes(head[4:8], "little")


def _of_shard(file: Path, count: int) -> int:
    """The most that a chunk in a shard of so many unpacks to, by the index at its end."""
    most, length = 0, 16 * count + 4
    with open(file, "rb") as opened:
        end = os.fstat(opened.fileno()).st_size
        if length > end:
            return 0  # cut off: reading it says so
        opened.seek(end - length)
        index = opened.read(length)
        for n in range(count):
            at = int.from_bytes(index[16 * n : 16 * n + 8], "little")
            if at < end:  # else it is not there
                opened.seek(at)
                most = max(most, _of_blosc(opened.read(BLOSC_HEADER)))
    return most


def _of_zstd(head: bytes) -> float:
    """Bytes that a frame of Zstandard unpacks to; infinite where it does not say so."""
    if head[:4] != ZSTD_MAGIC or len(head) < 6:
        return 0  # no frame: reading it says so
    flags = head[4]
    width, alone = flags >> 6, flags >> 5 & 1
    length = (1 if alone else 0, 2, 4, 8)[width]
    at = 5 + (0 if alone else 1) + (0, 1, 2, 4)[flags & 3]
    if not length:
        return math.inf
    return int.from_bytes(head[at : at + length], "little") + (256 if length == 2 else 0)


def _of_gzip(file: Path, room: int) -> int:
    """Bytes that are unpacked, counted until they are too many."""
    found = 0
    try:
        with gzip.open(file) as opened:
            while found <= room and (part := opened.read(io.DEFAULT_BUFFER_SIZE)):
                found += len(part)
    except (OSError, EOFError):
        return 0  # damaged: reading it says so
    return found
