"""CUDA's compiler: systems become kernels, which :mod:`phalanx.ecs.cuda.program` launches.

What the core has to do with ``numba.cuda`` is here and there, so that another compiler can be tried in one place. The
text of this file is part of every kernel's fingerprint, so what has no say in how kernels are compiled is elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ.setdefault("NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "0")
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")

import numba
import numpy as np
from llvmlite import ir as llvm
from numba import cuda
from numba.cuda.dispatcher import CUDACache
from numba.cuda.extending import intrinsic

from phalanx.ecs.cache.kernels import keep
from phalanx.ecs.cache.modules import load
from phalanx.ecs.declare import System
from phalanx.ecs.text.codegen import generate
from phalanx.ecs.text.teams import TEAM

REGISTERS = 128
"""Most registers of a team's threads: more would leave half of a multiprocessor's warps out."""

NARROW = 32
"""Threads of a block where an environment has one thread: small blocks reach more multiprocessors."""

AT_ONCE = 8
"""Blocks of a straight-line program on a multiprocessor, each thread with as many registers as there can be. Compilers
that are not told aim for more, with fewer registers, and load each number right before it is needed."""

array = carray = stack = None  # generated modules import the same names from both back ends
entry = None
helper = routine = cuda.jit(device=True)


def kept_kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """What compiles a kernel, whose machine code is kept."""
    return lambda function: keep(cuda.jit(**options)(function), CUDACache)


kernel = scalar_kernel = kept_kernel()
straight_kernel = kept_kernel(launch_bounds=(NARROW, AT_ONCE))
team_kernel = kept_kernel(max_registers=REGISTERS)


def kernel_of(registers: int) -> Callable[[Callable[..., Any]], Any]:
    """What compiles a kernel whose threads have no more registers than that."""
    return kept_kernel(max_registers=registers)


@intrinsic
def place(typing_context: Any, row: Any, size: Any, index: Any) -> Any:
    """row * size + index in 32 bits. As an instruction, since LLVM makes it 64 again where it sees arithmetic."""
    del typing_context

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        narrow = llvm.IntType(32)
        kind = llvm.FunctionType(narrow, [narrow] * 3)
        operands = [builder.trunc(a, narrow) if a.type.width > 32 else a for a in arguments]
        text = llvm.InlineAsm(kind, "mad.lo.u32 $0, $1, $2, $3;", "=r,r,r,r")
        return builder.call(text, operands, attrs=("readnone", "nounwind"))

    return numba.uint32(row, size, index), emit


@intrinsic
def fixed(typing_context: Any, first: Any, second: Any, third: Any) -> Any:
    """Tell the compiler which arrays nothing writes while the kernel runs: bits of three words, in their order.

    So loads from them need not wait for stores to others. (Of arrays that a team writes it must not be told so: a
    thread's own pointers do not show what others store.)
    """
    del typing_context
    if not hasattr(first, "literal_value"):
        return None  # asked again with the literals
    mask = first.literal_value | second.literal_value << 32 | third.literal_value << 64

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature, arguments
        data = [a for a in builder.function.args if a.name.endswith(".4") and isinstance(a.type, llvm.PointerType)]
        for n, argument in enumerate(data):
            if mask >> n & 1:
                argument.add_attribute("noalias")
        return context.get_dummy_value()

    return numba.void(first, second, third), emit


@intrinsic
def scratch(typing_context: Any, count: Any, dtype: Any) -> Any:
    """An array of a thread's own, not initialised: Numba fills what it makes with zeros, 12 KB a warp for a stack."""
    del typing_context
    if not hasattr(count, "literal_value"):
        return None  # asked again with the literal
    kind = numba.types.Array(dtype.dtype, 1, "C")

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del signature, arguments
        item, size = context.get_data_type(kind.dtype), kind.dtype.bitwidth // 8
        with builder.goto_entry_block():
            place = builder.alloca(llvm.ArrayType(item, count.literal_value))
        place.align = 16
        made = context.make_array(kind)(context, builder)
        length, stride = (context.get_constant(numba.types.intp, n) for n in (count.literal_value, size))
        data = builder.bitcast(place, llvm.PointerType(item))
        context.populate_array(made, data=data, shape=[length], strides=[stride], itemsize=stride, meminfo=None)
        return made._getvalue()

    return kind(count, dtype), emit


@helper
def wait(team):
    """Until the threads of a team, a mask in their warp, have all come here and see what each has stored."""
    cuda.syncwarp(team)  # pyright: ignore[reportCallIssue]


@helper
def joined(team, x):
    """The sum of every thread's x, the same for all of a team."""
    step = TEAM // 2
    while step > 0:
        x += cuda.shfl_xor_sync(team, x, step)
        step //= 2
    return x


def compile_system(system: System, shared: frozenset[str], real: str) -> Any:
    """The kernel of a system (compiled by Numba at its first launch, or loaded from the cache)."""
    generated = generate(system, shared, real, "cuda")
    return getattr(load(generated), generated.entry)


def signature(source: str) -> tuple[Any, ...]:
    """The argument types of a generated kernel, which its module lists."""
    line = next(line for line in source.splitlines() if line.startswith("# arguments: "))
    types: list[Any] = [numba.int64, numba.int64, numba.int64]
    for item in line.removeprefix("# arguments: ").split():
        name, _, dimensions = item.partition(":")
        dtype = numba.from_dtype(np.dtype(name))
        types.append(numba.types.Array(dtype, int(dimensions), "C") if dimensions else dtype)
    return tuple(types)


def compile_ptx(system: System, shared: frozenset[str], real: str, compute_capability: tuple[int, int] = (9, 0)) -> str:
    """The PTX of a system's kernel; needs NVVM but no GPU."""
    generated = generate(system, shared, real, "cuda")
    dispatcher = getattr(load(generated), generated.entry)
    text, _ = cuda.compile_ptx(  # pyright: ignore[reportPrivateImportUsage]
        dispatcher.py_func, signature(generated.source), cc=compute_capability
    )
    return text
