"""Encodes what Zarr v3 keeps in a file: a chunk, or a shard of chunks cut along the second axis.

Zarr can write these itself, and reads them. Its writer hands every chunk from thread to thread, though, which takes the
interpreter away from a simulation again and again; this one stays in the thread that calls it. The codecs are fixed:
in shards, environments last; little-endian bytes, then Blosc; a shard's index is at its end and has a CRC-32C.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numcodecs import Blosc
from zarr.codecs import BloscCodec, TransposeCodec

# With environments side by side 1.5 times as fast as bit shuffling, for 1.1 times as much on the disk.
_BLOSC = Blosc(cname="lz4", clevel=1, shuffle=Blosc.SHUFFLE)


def compressor(dtype: np.dtype[Any]) -> BloscCodec:
    """How the metadata of an array says what :func:`encode_chunk` does."""
    return BloscCodec(cname="lz4", clevel=1, shuffle="shuffle", typesize=dtype.itemsize)


def encode_chunk(values: np.ndarray) -> bytes:
    """File content of one chunk."""
    return bytes(_BLOSC.encode(np.ascontiguousarray(little_endian(values))))


def little_endian(values: np.ndarray) -> np.ndarray:
    """The values as files have them."""
    return values.astype(values.dtype.newbyteorder("<"), copy=False)


def transposed(ndim: int) -> TransposeCodec:
    """How the metadata of an array says that its second axis, environments, is last in every chunk."""
    return TransposeCodec(order=(0, *range(2, ndim), 1))


def encode_shard(values: np.ndarray, piece: int) -> list[bytes]:
    """File content of one shard, in parts; every ``piece`` entries of the second axis are a chunk, and must divide it.

    The second axis is last in chunks (:func:`transposed`); values that have it last in memory are copied in long runs.
    """
    inner = np.moveaxis(values, 1, -1)
    chunks = [encode_chunk(inner[..., at : at + piece]) for at in range(0, values.shape[1], piece)]
    sizes = np.array([len(chunk) for chunk in chunks], "<u8")
    index = np.stack([np.cumsum(sizes) - sizes, sizes], axis=1).astype("<u8").tobytes()
    return [*chunks, index, crc32c(index).to_bytes(4, "little")]


def crc32c(data: bytes) -> int:
    """Castagnoli's checksum."""
    checksum = 0xFFFFFFFF
    for byte in data:
        checksum = int(CRC_TABLE[(checksum ^ byte) & 0xFF]) ^ (checksum >> 8)
    return checksum ^ 0xFFFFFFFF


def _crc_table() -> np.ndarray:
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return np.array(table, np.uint32)


CRC_TABLE = _crc_table()
"""For :func:`crc32c`, by byte."""
