"""A ball hits another one off centre: directions and speeds against those of hard, smooth balls.

The ball that is hit leaves along the line of centres at the moment of the impact, with (1 + e) / 2 of the speed along
it. Balls go up to their own size in a substep here, so neither the line at its start nor that at its end will do.

MuJoCo 3 on the same (restitution 1 as solref -1e5 0, condim 1): off by up to 12 degrees at 1/240, by up to 60 at 1/60.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px

RADIUS = 0.0285
SPEEDS = np.array([1.0, 2.0, 3.0])
OFFSETS = np.array([0.0, 0.25, 0.5, 0.75, 0.9])
"""How far the line of the first ball passes the second one, of the distance of centres at impact."""
PHASES = np.arange(7) / 7
"""Of a step, by which the impact is later."""


@pytest.mark.parametrize("on_table", [False, True])
@pytest.mark.parametrize("restitution", [1.0, 0.9, 0.5])
@pytest.mark.parametrize("rate", [60, 200, 240, 1000])
def test_oblique_hits(rate: int, restitution: float, on_table: bool, device: str) -> None:
    """Velocities of both within 2 % of the speed before, in float32; and what both have together within 0.01 %."""
    speed, offset, phase = (x.ravel() for x in np.meshgrid(SPEEDS, OFFSETS, PHASES, indexing="ij"))
    count = len(speed)
    world = px.World(count, device=device, dt=1 / rate, gravity=(0.0, 0.0, -9.81 if on_table else 0.0))
    if on_table:
        world.add_ground(friction=0.0, restitution=0.0)
    ball = px.Shape("sphere", (RADIUS,))
    material = px.Material(0.0, 0.0, restitution, restitution_combine="min" if on_table else "average")
    first = world.add_rigid_object(ball, "first", mass=0.17, material=material)
    second = world.add_rigid_object(ball, "second", mass=0.17, position=(0.0, 0.0, RADIUS), material=material)
    aside = 2.0 * RADIUS * offset
    pose = np.zeros((count, 7))
    pose[:, 0], pose[:, 1], pose[:, 2], pose[:, 3] = -0.15 - phase * speed / rate, aside, RADIUS, 1.0
    velocity = np.zeros((count, 6))
    velocity[:, 0] = speed
    first.set_root_state(pose=pose, vel=velocity)
    world.step(round(0.4 * rate))
    line = np.stack([np.sqrt(1 - offset**2), -offset, 0.0 * offset], axis=1)
    gains = (0.5 * (1 + restitution) * speed * line[:, 0])[:, None] * line
    found_first, found_second = host(first.root_vel)[:, :3], host(second.root_vel)[:, :3]
    assert np.abs((found_second - gains) / speed[:, None]).max() < 0.02
    assert np.abs((found_first - (velocity[:, :3] - gains)) / speed[:, None]).max() < 0.02
    assert np.abs((found_first + found_second - velocity[:, :3])[:, :2] / speed[:, None]).max() < 1e-4
