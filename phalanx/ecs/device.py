"""Devices: where the arrays of a store live, and what compiles and runs its systems."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from phalanx.ecs.ahead.precompile import precompile
from phalanx.ecs.declare import Bound, Field, System
from phalanx.ecs.errors import DeviceError
from phalanx.ecs.text.codegen import generate


class Device:
    """Where a store lives: ``"cpu"`` or ``"cuda:N"``. ``xp`` is the array module, NumPy or CuPy.

    ``"cuda"`` and ``"gpu"`` are the first GPU, ``"gpu:N"`` is ``"cuda:N"``.
    """

    def __init__(self, name: str) -> None:
        asked = name
        if isinstance(name, str) and name.partition(":")[0] == "gpu":
            name = "cuda" + name[3:]
        self.name = name
        self.xp: Any
        self._compiler: Any
        self._programs: Any
        if name == "cpu":
            from phalanx.ecs.cpu import kernels as cpu
            from phalanx.ecs.cpu import program as cpu_program

            self.xp, self.stream = np, None
            self._compiler, self._programs = cpu, cpu_program
        elif name == "cuda" or (isinstance(name, str) and name.startswith("cuda:") and name[5:].isdigit()):
            index = int(name[5:] or 0) if ":" in name else 0
            missing = [m for m in ("cupy", "numba_cuda") if importlib.util.find_spec(m) is None]
            if missing:
                raise DeviceError(
                    f'device "{asked}" needs {" and ".join(missing)}: install "phalanx[cuda12]" or "phalanx[cuda13]", '
                    'as your driver allows, or use device="cpu"'
                )
            from phalanx.ecs.cuda.start import open_device

            self.stream = open_device(index)
            import cupy

            from phalanx.ecs.cuda import kernels as cuda
            from phalanx.ecs.cuda import program as cuda_program

            self.name, self.xp = f"cuda:{index}", cupy
            self._compiler, self._programs = cuda, cuda_program
            self._events, self._index = _Events(index), index
        else:
            raise DeviceError(f'device {asked!r}: must be "cpu", "cuda", "cuda:N" or "gpu" (worlds take "auto", too)')

    @property
    def is_cuda(self) -> bool:
        """Whether arrays live on a GPU."""
        return self.stream is not None

    @cached_property
    def teams_at_once(self) -> int:
        """Environments whose teams of threads run at the same time; 0 on a CPU, which has none."""
        with self.active():
            return self._programs.teams_at_once() if self.is_cuda else 0

    def most_lanes(self, num_envs: int) -> int:
        """Environments of a block, at most, in a world of so many: rows of arrays hold whole blocks."""
        return int(self._programs.most_lanes(num_envs))

    def compile(self, system: System, shared: frozenset[str], real: str) -> Any:
        """The native function or kernel of a system."""
        from phalanx.ecs.cache.kernels import LostKernel

        try:
            return self._compiler.compile_system(system, shared, real)
        except LostKernel:
            self.precompile([(system, shared)], real)  # in a process of its own, as any other
            return self._compiler.compile_system(system, shared, real)

    def precompile(self, kernels: Iterable[tuple[System, frozenset[str]]], real: str) -> None:
        """Compile what is missing from the disk cache, in several processes where that is faster."""
        if self.is_cuda:
            index = self._index
            with self.xp.cuda.Device(index):
                free_bytes, _ = self.xp.cuda.runtime.memGetInfo()
            precompile(
                (generate(system, shared, real, "cuda") for system, shared in kernels), "cuda", index, free_bytes
            )
        else:
            precompile((generate(system, shared, real, "cpu") for system, shared in kernels), "cpu")

    def program(self, bound: list[Bound], num_envs: int, stride: int, flags: Mapping[Field, Any] | None = None) -> Any:
        """A runnable sequence of compiled systems; on a CPU it stops where flags are set."""
        if self.stream is not None:
            return self._programs.Program(bound, num_envs, stride, self.stream)
        return self._programs.Program(bound, num_envs, stride, flags)

    def active(self) -> Any:
        """:meth:`in_order_with` the caller's own stream, which is CuPy's current one on this device."""
        return _NOTHING if self.stream is None else self.in_order_with(self.xp.cuda.get_current_stream(self._index))

    def in_order_with(self, stream: Any) -> Any:
        """A context in which array operations go to this device's stream, in order with a stream of the caller's.

        On entry this device waits for what the caller has queued, on exit the caller's stream waits for this device: so
        arrays may be handed over, and freed, on either side. Within it this device is the current one, after it the
        one that was.

        Args:
            stream: CuPy's object for a stream of this device; not looked at on a CPU.
        """
        if self.stream is None:
            return _NOTHING
        return _InOrder(self.stream, stream, self._events, self._index, self.xp.cuda.runtime)

    def accept(self, value: Any) -> Any:
        """An array from anything array-like; device arrays stay on the device, all else becomes NumPy's."""
        if self.stream is not None and hasattr(value, "__cuda_array_interface__"):
            return self.xp.asarray(value)
        if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray | np.generic):
            try:
                return np.from_dlpack(value)
            except (RuntimeError, TypeError, BufferError):
                return np.asarray(value)
        return np.asarray(value)

    def synchronize(self) -> None:
        """Wait until everything queued has run."""
        if self.stream is not None:
            self.stream.synchronize()

    def to_host(self, array: Any) -> np.ndarray:
        """A NumPy copy, after everything queued has run."""
        if self.stream is None:
            return np.array(array)
        with self.active():
            return self.xp.asnumpy(array)


def cuda_available() -> bool:
    """Whether CuPy is installed and finds a device."""
    if importlib.util.find_spec("cupy") is None or importlib.util.find_spec("numba_cuda") is None:
        return False
    import cupy

    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


class _Events(threading.local):
    """A thread's event by which one stream waits for another.

    A wait is for what was recorded last when it is queued, and each follows upon its record in the same thread; so the
    event can be used again at once, and making one takes longer than recording it.
    """

    def __init__(self, index: int) -> None:
        import cupy

        with cupy.cuda.Device(index):
            self.event = cupy.cuda.Event(disable_timing=True)


class _InOrder:
    """See :meth:`Device.in_order_with`."""

    def __init__(self, stream: Any, caller: Any, events: _Events, index: int, runtime: Any) -> None:
        self._stream, self._caller = stream, caller
        self._event = events.event if caller.ptr != stream.ptr else None
        self._index, self._runtime, self._before = index, runtime, index

    def __enter__(self) -> None:
        self._before = self._runtime.getDevice()
        if self._before != self._index:  # a world on another device was made, or stepped, in between
            self._runtime.setDevice(self._index)
        if self._event is not None:
            self._stream.wait_event(self._caller.record(self._event))
        self._stream.__enter__()

    def __exit__(self, *error: Any) -> None:
        self._stream.__exit__(*error)
        if self._event is not None:
            self._caller.wait_event(self._stream.record(self._event))
        if self._before != self._index:
            self._runtime.setDevice(self._before)


class _Nothing:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


_NOTHING = _Nothing()
