"""Programs on the CPU: sequences of native functions, over blocks of environments, by a few threads.

A block is a run of neighbouring environments (of :data:`LANES`). All systems of a step run over one block before the
next block starts, so that a block's data stay in the cache from system to system and from step to step; threads
share nothing but read-only parameters, and never wait for each other within a batch of steps.
"""

from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from phalanx.ecs import trace
from phalanx.ecs.cache.kernels import kept
from phalanx.ecs.cpu.threads import at_once, num_threads
from phalanx.ecs.declare import Bound

LANES = (64, 32, 16)
"""Environments in a block: the most that leaves every thread a block. See docs/decisions/0002-blocks-and-lanes.md."""


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


@kept("void(int64[::1], int64[::1], int64, int64, int64, int64)", nogil=True, error_model="numpy")
def _run_blocks(functions: Any, tables: Any, first: int, last: int, lanes: int, steps: int) -> None:
    for block in range(first, last):
        for _ in range(steps):
            for i in range(functions.size):
                _call(functions[i], block * lanes, (block + 1) * lanes, tables[i])  # pyright: ignore[reportCallIssue]


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
        shares = ((self._functions, self._tables, a, b, self._lanes, steps) for a, b in itertools.pairwise(bounds))
        at_once(_run_blocks, list(shares))

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
