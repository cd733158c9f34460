"""Programs on CUDA: kernels bound to their arrays, a step as one captured graph.

Arrays are CuPy's, wrapped once for Numba when a program is built (wrapping at each launch costs about 15 µs an array);
all work goes to one non-blocking stream; the sequence is captured at first use and replayed from then on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from phalanx.ecs import trace
from phalanx.ecs.cuda.kernels import NARROW, REGISTERS, cuda
from phalanx.ecs.cuda.streams import Use, blocks, ends, turns
from phalanx.ecs.declare import Bound, System
from phalanx.ecs.text.addresses import MOST_ITEMS, flat_arguments
from phalanx.ecs.text.row_sums import LANES, SHARES
from phalanx.ecs.text.team_language import THREADS
from phalanx.ecs.text.teams import TEAM, is_team

TOGETHER = 4
"""Steps of one graph, where so many are asked for: one begins while the step before has yet to end."""

LONG = 256
"""Kernels of a step that is long enough alone: the time to find what may run beside what grows with their square."""

BLOCKS = 2048
"""Most blocks of a system that knows how many of its table's slots are in use: one that starts for nothing takes as
long as a load, and most of thousands of slots are empty. As many as an H100 or H200 holds at once."""

WIDE = 16
"""Blocks that share out the loop of a wide system, for the same environments."""


def teams_at_once() -> int:
    """Teams that the selected device can run at the same time, each thread with as many registers as it may have."""
    device = cuda.get_current_device()
    return device.MULTIPROCESSOR_COUNT * device.MAX_REGISTERS_PER_BLOCK // (REGISTERS * TEAM)


def most_lanes(num_envs: int) -> int:
    """Environments that rows hold a multiple of, in worlds of whatever size."""
    return THREADS // 4


def block_bytes(system: System, count: int) -> int:
    """Memory to give each of so many blocks of teams, where a system wants some.

    As much as lets as many blocks be there at once as there are, or as registers let there be.
    """
    least, most = system.room
    if most == 0:
        return 0
    device, threads = cuda.get_current_device(), system.block_threads
    at_once = device.MAX_REGISTERS_PER_MULTIPROCESSOR // (REGISTERS * threads)
    at_once = min(-(-count // device.MULTIPROCESSOR_COUNT), at_once)
    bytes_ = device.MAX_SHARED_MEMORY_PER_MULTIPROCESSOR // at_once - device.RESERVED_SHARED_MEMORY_PER_BLOCK
    teams = threads // system.team_size
    room = min(bytes_, device.MAX_SHARED_MEMORY_PER_BLOCK) // (16 * teams) * 4
    return 4 * teams * min(max(room, least), most)


class Program:
    """Kernels bound to their arrays, replayed as one graph; its branches are those of
    :mod:`phalanx.ecs.cuda.streams`.
    """

    def __init__(self, bound: list[Bound], num_envs: int, stride: int, stream: Any) -> None:
        self.names = [b.system.name for b in bound]
        self._stream = stream
        self._streams = [stream]
        self._uses = _uses(bound)
        self._launches = [self._launch(b, num_envs, stride) for b in bound]
        self._arrays = [b.arguments for b in bound]
        self._graphs: dict[int, Any] = {}

    def _launch(self, bound: Bound, num_envs: int, stride: int) -> Callable[[Any], None]:
        system, given = bound.system, 0
        arguments = [self._wrapped(system, *one) for one in zip(system.arguments, bound.arguments, strict=True)]
        if system.program is not None:
            shape: tuple[Any, ...] = (-(-num_envs // NARROW), system.program.parts), NARROW
        elif is_team(system) or system.is_native:
            size = system.team_size or TEAM
            threads = system.block_threads or THREADS
            columns, rows = -(-num_envs * size // threads), bound.rows
            if system.apiece:
                rows = max(min(-(-rows // system.apiece), BLOCKS // columns), 1)
            shape = (columns, rows), threads
            given = block_bytes(system, shape[0][0] * bound.rows)
        else:
            rows = min(bound.rows, 65535) if system.over is not None and system.order == "parallel" else 1
            rows = WIDE if system.spreads else rows
            threads = THREADS if rows > 1 else NARROW
            columns = -(-num_envs // threads)
            rows = min(rows, max(BLOCKS // columns, 1)) if system.used else rows
            shape = (columns, max(rows, 1)), threads
            if system.sums:
                real = next(str(a.dtype) for a in bound.arguments if not isinstance(a, int) and a.dtype.kind == "f")
                wide = min(LANES, 1 << (num_envs - 1).bit_length())  # no threads for environments that are not there
                shape = (-(-num_envs // LANES), rows), (wide, SHARES[real])
            elif system.in_step and num_envs < THREADS:  # few environments: threads of a block share out rows
                wide = 1 << (num_envs - 1).bit_length()
                most = BLOCKS if system.used else 65535
                shape = (1, max(min(-(-bound.rows * wide // THREADS), most), 1)), (wide, THREADS // wide)

        @cache
        def configured(pointer: int) -> Any:
            return bound.compiled[(*shape, cuda.external_stream(pointer), given)]

        return lambda stream: configured(stream.ptr)(num_envs, bound.rows, stride, *arguments)

    @staticmethod
    def _wrapped(system: System, name: str, argument: Any) -> Any:
        if isinstance(argument, int):
            return argument
        if argument.size >= MOST_ITEMS:
            key = system.arguments[name].target.key
            raise ValueError(f"{key} would have {argument.size} items, more than {MOST_ITEMS}: use fewer environments")
        is_flat = system.program is not None or name in flat_arguments(system)
        return cuda.as_cuda_array(argument.reshape(-1) if is_flat else argument, sync=False)

    @property
    def stopped(self) -> np.ndarray:
        """Environments that have steps left: none."""
        return np.zeros(0, np.int64)

    def run(self, steps: int = 1) -> None:
        """Queue the whole sequence ``steps`` times."""
        if not self._launches or steps < 1:
            return
        if trace.active():
            self._run_traced(steps)
            return
        if not self._graphs:
            self._queue(1)  # the first launch compiles, which a capture does not allow
            self._graphs[1] = self._captured(1)
            steps -= 1
        together = TOGETHER if len(self._launches) <= LONG else 1
        if steps >= together and together not in self._graphs:
            self._graphs[together] = self._captured(together)
        for _ in range(steps // together):
            self._graphs[together].launch(self._stream)
        for _ in range(steps % together):
            self._graphs[1].launch(self._stream)

    def _captured(self, steps: int) -> Any:
        self._stream.begin_capture()
        self._queue(steps)
        return self._stream.end_capture()

    def _queue(self, steps: int) -> None:
        """Queue the sequence, some times over, on its streams, which start and end with the first one."""
        import cupy

        plan = turns(self._uses * steps)
        count = max((turn.stream for turn in plan), default=0)
        while len(self._streams) <= count:
            self._streams.append(cupy.cuda.Stream(non_blocking=True))
        waited_for = {j for turn in plan for j in turn.waits} | set(ends(plan))
        begin = self._stream.record(cupy.cuda.Event(disable_timing=True))
        ended: dict[int, Any] = {}
        started = {0}
        for i, (turn, launch) in enumerate(zip(plan, self._launches * steps, strict=True)):
            stream = self._streams[turn.stream]
            if turn.stream not in started:
                stream.wait_event(begin)
                started.add(turn.stream)
            for j in turn.waits:
                stream.wait_event(ended[j])
            launch(stream)
            if i in waited_for:
                ended[i] = stream.record(cupy.cuda.Event(disable_timing=True))
        for i in ends(plan):
            self._stream.wait_event(ended[i])

    def _run_traced(self, steps: int) -> None:
        from cupy.cuda import nvtx  # pyright: ignore[reportMissingImports]

        with self._stream:
            for name, launch in list(zip(self.names, self._launches, strict=True)) * steps:
                with trace.region(name):
                    nvtx.RangePush(name)
                    launch(self._stream)
                    self._stream.synchronize()
                    nvtx.RangePop()

    def time(self, steps: int) -> dict[str, float]:
        """Seconds per step in each system: median over ``steps``, by CUDA events around a graph of that system
        alone; the sum over its turns if it has several in a step.
        """
        import cupy

        samples: list[list[float]] = [[] for _ in self.names]
        with self._stream:
            graphs = []
            for launch in self._launches:
                launch(self._stream)
                self._stream.begin_capture()
                launch(self._stream)
                graphs.append(self._stream.end_capture())
            for _ in range(steps):
                for taken, graph in zip(samples, graphs, strict=True):
                    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
                    begin.record(self._stream)
                    graph.launch(self._stream)
                    end.record(self._stream)
                    end.synchronize()
                    taken.append(cupy.cuda.get_elapsed_time(begin, end) * 1e-3)
        spent = dict.fromkeys(self.names, 0.0)
        for name, taken in zip(self.names, samples, strict=True):
            spent[name] += float(np.median(taken))
        return spent

    def synchronize(self) -> None:
        """Wait for the device."""
        self._stream.synchronize()


def _uses(bound: list[Bound]) -> list[Use]:
    """What each kernel does with memory."""
    spans = [[(a.data.ptr, a.data.ptr + a.nbytes) for a in b.arguments if not isinstance(a, int)] for b in bound]
    number = blocks(span for each in spans for span in each)
    found = []
    for one, each in zip(bound, spans, strict=True):
        fields = list(zip(one.system.field_arguments.values(), (number[span] for span in each), strict=True))
        fields = [(access, n) for access, n in fields if not access.target.private]
        reads = frozenset(n for access, n in fields if access.reads)
        found.append(Use(reads, frozenset(n for access, n in fields if access.writes), one.system.apart))
    return found
