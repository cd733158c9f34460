"""The CPU back end: systems become native functions over blocks of environments, run by a few threads.

A block is a run of neighbouring environments (of :data:`LANES`). All systems of a step run over one block before the
next block starts, so that a block's data stay in the cache from system to system and from step to step; threads
share nothing but read-only parameters, and never wait for each other within a batch of steps. Each system is a
separate native function of signature ``(low, high, table)``, called through its address: compiled and cached alone,
whatever schedule it is part of.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic
from numba.np.numpy_support import carray

from phalanx.ecs import codegen, trace
from phalanx.ecs.declare import Bound, System
from phalanx.ecs.lanes import LaneCompiler, PartCompiler

LANES = (64, 32, 16)
"""Environments in a block: the most that leaves every thread a block. See docs/decisions/0002-blocks-and-lanes.md."""

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
    """So many words of 8 bytes of the function's stack."""
    count = words.literal_value

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block = cgutils.alloca_once(builder, ir.ArrayType(ir.IntType(64), count))
        return builder.bitcast(block, cgutils.voidptr_t)

    return types.voidptr(words), codegen


@intrinsic
def _call(typingctx: Any, function: Any, low: Any, high: Any, table: Any) -> Any:
    """Call the system at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.VoidType(), [word, word, word.as_pointer()])
        pointer = builder.inttoptr(arguments[0], kind.as_pointer())
        table_pointer = builder.inttoptr(arguments[3], word.as_pointer())
        builder.call(pointer, [arguments[1], arguments[2], table_pointer])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), codegen


@numba.njit("void(int64[::1], int64[::1], int64, int64, int64, int64)", nogil=True, cache=True, error_model="numpy")
def _run_blocks(functions: Any, tables: Any, first: int, last: int, lanes: int, steps: int) -> None:
    for block in range(first, last):
        for _ in range(steps):
            for i in range(functions.size):
                _call(functions[i], block * lanes, (block + 1) * lanes, tables[i])  # pyright: ignore[reportCallIssue]


def compile_system(system: System, shared: frozenset[str], real: str) -> int:
    """Compile (or load from the cache) a system; returns the address of its native function."""
    generated = codegen.generate(system, shared, real, "cpu")
    return getattr(codegen.load(generated), generated.entry).address


class Program:
    """A sequence of compiled systems bound to their arrays."""

    xp = np

    def __init__(self, bound: list[Bound], num_envs: int, stride: int) -> None:
        self._lanes = block_size(num_envs)
        self.names = [b.system.name for b in bound]
        self._functions = np.array([b.compiled for b in bound], np.int64)
        self._kept_alive = [_table(b, stride) for b in bound]
        self._arrays = [b.arguments for b in bound]
        self._tables = np.array([table.ctypes.data for table in self._kept_alive], np.int64)
        self._blocks = -(-num_envs // self._lanes)

    def run(self, steps: int = 1) -> None:
        """Run the whole sequence ``steps`` times for every environment."""
        if trace.active():
            for i in list(range(len(self.names))) * steps:
                with trace.region(self.names[i]):
                    one = slice(i, i + 1)
                    _run_blocks(self._functions[one], self._tables[one], 0, self._blocks, self._lanes, 1)
            return
        threads = min(num_threads(), self._blocks)
        if threads <= 1:
            _run_blocks(self._functions, self._tables, 0, self._blocks, self._lanes, steps)
            return
        bounds = [self._blocks * i // threads for i in range(threads + 1)]
        jobs = [
            _pool(threads).submit(_run_blocks, self._functions, self._tables, a, b, self._lanes, steps)
            for a, b in itertools.pairwise(bounds[:-1])
        ]
        try:
            _run_blocks(self._functions, self._tables, bounds[-2], bounds[-1], self._lanes, steps)
        finally:
            for job in jobs:
                job.result()

    def time(self, steps: int) -> dict[str, float]:
        """Seconds per step spent in each system, one thread, measured system by system over all environments."""
        spent = dict.fromkeys(self.names, 0.0)
        for _ in range(steps):
            for i, name in enumerate(self.names):
                start = time.perf_counter()
                _run_blocks(self._functions[i : i + 1], self._tables[i : i + 1], 0, self._blocks, self._lanes, 1)
                spent[name] += time.perf_counter() - start
        return {name: seconds / steps for name, seconds in spent.items()}

    def synchronize(self) -> None:
        """Nothing is pending on the CPU."""


def block_size(num_envs: int) -> int:
    """Environments in a block for a world of this size."""
    return next((lanes for lanes in LANES if num_envs >= lanes * num_threads()), LANES[-1])


def _table(bound: Bound, stride: int) -> np.ndarray:
    """What the native function reads its arguments from: rows, stride, then an address or a number each."""
    values = [a.ctypes.data if isinstance(a, np.ndarray) else int(a) for a in bound.arguments]
    return np.array([bound.rows, stride, *values], np.int64)


_threads: int | None = None
_pools: dict[int, ThreadPoolExecutor] = {}


def num_threads() -> int:
    """Threads used for stepping: :func:`set_num_threads`, ``$PHALANX_NUM_THREADS``, or all processors of this
    process.
    """
    if _threads is not None:
        return _threads
    chosen = os.environ.get("PHALANX_NUM_THREADS", "")
    if chosen:
        if not chosen.isdigit() or int(chosen) < 1:
            raise ValueError(f"PHALANX_NUM_THREADS={chosen!r}: must be a positive whole number")
        return int(chosen)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_num_threads(count: int | None) -> None:
    """Set the number of threads for stepping; ``None`` returns to the default. Results do not depend on it."""
    global _threads
    if count is not None and count < 1:
        raise ValueError(f"set_num_threads({count}): at least 1 thread is needed")
    _threads = count


def _pool(threads: int) -> ThreadPoolExecutor:
    if threads not in _pools:
        _pools[threads] = ThreadPoolExecutor(threads - 1, thread_name_prefix="phalanx")
    return _pools[threads]
