"""A device's stream and the caller's: each sees what the other has queued before, from any thread."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from phalanx.ecs.device import Device

NUMBERS = 1 << 24
TURNS = 50


def test_cpu_has_no_streams() -> None:
    device = Device("cpu")
    with device.active() as outer, device.in_order_with(None) as inner:
        assert outer is None and inner is None


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
