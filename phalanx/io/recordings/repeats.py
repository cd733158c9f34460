"""A shard of chunks, encoded at the speed of memory: what repeats is left out, all else is kept as it is.

Samples of a simulation are floats whose last bits look random, so a general compressor spends its time on what does
not get smaller. What does is what stays: targets that are held, bodies that nothing touches, things at rest. Chunks
here are LZ4 blocks in a frame of Blosc, which any reader of Zarr decodes; runs of 64 bytes that are the same number
over and over, or the same as in the sample before, are matches, the rest are literals.

Formats: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md,
https://github.com/Blosc/c-blosc/blob/main/README_CHUNK_FORMAT.rst.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic

from phalanx.ecs.cache.kernels import kept
from phalanx.ecs.cpu.kernels import array
from phalanx.io.recordings.chunks import CRC_TABLE
from phalanx.io.recordings.direct_file import PAGE, SMALL

UNIT = 16
"""Words of 4 bytes that are looked at together."""

AHEAD = 8
"""Rows that are fetched ahead: each lies on another page, which the processor does not foresee."""

_LEAST_RUN = 256  # bytes of neighbouring environments in a chunk that are worth it
_FLAT, _SAME = 1, 2  # a unit is the number before it over and over; it is the same as in the sample before
_FARTHEST = 65535  # that a match of LZ4 may go back
_LAST = 12  # bytes at the end of a block that no match may begin in, so that five literals are last
_HEADER = 24  # bytes of a chunk before its block: Blosc's header, one offset and one length


_WORD = ir.IntType(32)
_VECTOR = ir.VectorType(_WORD, UNIT)


def _load(builder: Any, address: Any) -> Any:
    return builder.load(builder.inttoptr(address, _VECTOR.as_pointer()), align=4)


def _all_equal(builder: Any, a: Any, b: Any) -> Any:
    unlike = builder.bitcast(builder.icmp_unsigned("!=", a, b), ir.IntType(UNIT))
    return builder.icmp_unsigned("==", unlike, ir.Constant(ir.IntType(UNIT), 0))


@intrinsic
def _copy(typingctx: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy bytes from address to address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, source = (builder.inttoptr(address, cgutils.voidptr_t) for address in arguments[:2])
        cgutils.raw_memcpy(builder, to, source, arguments[2], 1)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def _fetch(typingctx: Any, place: Any) -> Any:
    """Have the unit at an address brought into the cache; any address will do."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, _WORD, _WORD, _WORD])
        name = "llvm.prefetch.p0i8"
        declared = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        hints = (ir.Constant(_WORD, hint) for hint in (0, 3, 1))  # to read, soon, data
        builder.call(declared, [builder.inttoptr(arguments[0], cgutils.voidptr_t), *hints])
        return context.get_dummy_value()

    return types.void(types.int64), codegen


@intrinsic
def _same(typingctx: Any, place: Any, other: Any) -> Any:
    """Whether the units at two addresses are the same."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        a, b = (_load(builder, address) for address in arguments)
        return _all_equal(builder, a, b)

    return types.boolean(types.int64, types.int64), codegen


@intrinsic
def _repeats(typingctx: Any, place: Any, first: Any, second: Any) -> Any:
    """Whether the unit at an address is two words over and over."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pair = ir.Constant(_VECTOR, ir.Undefined)
        for i in range(2):
            pair = builder.insert_element(pair, arguments[1 + i], ir.Constant(_WORD, i))
        pattern = ir.Constant(_VECTOR, [i & 1 for i in range(UNIT)])
        return _all_equal(builder, _load(builder, arguments[0]), builder.shuffle_vector(pair, pair, pattern))

    return types.boolean(types.int64, types.int32, types.int32), codegen


@kept(nogil=True, error_model="numpy")
def _classify(source: int, strides: Any, shape: Any, wide: int, kinds: Any) -> None:
    """Kinds of all units of (times, rows, words) from an address on; the last axis has no gaps.

    ``wide``: numbers are of two words.
    """
    times, rows, words = shape
    k = 0
    first = second = np.int32(0)
    for t in range(times):
        back = t > 0 and rows * words * 4 <= _FARTHEST
        past = strides[0] if back else 0
        for r in range(rows):
            place = source + t * strides[0] + r * strides[1]
            now = array(place, (words,), np.int32)
            before = array(place - past, (words,), np.int32)
            for begin in range(0, words, UNIT):
                kind = 0
                _fetch(place + AHEAD * strides[1] + begin * 4)  # pyright: ignore[reportCallIssue]
                if begin + UNIT <= words:
                    if _repeats(place + begin * 4, first, second):  # pyright: ignore[reportCallIssue]
                        kind = _FLAT
                    if back and _same(place + begin * 4, place - past + begin * 4):
                        kind |= _SAME
                else:
                    unlike, changed = np.int32(0), np.int32(0)
                    for i in range(begin, words):
                        unlike |= now[i] ^ (second if (i - begin) & 1 else first)
                        changed |= now[i] ^ before[i]
                    kind = (_FLAT if unlike == 0 else 0) | (_SAME if changed == 0 and back else 0)
                kinds[k] = kind
                last = min(begin + UNIT, words) - 1
                second = now[last]
                first = now[last - wide]
                k += 1
    kinds[0] = 0


@kept(nogil=True, error_model="numpy", inline="always")
def _put(out: Any, at: int, value: int, size: int) -> int:
    """Write a little-endian number; returns where the next goes."""
    for i in range(size):
        out[at + i] = np.uint8((value >> (8 * i)) & 255)
    return at + size


@kept(nogil=True, error_model="numpy")
def _put_length(out: Any, at: int, length: int) -> int:
    """What of a length the 15 in a token does not say."""
    length -= 15
    while length >= 255:
        out[at] = 255
        at, length = at + 1, length - 255
    out[at] = length
    return at + 1


@kept(nogil=True, error_model="numpy")
def _put_literals(out: Any, at: int, source: int, strides: Any, shape: Any, begin: int, end: int) -> int:
    """Copy units ``begin`` to ``end``."""
    _, rows, words = shape
    each = (words + UNIT - 1) // UNIT
    while begin < end:
        row = begin // each
        low = begin - row * each
        high = min(each, low + end - begin)
        place = source + row // rows * strides[0] + row % rows * strides[1] + low * UNIT * 4
        size = (min(words, high * UNIT) - low * UNIT) * 4
        _copy(out.ctypes.data + at, place, size)  # pyright: ignore[reportCallIssue]
        at += size
        begin += high - low
    return at


@kept(nogil=True, error_model="numpy")
def _position(words: int, unit: int) -> int:
    """Where a unit begins, in bytes; the last of each row may be shorter than others."""
    each = (words + UNIT - 1) // UNIT
    return (unit // each * words + unit % each * UNIT) * 4


@kept(nogil=True, error_model="numpy")
def _put_block(out: Any, at: int, source: int, strides: Any, shape: Any, wide: int, kinds: Any) -> int:
    """An LZ4 block: sequences of a token, literals, and a match of what went before; returns where it ends."""
    times, rows, words = shape
    units = times * rows * ((words + UNIT - 1) // UNIT)
    size = _position(words, units)
    free = units  # units from here on are literals
    while free > 0 and size - _position(words, free) < _LAST:
        free -= 1
    literal = k = 0
    while k <= units:
        kind, end = np.int64(0), k + 1
        if k < free:
            kind = kinds[k]
            while kind and end < free and kind & kinds[end]:
                kind &= kinds[end]
                end += 1
        if kind == 0 and k < units:
            k += 1
            continue
        literals = _position(words, k) - _position(words, literal)
        match = 0 if kind == 0 else _position(words, end) - _position(words, k) - 4
        token = at
        at += 1
        out[token] = min(literals, 15) << 4 | min(match, 15)
        if literals >= 15:
            at = _put_length(out, at, literals)
        at = _put_literals(out, at, source, strides, shape, literal, k)
        if kind:
            at = _put(out, at, 4 * (1 + wide) if kind & _FLAT else rows * words * 4, 2)
            if match >= 15:
                at = _put_length(out, at, match)
        literal = k = end
    return at


@kept(nogil=True, error_model="numpy")
def _put_shard(
    source: int, strides: Any, shape: Any, piece: int, wide: int, page: int, table: Any, kinds: Any, out: Any
) -> int:
    """Chunks of ``piece`` words of the last axis, and their index at the end of a page; returns the size."""
    times, rows, words = shape
    count = words // piece
    size = times * rows * piece * 4
    index = np.empty((count, 2), np.int64)
    at = 0
    for n in range(count):
        place = source + n * piece * 4
        _classify(place, strides, (times, rows, piece), wide, kinds)
        begin = at + _HEADER
        end = _put_block(out, begin, place, strides, (times, rows, piece), wide, kinds)
        if end - begin >= size:
            units = times * rows * ((piece + UNIT - 1) // UNIT)
            end = _put_literals(out, begin, place, strides, (times, rows, piece), 0, units)
        # Versions of the frame and of LZ4, flags (LZ4, blocks of one stream), bytes of a number; bytes of the content,
        # of its only block, and of the chunk; where the block is, and its length.
        out[at], out[at + 1], out[at + 2], out[at + 3] = 2, 1, 0x30, 4 * (1 + wide)
        _put(out, at + 4, size, 4)
        _put(out, at + 8, size, 4)
        _put(out, at + 12, end - at, 4)
        _put(out, at + 16, _HEADER - 4, 4)
        _put(out, at + 20, end - begin, 4)
        index[n, 0], index[n, 1] = at, end - at
        at = end
    tail = 16 * count + 4
    padding = -(at + tail) % page
    out[at : at + padding] = 0
    at += padding
    begin = at
    for n in range(count):
        at = _put(out, _put(out, at, index[n, 0], 8), index[n, 1], 8)
    checksum = np.uint32(0xFFFFFFFF)
    for i in range(begin, at):
        checksum = table[(checksum ^ out[i]) & 0xFF] ^ (checksum >> np.uint32(8))
    return _put(out, at, int(checksum ^ np.uint32(0xFFFFFFFF)), 4)


_own = threading.local()


def can_encode(values: np.ndarray, piece: int) -> bool:
    """Whether numbers and runs of them are of sizes that :func:`encode_shard` is for."""
    return (
        sys.byteorder == "little"
        and values.dtype.itemsize in (4, 8)
        and values.strides[-1] == values.dtype.itemsize
        and piece * values.dtype.itemsize >= _LEAST_RUN
    )


def largest_shard(values: np.ndarray, piece: int) -> int:
    """Bytes that a shard of these values has at most."""
    chunks = values.shape[-1] // piece
    return values.nbytes + values.nbytes // 255 + chunks * (_HEADER + 64) + PAGE


def encode_shard(values: np.ndarray, piece: int, out: np.ndarray) -> int:
    """Write the file of a shard into ``out``, bytes; returns its size: whole pages, if it is many.

    ``values`` are (time, *item, env), environments side by side in memory; every ``piece`` of them are a chunk, and
    must divide them.
    """
    values = values.reshape(len(values), -1, values.shape[-1])  # of a tape: a view
    if values.strides[-1] != values.dtype.itemsize:
        values = np.ascontiguousarray(values)
    words = values.dtype.itemsize // 4
    units = len(values) * values.shape[1] * -(-piece * words // UNIT)
    kinds = getattr(_own, "kinds", None)
    if kinds is None or len(kinds) < units:
        kinds = _own.kinds = np.empty(units, np.int8)
    times, rows, envs = values.shape
    page = PAGE if values.nbytes >= SMALL else 1
    return _put_shard(
        values.ctypes.data,
        values.strides[:2],
        (times, rows, envs * words),
        piece * words,
        words - 1,
        page,
        CRC_TABLE,
        kinds,
        out,
    )
