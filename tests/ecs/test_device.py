"""A device's stream and the caller's: each sees what the other has queued before, from any thread."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phalanx as px
from phalanx.ecs.cuda import start
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


@pytest.mark.parametrize("current", [0, 3])
def test_opening_a_device_leaves_the_current_one(current: int) -> None:
    """Also when it fails on the way."""
    runtime: Any = _Runtime()
    runtime.device = current
    with start.current_device(runtime, 3):
        assert runtime.device == 3
    assert runtime.device == current
    with pytest.raises(ValueError, match="no"), start.current_device(runtime, 3):
        raise ValueError("no")
    assert runtime.device == current


class _Guarded:
    """NumPy, in whose place CuPy would make arrays on the device that is current: only within a device's own time."""

    def __init__(self) -> None:
        self.depth, self.calls = 0, 0

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *_: object) -> None:
        self.depth -= 1

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        if not callable(found) or isinstance(found, type):
            return found

        def call(*values: Any, **named: Any) -> Any:
            assert self.depth > 0, f"{name} is called while another device may be the current one"
            self.calls += 1
            return found(*values, **named)

        return call


def _within(guard: Any, method: Any) -> Any:
    def call(*values: Any) -> Any:
        assert guard.depth > 0, f"{method.__name__} is called while another device may be the current one"
        return method(*values)

    return call


def test_arrays_are_made_while_their_device_is_the_current_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With NumPy as a stand-in for CuPy: a world that is built, stepped, read, written, reset, saved and asked."""
    guard: Any = _Guarded()
    made = Device.__init__

    def init(self: Device, name: str) -> None:
        made(self, name)
        self.xp = guard

    monkeypatch.setattr(Device, "__init__", init)
    monkeypatch.setattr(Device, "active", lambda self: guard)
    for name in ("compile", "program"):  # which load kernels onto the current device
        monkeypatch.setattr(Device, name, _within(guard, getattr(Device, name)))
    monkeypatch.setattr(Device, "in_order_with", lambda self, stream: guard)
    world = px.World(2)
    world.add_ground()
    robot = world.add_robot("quadruped")
    world.step(2)
    for name in sorted(name for name in dir(type(robot)) if not name.startswith("_")):
        getattr(robot, name)
    robot.set_targets(pos=np.zeros((2, 12)))
    robot.set_joint_state(pos=np.zeros((1, 12)), env_ids=[1])
    robot.set_drive(stiffness=20.0, damping=1.0)
    robot.set_material(0.5, 0.4)
    robot.set_body_mass_properties(mass=1.1 * robot.body_mass)
    world.reset(env_ids=[1])
    world.step()
    world.queries.raycast([[0.0, 0.0, 2.0]], [[0.0, 0.0, -1.0]])
    world.save(tmp_path / "world.npz")
    world.load(tmp_path / "world.npz")
    world.step()
    world.check()
    assert guard.calls > 100 and guard.depth == 0


@pytest.mark.gpu
def test_worlds_on_two_devices_take_turns(gpu: str) -> None:
    """Each does what it does alone; needs two GPUs."""
    import cupy  # pyright: ignore[reportMissingImports]

    if cupy.cuda.runtime.getDeviceCount() < 2:
        pytest.skip("there is one GPU")
    worlds = [px.World(4, device=f"cuda:{n}") for n in range(2)]
    assert cupy.cuda.runtime.getDevice() == 0
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
