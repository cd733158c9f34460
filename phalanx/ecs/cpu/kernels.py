"""The CPU's compiler: systems become native functions over a run of neighbouring environments.

Each system is a separate native function of signature ``(low, high, table)``, called through its address: compiled and
cached alone, whatever program (:mod:`phalanx.ecs.cpu.program`) it is part of. The text of this file is part of every
kernel's fingerprint, so what has no say in how kernels are compiled is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.ccallback import CFunc
from numba.core.extending import intrinsic
from numba.np.numpy_support import carray as carray  # generated modules import it from here

from phalanx.ecs.cache.kernels import keep
from phalanx.ecs.cache.modules import load
from phalanx.ecs.cpu.numba_compilers import EntryCompiler, LaneCompiler, PartCompiler
from phalanx.ecs.declare import System
from phalanx.ecs.text.codegen import generate

cuda = None  # generated modules import the same names from both back ends


_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}
helper = numba.njit(forceinline=True, pipeline_class=PartCompiler, **_OPTIONS)
routine = numba.njit(pipeline_class=PartCompiler, **_OPTIONS)
kernel = numba.njit(pipeline_class=LaneCompiler, **_OPTIONS)
scalar_kernel = routine  # lanes that share scratch are not independent
_ENTRY = types.void(types.int64, types.int64, types.CPointer(types.int64))


def entry(function: Callable[..., Any]) -> CFunc:
    """Compile what is called by its address, or load it from the cache."""
    made = CFunc(function, (_ENTRY.args, _ENTRY.return_type), {}, {"error_model": "numpy"}, EntryCompiler)
    keep(made, strict=True).compile()
    return made


def _array(typingctx: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """The array of ``shape`` at an address; as Numba's ``carray``, which takes three times as long to compile."""
    kind = types.Array(dtype.dtype, len(shape), "C")

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        item = context.get_data_type(kind.dtype)
        size = cgutils.intp_t(context.get_abi_sizeof(item))
        sizes = cgutils.unpack_tuple(builder, arguments[1])
        strides = [size]
        for length in sizes[:0:-1]:
            strides.insert(0, builder.mul(strides[0], length))
        data = builder.inttoptr(arguments[0], item.as_pointer())
        nobody = ir.Constant(cgutils.voidptr_t, None)
        count = builder.sdiv(builder.mul(strides[0], sizes[0]), size)
        value = ir.Constant(context.get_value_type(kind), ir.Undefined)
        members = [
            nobody,
            nobody,
            count,
            size,
            data,
            cgutils.pack_array(builder, sizes),
            cgutils.pack_array(builder, strides),
        ]
        for place, member in enumerate(members):
            value = builder.insert_value(value, member, place)
        return value

    return kind(types.int64, types.UniTuple(types.int64, len(shape)), dtype), codegen


array: Any = intrinsic(_array)
"""``array(address, shape, dtype)``."""


@intrinsic(prefer_literal=True)
def stack(typingctx: Any, words: Any) -> Any:
    """So many words of 8 bytes of the function's stack, not initialised: filling them takes longer than some items."""
    count = words.literal_value

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        with builder.goto_entry_block():
            block = builder.alloca(ir.ArrayType(ir.IntType(64), count))
        return builder.bitcast(block, cgutils.voidptr_t)

    return types.voidptr(words), codegen


def compile_system(system: System, shared: frozenset[str], real: str) -> int:
    """Compile (or load from the cache) a system; returns the address of its native function.

    Raises:
        LostKernel: it was in the cache and is there no more.
    """
    generated = generate(system, shared, real, "cpu")
    return getattr(load(generated), generated.entry).address
