"""The CUDA back end: systems become kernels, a step becomes one captured graph.

Everything that imports ``numba.cuda`` is here, so that another compiler can be tried in one place. Arrays are CuPy's,
wrapped once for Numba when a program is built (wrapping at each launch costs about 15 µs an array); all work goes to
one non-blocking stream; the sequence is captured at first use and replayed from then on.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

os.environ.setdefault("NUMBA_CUDA_ARRAY_INTERFACE_SYNC", "0")
os.environ.setdefault("NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS", "0")

import numba
import numpy as np
from llvmlite import ir as llvm
from numba import cuda
from numba.cuda.extending import intrinsic

from phalanx.ecs import codegen, trace
from phalanx.ecs.branches import Use, blocks, ends, turns
from phalanx.ecs.declare import Bound, System
from phalanx.ecs.flat import MOST_ITEMS, flat_arguments
from phalanx.ecs.teams import TEAM, is_team

THREADS = 128
"""Threads in a block."""

WIDE = 16
"""Blocks that share out the loop of a wide system, for the same environments."""

REGISTERS = 128
"""Most registers of a team's threads: more would leave half of a multiprocessor's warps out."""

array = carray = stack = None  # generated modules import the same names from both back ends
entry = None
helper = routine = cuda.jit(device=True)
kernel = scalar_kernel = cuda.jit(cache=True)
team_kernel = cuda.jit(cache=True, max_registers=REGISTERS)


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


def open_device(index: int) -> Any:
    """Select the CUDA device; returns CuPy's non-blocking stream on it.

    Raises:
        DeviceError: no driver, or no such device.
    """
    import cupy

    from phalanx.ecs.device import DeviceError

    try:
        count = cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise DeviceError(f'no CUDA device can be used on this machine ({error}); use device="cpu"') from error
    if index >= count:
        raise DeviceError(
            f"device cuda:{index} is not there; this machine has {count}, from cuda:0 to cuda:{count - 1}"
        )
    cupy.cuda.Device(index).use()
    cuda.select_device(index)
    return cupy.cuda.Stream(non_blocking=True)


def _uses(bound: list[Bound]) -> list[Use]:
    """What each kernel does with memory."""
    spans = [[(a.data.ptr, a.data.ptr + a.nbytes) for a in b.arguments if not isinstance(a, int)] for b in bound]
    number = blocks(span for each in spans for span in each)
    found = []
    for one, each in zip(bound, spans, strict=True):
        fields = list(zip(one.system.field_arguments.values(), (number[span] for span in each), strict=True))
        fields = [(access, n) for access, n in fields if not access.target.private]
        reads = frozenset(n for access, n in fields if access.reads)
        found.append(Use(reads, frozenset(n for access, n in fields if access.writes)))
    return found


def teams_at_once() -> int:
    """Teams that the selected device can run at the same time, each thread with as many registers as it may have."""
    device = cuda.get_current_device()
    return device.MULTIPROCESSOR_COUNT * device.MAX_REGISTERS_PER_BLOCK // (REGISTERS * TEAM)


def compile_system(system: System, shared: frozenset[str], real: str) -> Any:
    """The kernel of a system (compiled by Numba at its first launch, or loaded from the cache)."""
    generated = codegen.generate(system, shared, real, "cuda")
    return getattr(codegen.load(generated), generated.entry)


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
    generated = codegen.generate(system, shared, real, "cuda")
    dispatcher = getattr(codegen.load(generated), generated.entry)
    text, _ = cuda.compile_ptx(  # pyright: ignore[reportPrivateImportUsage]
        dispatcher.py_func, signature(generated.source), cc=compute_capability
    )
    return text


class Program:
    """Kernels bound to their arrays, replayed as one graph; its branches are those of :mod:`phalanx.ecs.branches`."""

    def __init__(self, bound: list[Bound], num_envs: int, stride: int, stream: Any) -> None:
        import cupy

        self.names = [b.system.name for b in bound]
        self._stream = stream
        self._turns = turns(_uses(bound))
        count = max((turn.stream for turn in self._turns), default=0)
        self._streams = [stream, *(cupy.cuda.Stream(non_blocking=True) for _ in range(count))]
        self._waited_for = {j for turn in self._turns for j in turn.waits} | set(ends(self._turns))
        self._launches = [self._launch(b, num_envs, stride) for b in bound]
        self._arrays = [b.arguments for b in bound]
        self._graph: Any = None

    def _launch(self, bound: Bound, num_envs: int, stride: int) -> Callable[[Any], None]:
        system = bound.system
        arguments = [self._wrapped(system, *given) for given in zip(system.arguments, bound.arguments, strict=True)]
        if is_team(system):
            shape: tuple[Any, ...] = (-(-num_envs * TEAM // THREADS), THREADS)
        else:
            rows = min(bound.rows, 65535) if system.over is not None and system.order == "parallel" else 1
            rows = WIDE if system.spreads else rows
            threads = THREADS if rows > 1 else 32  # sequential systems: small blocks reach more multiprocessors
            shape = (-(-num_envs // threads), max(rows, 1)), threads

        @cache
        def configured(pointer: int) -> Any:
            return bound.compiled[(*shape, cuda.external_stream(pointer))]

        return lambda stream: configured(stream.ptr)(num_envs, bound.rows, stride, *arguments)

    @staticmethod
    def _wrapped(system: System, name: str, argument: Any) -> Any:
        if isinstance(argument, int):
            return argument
        if argument.size >= MOST_ITEMS:
            key = system.arguments[name].target.key
            raise ValueError(f"{key} would have {argument.size} items, more than {MOST_ITEMS}: use fewer environments")
        is_flat = name in flat_arguments(system)
        return cuda.as_cuda_array(argument.reshape(-1) if is_flat else argument, sync=False)

    def run(self, steps: int = 1) -> None:
        """Queue the whole sequence ``steps`` times."""
        if not self._launches or steps < 1:
            return
        if trace.active():
            self._run_traced(steps)
            return
        if self._graph is None:
            self._queue()  # the first launch compiles, which a capture does not allow
            self._stream.begin_capture()
            self._queue()
            self._graph = self._stream.end_capture()
            steps -= 1
        for _ in range(steps):
            self._graph.launch(self._stream)

    def _queue(self) -> None:
        """Queue the sequence on its streams, which start and end with the first one."""
        import cupy

        begin = self._stream.record(cupy.cuda.Event(disable_timing=True))
        ended: dict[int, Any] = {}
        started = {0}
        for i, (turn, launch) in enumerate(zip(self._turns, self._launches, strict=True)):
            stream = self._streams[turn.stream]
            if turn.stream not in started:
                stream.wait_event(begin)
                started.add(turn.stream)
            for j in turn.waits:
                stream.wait_event(ended[j])
            launch(stream)
            if i in self._waited_for:
                ended[i] = stream.record(cupy.cuda.Event(disable_timing=True))
        for i in ends(self._turns):
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
