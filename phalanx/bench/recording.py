"""What it costs to record every step."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from phalanx.bench.build import Setup
from phalanx.bench.measure import stretch
from phalanx.io.recordings.replay import open_recording


def recording_cost(setup: Setup, frames: int, repeats: int = 3) -> dict[str, Any]:
    """Seconds of the same run without and with a recorder of every step, by turns.

    The recorded run's seconds include writing out what is left at its end. ``slowdown`` is the share by which it takes
    longer, of medians; ``slowdown_of_least`` of the shortest runs, and ``cpu_slowdown`` of the processor time of this
    process, which tell more on a machine that has other work. The recording goes to the folder for temporary files, and
    is deleted. Before the clock runs, a step is made, which binds kernels and captures graphs.
    """
    world = setup.world
    plain, recorded = _Times(), _Times()
    size = values = 0
    for _ in range(repeats):
        world.reset()
        world.step()
        with plain:
            seconds = sum(stretch(setup, frame) for frame in range(frames))
        plain.seconds.append(seconds)
        world.reset()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.zarr"
            recorder = px.Recorder(world, path)
            world.step()
            with recorded, recorder:
                seconds = sum(stretch(setup, frame) for frame in range(frames))
                begin = time.perf_counter()
            recorded.seconds.append(seconds + time.perf_counter() - begin)
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
            values = sum(series.nbytes for series in _series(path))
    without, with_it = float(np.median(plain.seconds)), float(np.median(recorded.seconds))
    return {
        "steps": frames * setup.scene.hold,
        "seconds_without": without,
        "seconds_with": with_it,
        "slowdown": with_it / without - 1.0,
        "slowdown_of_least": min(recorded.seconds) / min(plain.seconds) - 1.0,
        "cpu_slowdown": float(np.median(recorded.cpu) / np.median(plain.cpu)) - 1.0,
        "bytes_of_values": values,
        "bytes_on_disk": size,
    }


class _Times:
    """Seconds of runs, and processor seconds of this process between entering and leaving."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.cpu: list[float] = []
        self._begin = 0.0

    def __enter__(self) -> None:
        self._begin = time.process_time()

    def __exit__(self, *_: object) -> None:
        self.cpu.append(time.process_time() - self._begin)


def _series(path: Path) -> list[Any]:
    return [series for _, actor in open_recording(path).recorded for series in actor.values()]
