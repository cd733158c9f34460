"""Programs on the CPU: sequences of native functions, over blocks of environments, by a few threads.

A block is a run of neighbouring environments (of :data:`LANES`). All systems of a step run over one block before the
next block starts, so that a block's data stay in the cache from system to system and from step to step; threads
share nothing but read-only parameters, and never wait for each other within a batch of steps. Only where there is one
block do they share out rows of large systems instead (:mod:`phalanx.ecs.cpu.row_shares`), and wait after each.

Systems may find that a table has too few rows, and say so by a flag of their environment. A block that has such a flag
stops before anything is made of what did not fit. When the table has grown, :meth:`Program.resume` of the new program
repeats the systems that set flags and goes on, so that results do not depend on the number of rows that there were.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.extending import intrinsic

from phalanx.ecs import trace
from phalanx.ecs.cache.kernels import kept
from phalanx.ecs.cpu.row_shares import shares
from phalanx.ecs.cpu.threads import at_once, num_threads
from phalanx.ecs.declare import Bound, Field

_NEVER = np.full(1, -1)

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


@intrinsic
def _flag(typingctx: Any, address: Any, env: Any) -> Any:
    """The 32-bit number of an environment in an array at an address."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(32).as_pointer())
        return builder.load(builder.gep(pointer, [arguments[1]]))

    return types.int32(types.int64, types.int64), codegen


@kept(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1], int64, int64, int64, int64)",
    nogil=True,
    error_model="numpy",
)
def _run_blocks(
    functions: Any, tables: Any, retries: Any, flags: Any, left: Any, first: int, last: int, lanes: int, envs: int
) -> None:
    """Run blocks for the steps that are left of each, from the function on at which it stopped."""
    for block in range(first, last):
        steps, i = left[block, 0], left[block, 1]
        low, high = block * lanes, (block + 1) * lanes
        while steps > 0:
            if i == functions.size:
                i = 0
                steps -= 1
                continue
            _call(functions[i], low, high, tables[i])  # pyright: ignore[reportCallIssue]
            if retries[i] >= 0:
                flagged = 0
                for k in range(flags.size):
                    for env in range(low, min(high, envs)):
                        flagged |= _flag(flags[k], env)  # pyright: ignore[reportCallIssue]
                if flagged != 0:
                    i = retries[i]
                    break
            i += 1
        left[block, 0], left[block, 1] = steps, i


class _Stretch(NamedTuple):
    """Systems ``first`` to ``end - 1`` of a sequence; with tables of arguments, one, for each share of its rows."""

    first: int
    end: int
    tables: list[np.ndarray]


class Program:
    """A sequence of compiled systems bound to their arrays."""

    xp = np

    def __init__(
        self, bound: list[Bound], num_envs: int, stride: int, flags: Mapping[Field, Any] | None = None
    ) -> None:
        """``flags``: integers of each environment, in tables of one row, that stop its block when they are not 0."""
        self._lanes = block_size(num_envs)
        self._envs = num_envs
        self.names = [b.system.name for b in bound]
        self._functions = np.array([b.compiled for b in bound], np.int64)
        self._kept_alive = [_table(b, stride, num_envs) for b in bound]
        self._arrays = [b.arguments for b in bound]
        self._tables = np.array([table.ctypes.data for table in self._kept_alive], np.int64)
        self._blocks = -(-num_envs // self._lanes)
        self._left = np.zeros((self._blocks, 2), np.int64)
        self._left_of_one = np.zeros_like(self._left)
        self._flag_arrays = list((flags or {}).values())
        self._flags = np.array([array.ctypes.data for array in self._flag_arrays], np.int64)
        self._retries = _retries(bound, set(flags or ()))
        self._bound, self._table_stride = bound, stride
        self._is_large = self._blocks == 1 and any(len(shares(one, 2)) > 1 for one in bound)
        self._stretches: dict[int, list[_Stretch]] = {}  # by the number of threads

    def run(self, steps: int = 1) -> None:
        """Run the whole sequence ``steps`` times for every environment, or until its flags stop it."""
        self._left[:] = steps, 0
        self._go_on(self._retries, self._flags)

    def resume(self, stopped: Program, heed_flags: bool) -> None:
        """Go on from where another program of the same sequence stopped; its flags have been put back to 0.

        Args:
            heed_flags: stop at them again; otherwise what does not fit is left out.
        """
        self._left[:] = stopped._left
        if heed_flags:
            self._go_on(self._retries, self._flags)
        else:
            self._go_on(np.full_like(self._retries, -1), self._flags[:0])

    @property
    def stopped(self) -> np.ndarray:
        """Environments that have steps left, since a flag of their block is set."""
        blocks = np.flatnonzero(self._left[:, 0])
        envs = (blocks[:, None] * self._lanes + np.arange(self._lanes)).reshape(-1)
        return envs[envs < self._envs]

    def _go_on(self, retries: np.ndarray, flags: np.ndarray) -> None:
        if trace.active():
            self._go_on_traced(retries, flags)
            return
        fixed = (self._functions, self._tables, retries, flags, self._left)
        if self._is_large and (threads := num_threads()) > 1:
            self._go_on_shared(self._stretched(threads), retries, flags)
            return
        threads = min(num_threads(), self._blocks) if self._blocks > 1 else 1
        if threads <= 1:
            _run_blocks(*fixed, 0, self._blocks, self._lanes, self._envs)
            return
        bounds = [self._blocks * i // threads for i in range(threads + 1)]
        at_once(_run_blocks, [(*fixed, a, b, self._lanes, self._envs) for a, b in itertools.pairwise(bounds)])

    def _stretched(self, threads: int) -> list[_Stretch]:
        """The sequence in stretches that run as they are, and systems whose rows so many threads share out."""
        if threads not in self._stretches:
            found: list[_Stretch] = []
            for i, one in enumerate(self._bound):
                parts = [one] if self._retries[i] >= 0 else shares(one, threads)
                if len(parts) > 1:
                    tables = [_table(part, self._table_stride, self._envs) for part in parts]
                    found.append(_Stretch(i, i + 1, tables))
                elif found and not found[-1].tables:
                    found[-1] = _Stretch(found[-1].first, i + 1, [])
                else:
                    found.append(_Stretch(i, i + 1, []))
            self._stretches[threads] = found
        return self._stretches[threads]

    def _go_on_shared(self, stretches: list[_Stretch], retries: np.ndarray, flags: np.ndarray) -> None:
        """The one block, stretch by stretch."""
        while self._left[0, 0] > 0:
            for first, end, tables in stretches:
                at = max(first, int(self._left[0, 1]))
                if at >= end:
                    continue
                if tables:
                    at_once(_run_blocks, [self._one_by_one(i=at, table=table) for table in tables])
                else:
                    self._left_of_one[:] = 1, at
                    fixed = (self._functions[:end], self._tables[:end], retries, flags, self._left_of_one)
                    _run_blocks(*fixed, 0, 1, self._lanes, self._envs)
                    if self._left_of_one[0, 0] > 0:  # a flag has stopped it
                        self._left[0, 1] = self._left_of_one[0, 1]
                        return
                self._left[0, 1] = end
            self._left[0] = self._left[0, 0] - 1, 0

    def _one_by_one(self, i: int, table: np.ndarray) -> tuple[Any, ...]:
        """What runs one system once with other arguments."""
        left, address = np.array([[1, 0]]), np.array([table.ctypes.data])
        nothing = _NEVER, self._flags[:0]
        return (self._functions[i : i + 1], address, *nothing, left, 0, 1, self._lanes, self._envs)

    def _go_on_traced(self, retries: np.ndarray, flags: np.ndarray) -> None:
        """System by system over all blocks, in one thread; blocks that stopped at different places one by one."""
        places = np.unique(self._left, axis=0)
        groups = [np.flatnonzero((self._left == place).all(axis=1)) for place in places]
        for (steps, i), group in zip(places.tolist(), groups, strict=True):
            while steps > 0:
                if i == len(self.names):
                    steps, i = steps - 1, 0
                    continue
                with trace.region(self.names[i]):
                    for first, last in (
                        [(0, self._blocks)] if len(groups) == 1 else [(b, b + 1) for b in group.tolist()]
                    ):
                        self._run_one(i, first, last)
                if retries[i] >= 0 and len(flags) and any(array[0, : self._envs].any() for array in self._flag_arrays):
                    i = int(retries[i])
                    break
                i += 1
            self._left[group] = steps, i

    def _run_one(self, i: int, first: int, last: int) -> None:
        """One system over some blocks."""
        one = slice(i, i + 1)
        self._left_of_one[:] = 1, 0
        fixed = (self._functions[one], self._tables[one], _NEVER, self._flags[:0], self._left_of_one)
        _run_blocks(*fixed, first, last, self._lanes, self._envs)

    def time(self, steps: int) -> dict[str, float]:
        """Seconds per step spent in each system, one thread, measured system by system over all environments."""
        spent = dict.fromkeys(self.names, 0.0)
        for _ in range(steps):
            for i, name in enumerate(self.names):
                start = time.perf_counter()
                self._run_one(i, 0, self._blocks)
                spent[name] += time.perf_counter() - start
        return {name: seconds / steps for name, seconds in spent.items()}

    def synchronize(self) -> None:
        """Nothing is pending on the CPU."""


def block_size(num_envs: int) -> int:
    """Environments in a block for a world of this size."""
    return next((lanes for lanes in LANES if num_envs >= lanes * num_threads()), LANES[-1])


def most_lanes(num_envs: int) -> int:
    """The same with whatever number of threads: with one."""
    return next((lanes for lanes in LANES if num_envs >= lanes), LANES[-1])


def _table(bound: Bound, stride: int, num_envs: int) -> np.ndarray:
    """What the native function reads its arguments from: rows, stride, an address or a number each, environments."""
    values = [a.ctypes.data if isinstance(a, np.ndarray) else int(a) for a in bound.arguments]
    return np.array([bound.rows, stride, *values, num_envs], np.int64)


def _retries(bound: list[Bound], flags: set[Field]) -> np.ndarray:
    """For each system, -1, or where to go on if flags are set after it: it is the last of its phase that sets some,
    and that is the first.
    """
    found = np.full(len(bound), -1)
    for _, group in itertools.groupby(range(len(bound)), lambda i: bound[i].system.phase):
        setting = [i for i in group if bound[i].system.writes & flags]
        if setting:
            found[setting[-1]] = setting[0]
    return found
