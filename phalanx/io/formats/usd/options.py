"""What a stage's physics scene suggests for the world."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.values import Reading

EARTH = 9.81
"""m/s^2, where a scene does not say."""


@dataclass
class Options:
    """Suggestions; nothing of them is applied for you.

    ``timestep`` in s, ``None`` where the file has no opinion; ``gravity`` in m/s^2, world frame.
    """

    timestep: float | None = None
    gravity: tuple[float, float, float] = (0.0, 0.0, -EARTH)


def options_of(reading: Reading) -> Options:
    """Those of the first physics scene of a stage."""
    scenes = reading.scenes
    if not scenes:
        return Options()
    if len(scenes) > 1:
        reading.notes.add(scenes[1], "a world is one scene; suggestions are taken from the first.")
    return of_scene(reading, scenes[0])


def of_scene(reading: Reading, scene: Prim) -> Options:
    """Those of a physics scene."""
    direction = reading.vector(scene, "physics:gravityDirection", (0.0, 0.0, 0.0))
    magnitude = reading.number(scene, "physics:gravityMagnitude", -math.inf, infinite=True)
    size = EARTH if magnitude < 0.0 else magnitude * reading.units.length
    if not math.isfinite(size):
        raise reading.error(scene, "physics:gravityMagnitude must be finite, or negative for that of the Earth.")
    down = np.array([0.0, 0.0, -1.0])
    if direction.any():
        down = reading.units.upright @ direction / np.linalg.norm(direction)
    x, y, z = (size * down + 0.0).tolist()
    rates = (
        reading.number(scene, name, 0.0)
        for name in ("physxScene:timeStepsPerSecond", "newton:timeStepsPerSecond")
        if reading.authored(scene, name)
    )
    rate = next((one for one in rates if one > 0.0), None)
    return Options(None if rate is None else 1.0 / rate, (x, y, z))
