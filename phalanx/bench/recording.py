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


def recording_cost(setup: Setup, frames: int, repeats: int = 3) -> dict[str, Any]:
    """Seconds of the same run without and with a recorder of every step, medians of turns taken alternately.

    The recorded run's seconds include writing out what is left at its end; ``slowdown`` is the share by which it takes
    longer. The recording goes to the folder for temporary files, and is deleted.
    """
    world = setup.world
    plain: list[float] = []
    recorded: list[float] = []
    size = 0
    for _ in range(repeats):
        world.reset()
        plain.append(sum(stretch(setup, frame) for frame in range(frames)))
        world.reset()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.zarr"
            recorder = px.Recorder(world, path)
            with recorder:
                seconds = sum(stretch(setup, frame) for frame in range(frames))
                begin = time.perf_counter()
            recorded.append(seconds + time.perf_counter() - begin)
            size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    without, with_it = float(np.median(plain)), float(np.median(recorded))
    return {
        "steps": frames * setup.scene.hold,
        "seconds_without": without,
        "seconds_with": with_it,
        "slowdown": with_it / without - 1.0,
        "bytes_on_disk": size,
    }
