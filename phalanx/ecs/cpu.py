"""The CPU's compiler: systems become native functions over a run of neighbouring environments.

Each system is a separate native function of signature ``(low, high, table)``, called through its address: compiled and
cached alone, whatever program (:mod:`phalanx.ecs.cpu_program`) it is part of. The text of this file is part of every
kernel's fingerprint, so what has no say in how kernels are compiled is elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.np.numpy_support import carray

from phalanx.ecs.codegen import generate
from phalanx.ecs.declare import System
from phalanx.ecs.lanes import LaneCompiler, PartCompiler
from phalanx.ecs.modules import load

cuda = None  # generated modules import the same names from both back ends


_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": {"contract", "nsz"}}
helper = numba.njit(forceinline=True, pipeline_class=PartCompiler, **_OPTIONS)
routine = numba.njit(pipeline_class=PartCompiler, **_OPTIONS)
kernel = numba.njit(pipeline_class=LaneCompiler, **_OPTIONS)
scalar_kernel = routine  # lanes that share scratch are not independent
entry: Callable[..., Any] = numba.cfunc(
    types.void(types.int64, types.int64, types.CPointer(types.int64)), cache=True, error_model="numpy"
)


@intrinsic
def _address(typingctx: Any, address: Any) -> Any:
    """int64 -> void pointer."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), codegen


@numba.njit(inline="always")
def array(address: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """The array of ``shape`` at an address."""
    return carray(_address(address), shape, dtype)  # pyright: ignore[reportCallIssue]


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
    """Compile (or load from the cache) a system; returns the address of its native function."""
    generated = generate(system, shared, real, "cpu")
    return getattr(load(generated), generated.entry).address
