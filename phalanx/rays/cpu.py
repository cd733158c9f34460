"""The CPU back end of rays: primitives as vector instructions, kernels run by a few threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.np.numpy_support import carray

from phalanx.ecs.ahead.precompile import precompile
from phalanx.ecs.cache.kernels import kept
from phalanx.ecs.cpu.kernels import array, helper, routine
from phalanx.ecs.cpu.threads import at_once, num_threads
from phalanx.rays.cpu_lanes import (
    SLOTS,
    all_lanes,
    eight,
    flag_bits,
    flags_of,
    greater,
    greatest_lane,
    lanes_at,
    least,
    lesser,
    packet_keys,
    put_lanes,
    reals,
    side_lanes,
    where,
)
from phalanx.rays.generate import generated, load
from phalanx.rays.mesh_tree import LEVELS
from phalanx.rays.wide_nodes import CHILD, HIGH, LOW, MIDDLE, WORDS

__all__ = [
    "array",
    "carray",
    "eight",
    "flag_bits",
    "flags_of",
    "greater",
    "greatest_lane",
    "helper",
    "lanes_at",
    "lesser",
    "packet_keys",
    "put_lanes",
    "routine",
    "side_lanes",
    "where",
]

cuda = scratch = None  # generated modules import the same names from both back ends


def kernel(signature: str) -> Any:
    """What compiles a kernel, as its module runs."""
    return kept(signature, nogil=True, error_model="numpy", boundscheck=False)


FEWEST = 2048
"""Rays that are worth another thread."""

_LINE = 64  # bytes of the cache

_HIGH = np.array(HIGH)

_REAL, _WORD, _BYTE, _LONG = ir.FloatType(), ir.IntType(32), ir.IntType(8), ir.IntType(64)
_REALS, _WORDS, _BYTES = (ir.VectorType(kind, 8) for kind in (_REAL, _WORD, _BYTE))


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of an array's items."""
    return context.make_array(kind)(context, builder, array).data


def _call(builder: Any, name: str, *arguments: Any) -> Any:
    """LLVM's intrinsic of a name, for the arguments' type."""
    kind = arguments[0].type
    suffix = "v8f32" if isinstance(kind, ir.VectorType) else "f32"
    function = ir.FunctionType(kind, [kind] * len(arguments))
    module = builder.module
    full = f"llvm.{name}.{suffix}"
    declared = module.globals.get(full) or ir.Function(module, function, full)
    return builder.call(declared, arguments)


@intrinsic(prefer_literal=True)
def stack(typing_context: Any, count: Any) -> Any:
    """So many words of 4 bytes of the function's stack, not initialised: filling them takes longer than many rays."""
    words = count.literal_value

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.goto_entry_block():
            block = builder.alloca(ir.ArrayType(_WORD, words))
        block.align = 32
        return builder.bitcast(block, cgutils.voidptr_t)

    return types.voidptr(count), emit


@intrinsic
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _call(builder, "fma", *arguments)

    kind = reals if reals in (a, b, c) else types.float32
    return kind(kind, kind, kind), emit


@numba.njit(inline="always")
def inverse(d: Any) -> Any:
    """See :mod:`~.primitives`."""
    return np.float32(1.0) / d


@numba.njit(inline="always")
def load_floats(array: Any, index: Any) -> Any:
    """See :mod:`~.primitives`."""
    at = np.uint64(index)  # else an index below zero would count from the end, at the cost of a comparison
    return array[at], array[at + np.uint64(1)], array[at + np.uint64(2)], array[at + np.uint64(3)]


@numba.njit(inline="always")
def load_corners(triangles: Any, t: Any, axes: Any) -> Any:
    """See :mod:`~.primitives`."""
    first = 12 * t
    x, y, z = np.uint64(first + (axes >> 2 & 3)), np.uint64(first + (axes >> 6 & 3)), np.uint64(first + (axes >> 10))
    b, c = np.uint64(3), np.uint64(6)
    return (
        triangles[x], triangles[x + b], triangles[x + c],
        triangles[y], triangles[y + b], triangles[y + c],
        triangles[z], triangles[z + b], triangles[z + c],
    )  # fmt: skip


@numba.njit(inline="always")
def load_sides(nodes: Any, node: Any, octant: Any, axis: Any) -> Any:
    """See :mod:`~.primitives`."""
    bit = 4 << axis
    start = WORDS * node + _HIGH[axis]
    near = load_floats(nodes, start | 4 * octant & bit)
    far = load_floats(nodes, start | ~(4 * octant) & bit)
    return near + far


@intrinsic
def as_float(typing_context: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _REAL)

    return types.float32(types.uint32), emit


_float: Any = as_float  # as functions call it


@numba.njit(inline="always")
def load_node(nodes: Any, node: Any) -> Any:
    """See :mod:`~.primitives`."""
    x, y, z, kinds = load_floats(nodes, WORDS * node + MIDDLE)
    child, triangle, _one, _two = load_floats(nodes, WORDS * node + CHILD)
    return _float(x), _float(y), _float(z), kinds, child, triangle


@intrinsic
def as_int(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _WORD)

    return types.int32(types.float32), emit


@numba.njit(inline="always")
def way_inside(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any, limit: Any) -> Any:
    """See :mod:`~.primitives`."""
    return min(min(bx, by), min(bz, limit)) - max(max(ax, ay), max(az, np.float32(0.0)))


@numba.njit(inline="always")
def missed(a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """See :mod:`~.primitives`."""
    found = np.int64(0)
    for k, number in enumerate((a, b, c, d, e, f, g, h)):
        found |= (15 if number < 0.0 else 0) << 4 * k
    return found


@numba.njit(inline="always")
def entered_of(kinds: Any, misses: Any, mask: Any) -> Any:
    """See :mod:`~.primitives`."""
    return np.int64(kinds) & ~misses & mask


@numba.njit(inline="always")
def exchanged_bytes(bits: Any, places: Any) -> Any:
    """See :mod:`~.primitives`."""
    found = np.int64(0)
    for k in range(4):
        found |= ((bits >> 8 * (places >> 4 * k & 3)) & 255) << 8 * k
    return found


@numba.njit(inline="always")
def chosen(mask: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.primitives`."""
    return (a & mask) | (b & ~mask)


@numba.njit(inline="always")
def members() -> Any:
    """See :mod:`~.primitives`."""
    return 1


@numba.njit(inline="always")
def everyone() -> Any:
    """See :mod:`~.primitives`."""
    return 1


@numba.njit(inline="always")
def in_step(flag: Any) -> Any:
    """See :mod:`~.primitives`."""
    return flag


@numba.njit(inline="always")
def votes(warp: Any, flag: Any) -> Any:
    """See :mod:`~.primitives`."""
    return 1 if flag else 0


@numba.njit(inline="always")
def marked(warp: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""
    return 1 if bits != 0 else 0


@numba.njit(inline="always")
def lane_number() -> Any:
    """See :mod:`~.primitives`."""
    return 0


@numba.njit(inline="always")
def warp_cells() -> Any:
    """See :mod:`~.primitives`."""
    return 0


@numba.njit(inline="always")
def put_pair(cells: Any, deep: Any, rows: Any, row: Any, lane: Any, one: Any, two: Any) -> None:
    """See :mod:`~.primitives`."""
    at = np.uint64(2 * row)
    deep[at] = one
    deep[at + np.uint64(1)] = two


@numba.njit(inline="always")
def pair_at(cells: Any, deep: Any, rows: Any, row: Any, lane: Any) -> Any:
    """See :mod:`~.primitives`."""
    at = np.uint64(2 * row)
    return np.int64(np.uint32(deep[at])), np.int64(np.uint32(deep[at + np.uint64(1)]))


@numba.njit(inline="always")
def put_aside(cells: Any, row: Any, lane: Any, a: Any, b: Any) -> None:
    """See :mod:`~.primitives`."""


@numba.njit(inline="always")
def taken_back(cells: Any, row: Any, lane: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.primitives`."""
    return a, b


@numba.njit(inline="always")
def narrow(number: Any) -> Any:
    """See :mod:`~.primitives`."""
    return np.int64(number)


narrow_signed = narrow


@numba.njit(inline="always")
def word(number: Any) -> Any:
    """See :mod:`~.primitives`."""
    return np.uint32(number)


@intrinsic
def count_bits(typing_context: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.ctpop(arguments[0]), _LONG)

    return types.int64(types.uint32), emit


@intrinsic
def highest_bit(typing_context: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        zeros = builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 1))
        return builder.zext(builder.sub(ir.Constant(_WORD, 31), zeros), _LONG)

    return types.int64(types.uint32), emit


@intrinsic(prefer_literal=True)
def fetch(typing_context: Any, array: Any, index: Any, count: Any) -> Any:
    """See :mod:`~.primitives`."""
    words = count.literal_value

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start = builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])
        start = builder.bitcast(start, _BYTE.as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD, _WORD, _WORD])
        name = "llvm.prefetch.p0i8"
        declared = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        for offset in range(0, 4 * words, _LINE):
            line = builder.gep(start, [ir.Constant(_LONG, offset)])
            builder.call(declared, [line, *(ir.Constant(_WORD, n) for n in (0, 3, 1))])  # to read, soon, data
        return context.get_dummy_value()

    return types.void(array, types.int64, count), emit


@numba.njit(inline="always")
def split(number: Any, size: Any) -> Any:
    """See :mod:`~.primitives`."""
    quotient = np.uint64(number) // np.uint64(size)
    return np.int64(quotient), np.int64(np.uint64(number) - quotient * np.uint64(size))


@intrinsic
def entered_children(
    typing_context: Any,
    nodes: Any,
    node: Any,
    px: Any,
    py: Any,
    pz: Any,
    ix: Any,
    iy: Any,
    iz: Any,
    limit: Any,
    keys: Any,
    place: Any,
) -> Any:
    """See :mod:`~.primitives`: eight boxes at once."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        nodes, node, px, py, pz, ix, iy, iz, limit, keys, row = arguments
        start = builder.bitcast(_data(context, builder, signature.args[0], nodes), _BYTE.as_pointer())
        start = builder.gep(start, [builder.mul(node, ir.Constant(_LONG, 4 * WORDS))])
        at = lambda word, kind: builder.bitcast(  # noqa: E731
            builder.gep(start, [word if isinstance(word, ir.Value) else ir.Constant(_LONG, 4 * word)]),
            kind.as_pointer(),
        )
        four, words = ir.VectorType(_REAL, 4), ir.VectorType(_WORD, 4)
        origin, inverse = ir.Constant(four, [0.0] * 4), ir.Constant(four, [0.0] * 4)
        for axis, (p, i) in enumerate(((px, ix), (py, iy), (pz, iz))):
            origin = builder.insert_element(origin, p, ir.Constant(_WORD, axis))
            inverse = builder.insert_element(inverse, i, ir.Constant(_WORD, axis))
        middle = builder.load(at(MIDDLE, four), align=16)
        middle = builder.insert_element(middle, ir.Constant(_REAL, 0.0), ir.Constant(_WORD, 3))
        bases = builder.fmul(builder.fsub(middle, origin), inverse)
        # Each word twice: moved up for the first of its slots, as it is for the second (SLOTS).
        moved = ir.Constant(_WORDS, [16] * 4 + [0] * 4)
        twice = ir.Constant(_WORDS, [0, 1, 2, 3] * 2)
        low = high = None
        for axis, i in enumerate((ix, iy, iz)):
            every = ir.Constant(ir.VectorType(_WORD, 8), [axis] * 8)
            base = builder.shuffle_vector(bases, ir.Constant(four, ir.Undefined), every)
            back = builder.fcmp_ordered("<", i, ir.Constant(_REAL, 0.0))
            lower, upper = (ir.Constant(_LONG, 4 * word) for word in (LOW[axis], HIGH[axis]))
            found = []
            for place in (builder.select(back, upper, lower), builder.select(back, lower, upper)):
                side = builder.load(at(place, words), align=16)
                side = builder.shuffle_vector(side, ir.Constant(words, ir.Undefined), twice)
                side = builder.bitcast(builder.shl(side, moved), _REALS)
                found.append(_call(builder, "fma", side, all_lanes(builder, i), base))
            low = found[0] if low is None else _greater(builder, found[0], low, ">")
            high = found[1] if high is None else _greater(builder, found[1], high, "<")
        low = _greater(builder, low, all_lanes(builder, ir.Constant(_REAL, 0.0)), ">")
        high = _greater(builder, high, all_lanes(builder, limit), "<")
        inside = builder.fcmp_ordered("<=", low, high)
        key = builder.and_(builder.bitcast(low, _WORDS), ir.Constant(_WORDS, [~7 & 0xFFFFFFFF] * 8))
        key = builder.or_(key, ir.Constant(_WORDS, SLOTS))
        key = builder.select(inside, key, ir.Constant(_WORDS, [0x7FFFFFFF] * 8))
        builder.store(key, _eight(context, builder, signature.args[9], keys, row), align=4)
        return least(builder, key)

    return types.int32(nodes, types.int64, *[types.float32] * 7, keys, types.int64), emit


@intrinsic
def least_key(typing_context: Any, keys: Any, place: Any, slots: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        found = builder.load(_eight(context, builder, signature.args[0], *arguments[:2]), align=4)
        bits = builder.and_(all_lanes(builder, arguments[2]), ir.Constant(_WORDS, [1 << s for s in SLOTS]))
        mask = builder.icmp_unsigned("!=", bits, ir.Constant(_WORDS, [0] * 8))
        found = builder.select(mask, found, ir.Constant(_WORDS, [0x7FFFFFFF] * 8))
        return least(builder, found)

    return types.int32(keys, types.int64, types.uint32), emit


def _eight(context: Any, builder: Any, kind: Any, keys: Any, place: Any) -> Any:
    """The address of eight keys."""
    start = builder.gep(_data(context, builder, kind, keys), [builder.mul(place, ir.Constant(_LONG, 8))])
    return builder.bitcast(start, _WORDS.as_pointer())


def _greater(builder: Any, a: Any, b: Any, relation: str) -> Any:
    """The greater (or, with ``<``, the less) of each two lanes; b where one is no number."""
    return builder.select(builder.fcmp_ordered(relation, a, b), a, b)


def bind(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a kernel takes for arrays and numbers; the arrays must outlive it."""
    return tuple(a.ctypes.data if isinstance(a, np.ndarray) else a for a in arguments)


_CASES = "FIELDS GROUPED MESHES PLANES SMOOTH SOFT SOLIDS TEXTURED"
WIDE = {"SHADOWS": 2, **dict.fromkeys(_CASES.split(), 1)}
"""Constants that kernels of images are not made for: what a scene has not costs them up to 7 %, and a kernel takes 10
to 20 s to compile. Casts of primitives would take 1.3 times as long."""


def kernel_of(function: Callable[..., None], constants: tuple[tuple[str, Any], ...]) -> Any:
    """The kernel of a function, see :func:`~.generate.generated`."""
    made_for = dict(constants)
    if made_for.get("ALONE") and "SHADED" not in made_for:
        from phalanx.rays.packet_kernels import PACKETS  # not what compiles kernels needs

        function = PACKETS[function]
        made_for = {"FIELDS": 0, "PLANES": 0}
    if "DEPTH" in made_for:
        made_for["DEPTH"] = LEVELS  # which the search of this back end does not look at
    if "SHADED" in made_for and not made_for["ALONE"]:
        made_for |= WIDE
    wanted = tuple(made_for.items())
    precompile([generated(function, "cpu", wanted)], "cpu")
    return load(function, "cpu", wanted)


def launch(kernel: Any, count: int, bound: tuple[Any, ...], device: Any = None) -> None:
    """Run a kernel for rays 0..count-1."""
    threads = min(num_threads(), count // FEWEST)
    if threads <= 1:
        kernel(0, count, *bound)
        return
    bounds = [count * i // threads for i in range(threads + 1)]
    at_once(kernel, [(a, b, *bound) for a, b in itertools.pairwise(bounds)])
