"""The CUDA back end of rays: primitives as instructions, kernels that take addresses, launches replayed as graphs.

Everything here that imports ``numba.cuda`` is in this file and in :mod:`phalanx.ecs.cuda.kernels`. Arrays come as
addresses: it takes Numba 15 µs to wrap an array, and a launch with two dozen of them longer than most casts. A launch
with the same arguments as an earlier one replays a graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import cuda
from numba.core import cgutils, types
from numba.cuda.extending import intrinsic

from phalanx.ecs.cuda.kernels import kept_kernel, scratch
from phalanx.rays.generate import argument_types, generated, load
from phalanx.rays.wide_nodes import CHILD, HIGH, MIDDLE, WORDS

__all__ = ["carray", "cuda", "scratch", "stack"]

carray = stack = None  # generated modules import the same names from both back ends

helper = cuda.jit(device=True, forceinline=True)
routine = cuda.jit(device=True, forceinline=True)

REGISTERS = {"any": 128, "meshes": 72, "mesh": 64, "colors": 80, "depths": 64}
"""Of a thread, at most, by the kind of kernel (:func:`~.generate.kind_of`): the more threads there are at once, the
more of their waiting is hidden, until what is put into memory instead costs more."""


def kernel(kind: str) -> Any:
    """What compiles a kernel of a kind."""
    return kept_kernel(max_registers=REGISTERS[kind])


THREADS = 64
"""Threads in a block."""

ROWS = 16
"""Of cells in a block's memory (:func:`~.primitives.warp_cells`): 8 for levels of a tree, which are enough for two
million triangles, and what else :mod:`~.mesh_octants` and :mod:`~.scene_kernels` keep there."""

MOST_GRAPHS = 64
"""Launches that are kept for replay."""

_REAL, _WORD, _LONG = ir.FloatType(), ir.IntType(32), ir.IntType(64)


def _assembly(builder: Any, result: Any, text: str, constraints: str, *operands: Any) -> Any:
    """An instruction whose result depends on its operands alone."""
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    return builder.call(ir.InlineAsm(kind, text, constraints), operands, attrs=("readnone", "nounwind"))


@intrinsic
def array(typing_context: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """The array of a type at an address in global memory."""
    kind = types.Array(dtype.dtype, 1, "C")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = context.get_data_type(kind.dtype)
        place = builder.inttoptr(arguments[0], ir.PointerType(item, addrspace=1))
        place = builder.addrspacecast(place, ir.PointerType(item))
        size = context.get_constant(types.intp, kind.dtype.bitwidth // 8)
        made = context.make_array(kind)(context, builder)
        length = builder.extract_value(arguments[1], 0)
        context.populate_array(made, data=place, shape=[length], strides=[size], itemsize=size, meminfo=None)
        return made._getvalue()

    return kind(types.int64, shape, dtype), emit


@intrinsic
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _assembly(builder, _REAL, "fma.rn.f32 $0, $1, $2, $3;", "=f,f,f,f", *arguments)

    return types.float32(types.float32, types.float32, types.float32), emit


@intrinsic
def inverse(typing_context: Any, d: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return _assembly(builder, _REAL, "rcp.approx.f32 $0, $1;", "=f,f", *arguments)

    return types.float32(types.float32), emit


def _place(context: Any, builder: Any, signature: Any, arguments: Any, words: int = 1) -> Any:
    """The address in an array, the first argument, of an item of so many words, the number of which is the second."""
    data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
    return builder.add(builder.ptrtoint(data, _LONG), builder.mul(arguments[1], ir.Constant(_LONG, 4 * words)))


@intrinsic
def load_floats(typing_context: Any, array: Any, index: Any) -> Any:
    """See :mod:`~.primitives`: at once, from memory that nothing writes while the kernel runs."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments)
        four = ir.LiteralStructType([_REAL] * 4)
        found = _assembly(builder, four, "ld.global.nc.v4.f32 {$0, $1, $2, $3}, [$4];", "=f,=f,=f,=f,l", place)
        values = [builder.extract_value(found, k) for k in range(4)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.float32, 4)(array, types.int64), emit


@intrinsic
def load_corners(typing_context: Any, triangles: Any, t: Any, axes: Any) -> Any:
    """See :mod:`~.primitives`: triangles are aligned, so bits of the address are free for an axis."""
    parts = ["{ .reg .b32 %low, %high, %place, %axes; .reg .b64 %address; mov.b64 {%low, %high}, $9;"]
    for axis in range(3):
        parts.append(f"shr.u32 %axes, $10, {4 * axis}; lop3.b32 %place, %low, %axes, 12, 0xF8;")
        parts.append("mov.b64 %address, {%place, %high};")
        parts += [f"ld.global.nc.f32 ${3 * axis + corner}, [%address+{12 * corner}];" for corner in range(3)]
    text = " ".join([*parts, "}"])

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments, 12)
        nine = ir.LiteralStructType([_REAL] * 9)
        found = _assembly(builder, nine, text, "=f," * 9 + "l,r", place, builder.trunc(arguments[2], _WORD))
        values = [builder.extract_value(found, k) for k in range(9)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.float32, 9)(triangles, types.int64, types.int64), emit


@intrinsic
def load_node(typing_context: Any, nodes: Any, node: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments, WORDS)
        text = f"ld.global.nc.v4.b32 {{$0, $1, $2, $3}}, [$4+{4 * MIDDLE}];"
        four = ir.LiteralStructType([_REAL] * 3 + [_WORD])
        found = _assembly(builder, four, text, "=f,=f,=f,=r,l", place)
        text = f"ld.global.nc.v2.u32 {{$0, $1}}, [$2+{4 * CHILD}];"
        links = _assembly(builder, ir.LiteralStructType([_WORD] * 2), text, "=r,=r,l", place)
        values = [builder.extract_value(found, k) for k in range(4)]
        values += [builder.extract_value(links, k) for k in range(2)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.Tuple([types.float32] * 3 + [types.uint32] * 3)(nodes, types.int64), emit


@intrinsic
def load_sides(typing_context: Any, nodes: Any, node: Any, octant: Any, axis: Any) -> Any:
    """See :mod:`~.primitives`: in one piece, or the compiler would keep six addresses in registers."""
    if not hasattr(axis, "literal_value"):
        return None  # asked again with the literal
    along = axis.literal_value
    bit, start = 16 << along, 4 * HIGH[along]
    near, far = ("{" + ", ".join(f"${k}" for k in range(first, first + 4)) + "}" for first in (0, 4))
    text = (  # nodes are aligned, so bits of the address are free for those of the octant
        "{ .reg .b32 %low, %high, %place; .reg .b64 %address; mov.b64 {%low, %high}, $8; "
        f"lop3.b32 %place, %low, $9, {bit}, 0xF8; mov.b64 %address, {{%place, %high}}; "
        f"ld.global.nc.v4.u32 {near}, [%address+{start}]; "
        f"lop3.b32 %place, %low, $9, {bit}, 0xF2; mov.b64 %address, {{%place, %high}}; "
        f"ld.global.nc.v4.u32 {far}, [%address+{start}]; }}"
    )

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _place(context, builder, signature, arguments, WORDS)
        octant = builder.shl(builder.trunc(arguments[2], _WORD), ir.Constant(_WORD, 4))
        eight = ir.LiteralStructType([_WORD] * 8)
        found = _assembly(builder, eight, text, "=r," * 8 + "l,r", place, octant)
        values = [builder.extract_value(found, k) for k in range(8)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.uint32, 8)(nodes, types.int64, types.int64, axis), emit


@intrinsic
def as_float(typing_context: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _REAL)

    return types.float32(types.uint32), emit


@intrinsic
def as_int(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], _WORD)

    return types.int32(types.float32), emit


@intrinsic
def way_inside(typing_context: Any, ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any, limit: Any) -> Any:
    """See :mod:`~.primitives`: as whole numbers, of which the GPU takes the greatest of three, and 0, at once.

    Bits of floats that are not below zero are in order, and those of others are below zero.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        borders = [builder.bitcast(border, _WORD) for border in arguments]
        low, high = borders[0], borders[3]
        for border in (borders[1], borders[2], ir.Constant(_WORD, 0)):
            low = builder.select(builder.icmp_signed(">", low, border), low, border)
        for border in borders[4:]:
            high = builder.select(builder.icmp_signed("<", high, border), high, border)
        return builder.fsub(builder.bitcast(high, _REAL), builder.bitcast(low, _REAL))

    return types.float32(*[types.float32] * 7), emit


@intrinsic
def missed(typing_context: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """See :mod:`~.primitives`: signs, each made a byte, those of every second number first."""
    text = "{ .reg .b32 %a, %b, %c, %d;"
    for name, one, two, places in (("a", 1, 3, 0xFB), ("b", 5, 7, 0xFB00), ("c", 2, 4, 0xFB), ("d", 6, 8, 0xFB00)):
        text += f" prmt.b32 %{name}, ${one}, ${two}, {places};"
    text += " prmt.b32 %a, %a, %b, 0x7610; prmt.b32 %c, %c, %d, 0x7610; lop3.b32 $0, 0x0F0F0F0F, %a, %c, 0xCA; }"

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        words = [builder.bitcast(a, _WORD) for a in arguments]
        return builder.zext(_assembly(builder, _WORD, text, "=r" + ",r" * 8, *words), _LONG)

    return types.int64(*[types.float32] * 8), emit


@intrinsic
def entered_of(typing_context: Any, kinds: Any, misses: Any, mask: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        operands = [builder.trunc(a, _WORD) for a in arguments]
        found = _assembly(builder, _WORD, "lop3.b32 $0, $1, $2, $3, 0x20;", "=r,r,r,r", *operands)
        return builder.zext(found, _LONG)

    return types.int64(types.int64, types.int64, types.int64), emit


@intrinsic
def exchanged_bytes(typing_context: Any, bits: Any, places: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits, places = (builder.trunc(a, _WORD) for a in arguments)
        found = _assembly(builder, _WORD, "prmt.b32 $0, $1, $1, $2;", "=r,r,r", bits, places)
        return builder.zext(found, _LONG)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def chosen(typing_context: Any, mask: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        operands = [builder.trunc(a, _WORD) for a in arguments]
        found = _assembly(builder, _WORD, "lop3.b32 $0, $1, $2, $3, 0xCA;", "=r,r,r,r", *operands)
        return builder.zext(found, _LONG)

    return types.int64(types.int64, types.int64, types.int64), emit


def _together(builder: Any, result: Any, text: str, constraints: str, *operands: Any) -> Any:
    """An instruction that threads of a warp do together, or whose place among others matters."""
    kind = ir.FunctionType(result, [operand.type for operand in operands])
    call = ir.InlineAsm(kind, text, constraints, side_effect=True)
    return builder.call(call, operands, attrs=("convergent", "nounwind"))


@intrinsic
def members(typing_context: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(_together(builder, _WORD, "activemask.b32 $0;", "=r"), _LONG)

    return types.int64(), emit


@helper
def everyone() -> Any:
    """See :mod:`~.primitives`."""
    return 0xFFFFFFFF


@helper
def in_step(flag: Any) -> Any:
    """See :mod:`~.primitives`."""
    return True


@intrinsic
def votes(typing_context: Any, warp: Any, flag: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        warp, flag = builder.trunc(arguments[0], _WORD), builder.zext(arguments[1], _WORD)
        text = "{ .reg .pred %v; setp.ne.u32 %v, $1, 0; vote.sync.ballot.b32 $0, %v, $2; }"
        return builder.zext(_together(builder, _WORD, text, "=r,r,r", flag, warp), _LONG)

    return types.int64(types.int64, types.boolean), emit


@intrinsic
def marked(typing_context: Any, warp: Any, bits: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        warp, bits = (builder.trunc(a, _WORD) for a in arguments)
        text = "{ .reg .pred %v; setp.ne.u32 %v, $1, 0; vote.sync.ballot.b32 $0, %v, $2; }"
        return builder.zext(_together(builder, _WORD, text, "=r,r,r", bits, warp), _LONG)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def lane_number(typing_context: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        thread = _assembly(builder, _WORD, "mov.u32 $0, %tid.x;", "=r")
        return builder.zext(builder.and_(thread, ir.Constant(_WORD, 31)), _LONG)

    return types.int64(), emit


@intrinsic
def warp_cells(typing_context: Any) -> Any:
    """See :mod:`~.primitives`: an address in the block's memory, of 32 bits."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.ArrayType(ir.VectorType(_WORD, 2), ROWS * THREADS)
        made: Any = cgutils.add_global_variable(builder.module, kind, "_phalanx_cells", addrspace=3)
        made.linkage = "internal"
        made.initializer = ir.Constant(kind, ir.Undefined)
        made.align = 8
        thread = _assembly(builder, _WORD, "mov.u32 $0, %tid.x;", "=r")
        first = builder.and_(thread, ir.Constant(_WORD, 0xFFFFFFE0))
        start = builder.gep(made, [ir.Constant(_WORD, 0), first])
        # The compiler would find the address anew at each use, which takes it nine instructions.
        text = "{ .reg .u64 %s; mov.u64 %s, $1; cvt.u32.u64 $0, %s; }"
        return builder.zext(_together(builder, _WORD, text, "=r,l", builder.ptrtoint(start, _LONG)), _LONG)

    return types.int64(), emit


def _cell(builder: Any, cells: Any, row: Any, lane: Any) -> Any:
    """The address of a thread's cell."""
    cells, row, lane = (builder.trunc(number, _WORD) for number in (cells, row, lane))
    place = builder.add(cells, builder.mul(row, ir.Constant(_WORD, 8 * THREADS)))
    return builder.add(place, builder.shl(lane, ir.Constant(_WORD, 3)))


def _store(kind: Any, letter: str) -> Any:
    """Two numbers to a cell."""

    @intrinsic
    def store_two(typing_context: Any, cells: Any, row: Any, lane: Any, one: Any, two: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _cell(builder, *arguments[:3])
            two = [a if letter == "f" else builder.trunc(a, _WORD) for a in arguments[3:]]
            text = "st.shared.v2.b32 [$0], {$1, $2};"
            _together(builder, ir.VoidType(), text, f"r,{letter},{letter},~{{memory}}", place, *two)
            return context.get_dummy_value()

        return types.void(*[types.int64] * 3, kind, kind), emit

    return store_two


def _load(kind: Any, letter: str, item: Any) -> Any:
    """Two numbers of a cell."""

    @intrinsic
    def load_two(typing_context: Any, cells: Any, row: Any, lane: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = _cell(builder, *arguments)
            pair = ir.LiteralStructType([item] * 2)
            text = "ld.shared.v2.b32 {$0, $1}, [$2];"
            found = _together(builder, pair, text, f"={letter},={letter},r,~{{memory}}", place)
            two = [builder.extract_value(found, k) for k in range(2)]
            two = two if letter == "f" else [builder.zext(a, _LONG) for a in two]
            return context.make_tuple(builder, signature.return_type, two)

        return types.UniTuple(kind, 2)(*[types.int64] * 3), emit

    return load_two


_store_words, _store_floats = _store(types.int64, "r"), _store(types.float32, "f")
_load_words, _load_floats = _load(types.int64, "r", _WORD), _load(types.float32, "f", _REAL)


@helper
def put_pair(cells: Any, deep: Any, rows: Any, row: Any, lane: Any, one: Any, two: Any) -> None:
    """See :mod:`~.primitives`."""
    if rows <= ROWS or row < ROWS:
        _store_words(cells, row, lane, one, two)
    else:
        at = np.uint64(2 * row)
        deep[at] = one
        deep[at + np.uint64(1)] = two


@helper
def pair_at(cells: Any, deep: Any, rows: Any, row: Any, lane: Any) -> Any:
    """See :mod:`~.primitives`."""
    if rows <= ROWS or row < ROWS:
        one, two = _load_words(cells, row, lane)
    else:
        at = np.uint64(2 * row)
        one = np.int64(np.uint32(deep[at]))
        two = np.int64(np.uint32(deep[at + np.uint64(1)]))
    return one, two


@helper
def put_aside(cells: Any, row: Any, lane: Any, a: Any, b: Any) -> None:
    """See :mod:`~.primitives`."""
    _store_floats(cells, row, lane, a, b)


@helper
def taken_back(cells: Any, row: Any, lane: Any, a: Any, b: Any) -> Any:
    """See :mod:`~.primitives`."""
    return _load_floats(cells, row, lane)


@intrinsic
def narrow(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.zext(builder.trunc(arguments[0], _WORD), _LONG)

    return types.int64(types.int64), emit


@intrinsic
def narrow_signed(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.sext(builder.trunc(arguments[0], _WORD), _LONG)

    return types.int64(types.int64), emit


@intrinsic
def word(typing_context: Any, number: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.trunc(arguments[0], _WORD)

    return types.uint32(types.int64), emit


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
        return builder.zext(_assembly(builder, _WORD, "bfind.u32 $0, $1;", "=r,r", arguments[0]), _LONG)

    return types.int64(types.uint32), emit


@intrinsic
def split(typing_context: Any, number: Any, size: Any) -> Any:
    """See :mod:`~.primitives`."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, size = (builder.trunc(a, _WORD) for a in arguments)
        quotient = builder.udiv(number, size)
        rest = builder.sub(number, builder.mul(quotient, size))
        values = [builder.zext(value, _LONG) for value in (quotient, rest)]
        return context.make_tuple(builder, signature.return_type, values)

    return types.UniTuple(types.int64, 2)(types.int64, types.int64), emit


def signature(function: Callable[..., None]) -> tuple[Any, ...]:
    """Types of a kernel's arguments: the number of rays, addresses and numbers."""
    kinds = list(argument_types(function).values())[1:]
    return numba.int64, *(numba.float32 if kind == "Real" else numba.int64 for kind in kinds)


def compile_ptx(function: Callable[..., None], constants: tuple[tuple[str, Any], ...] = ()) -> str:
    """The PTX of a kernel for compute capability 9.0; needs NVVM but no GPU."""
    module = load(function, "cuda", constants)
    text, _ = cuda.compile_ptx(module.py_func, signature(function), cc=(9, 0))  # pyright: ignore[reportPrivateImportUsage]
    return text


class Kernel:
    """A compiled kernel and its launches."""

    def __init__(self, function: Callable[..., None], constants: tuple[tuple[str, Any], ...]) -> None:
        self.name = generated(function, "cuda", constants).entry
        self.compiled = load(function, "cuda", constants)
        self.graphs: dict[Any, Any] = {}


def kernel_of(function: Callable[..., None], constants: tuple[tuple[str, Any], ...]) -> Kernel:
    """The kernel of a function, see :func:`~.generate.generated`."""
    return Kernel(function, constants)


def bind(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a kernel takes for arrays and numbers; the arrays must outlive it."""
    return tuple(_address(a) for a in arguments)


def _address(argument: Any) -> Any:
    interface = getattr(argument, "__cuda_array_interface__", None)
    if interface is not None:
        return interface["data"][0]
    return np.float32(argument) if isinstance(argument, float) else argument


def launch(kernel: Kernel, count: int, bound: tuple[Any, ...], device: Any) -> None:
    """Queue a kernel for rays 0..count-1 on the device's stream, after what the caller has queued."""
    key = (count, bound)
    with device.active():
        graph = kernel.graphs.get(key)
        if graph is not None:
            graph.launch(device.stream)
            return
        configured = kernel.compiled[-(-count // THREADS), THREADS, cuda.external_stream(device.stream.ptr)]
        if key not in kernel.graphs:  # the first launch compiles, which a capture does not allow
            while len(kernel.graphs) >= MOST_GRAPHS:
                kernel.graphs.pop(next(iter(kernel.graphs)))
            configured(count, *bound)
            kernel.graphs[key] = None
            return
        device.stream.begin_capture()
        try:
            configured(count, *bound)
        finally:
            graph = device.stream.end_capture()
        kernel.graphs[key] = graph
        graph.launch(device.stream)
