"""A device's stream and the caller's: each sees what the other has queued before, from any thread."""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import Any

import pytest

import phalanx as px
from phalanx.ecs.device import Device, _InOrder

NUMBERS = 1 << 24
TURNS = 50


def test_cpu_has_no_streams() -> None:
    device = Device("cpu")
    with device.active() as outer, device.in_order_with(None) as inner:
        assert outer is None and inner is None


class _Runtime:
    """CUDA's current device, and what is done on which."""

    def __init__(self) -> None:
        self.device, self.done = 0, list[tuple[str, int]]()

    def getDevice(self) -> int:
        return self.device

    def setDevice(self, index: int) -> None:
        self.device = index


class _Stream:
    def __init__(self, runtime: _Runtime, ptr: int) -> None:
        self._runtime, self.ptr = runtime, ptr

    def _note(self, what: str) -> None:
        self._runtime.done.append((what, self._runtime.device))

    def __enter__(self) -> None:
        self._note("enter")

    def __exit__(self, *_: object) -> None:
        self._note("exit")

    def record(self, event: object) -> object:
        self._note("record")
        return event

    def wait_event(self, event: object) -> None:
        self._note("wait")


class _Event:
    event = object()


@pytest.mark.parametrize("current", [0, 1])
def test_work_is_done_on_its_own_device_and_the_current_one_stays(current: int) -> None:
    """With stand-ins for CUDA: two devices in one process."""
    runtime: Any = _Runtime()
    runtime.device = current
    events: Any = _Event()
    with _InOrder(_Stream(runtime, 1), _Stream(runtime, 2), events, 1, runtime):
        assert runtime.device == 1
    assert runtime.device == current
    whats = ["record", "wait", "enter", "exit", "record", "wait"]
    assert runtime.done == [(what, 1) for what in whats]


@pytest.mark.gpu
def test_worlds_on_two_devices_take_turns(gpu: str) -> None:
    """Each does what it does alone; needs two GPUs."""
    import cupy  # pyright: ignore[reportMissingImports]

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    worlds = [px.World(4, device=f"cuda:{n}") for n in range(2)]
    robots = [world.add_robot("double_pendulum") for world in worlds]
    for _ in range(20):
        for world in worlds:
            world.step(3)
    ends = [robot.joint_pos.get() for robot in robots]
    assert (ends[0] == ends[1]).all()
    assert [robot.joint_pos.device.id for robot in robots] == [0, 1]


@pytest.mark.gpu
def test_small_launches_are_no_warnings(gpu: str) -> None:
    """Also where Numba was imported, and read its environment, before a GPU was asked for."""
    program = (
        "import warnings, numba, phalanx as px\n"
        "warnings.simplefilter('error', numba.errors.NumbaPerformanceWarning)\n"
        f"for device in ('cpu', {gpu!r}):\n"
        "    world = px.World(num_envs=1, device=device)\n"
        "    world.add_robot('double_pendulum')\n"
        "    world.step()\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.gpu
def test_streams_wait_for_each_other(gpu: str) -> None:
    """Each adds one to all of an array in turn; without order some would be lost, or the sum be taken early."""
    device = Device(gpu)
    caller = device.xp.cuda.Stream(non_blocking=True)
    with caller:
        numbers = device.xp.zeros(NUMBERS, "float32")
        for _ in range(TURNS):
            numbers += 1
            with device.active(), device.active():
                numbers += 1
        found = device.xp.asnumpy(numbers)
    assert found.min() == found.max() == 2 * TURNS


@pytest.mark.gpu
def test_threads_wait_each_for_its_own(gpu: str) -> None:
    """Threads with streams of their own use one device; each sees its own numbers."""
    device = Device(gpu)
    found: dict[int, bool] = {}

    def work(thread: int) -> None:
        with device.xp.cuda.Device(int(device.name[5:])), device.xp.cuda.Stream(non_blocking=True):
            right = True
            for turn in range(TURNS):
                numbers = device.xp.full(NUMBERS // 16, turn, "float32")
                with device.active():
                    numbers += thread
                right &= bool((numbers == turn + thread).all())
            found[thread] = right

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: True, 1: True, 2: True}
