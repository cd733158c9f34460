"""What passes an edge is not touched by it: no change at all, whatever the step, and what does not pass is stopped."""

from __future__ import annotations

import numpy as np
import pytest
from ecs.team_emulator import run_team_system
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx import components as c
from phalanx.ecs.sequences.stand_ins import substituted
from phalanx.systems import STEP
from phalanx.systems.collision import near_miss_teams, near_misses

SPEEDS = np.array([2.0, 5.0, 10.0, 2.0, 10.0, 30.0])
GAPS = np.array([0.002, 0.003, 0.005, 0.005, 0.002, 0.02])
FLYERS = {
    "foot": (px.Shape("box", (0.01, 0.01, 0.01)), 0.01),
    "ball": (px.Shape("sphere", (0.02,)), 0.02),
    "capsule": (px.Shape("capsule", (0.01, 0.02)), 0.03),
    "cylinder": (px.Shape("cylinder", (0.02, 0.02)), 0.02),
}
"""And how far they reach below their origins, m."""
CORNERS = np.array([[x, y, z] for x in (0.0, 1.0) for y in (-5.0, 5.0) for z in (-0.1, 0.0)])
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
BLOCKS = {
    "box": (px.Shape("box", (0.5, 5.0, 0.05)), (0.5, 0.0, -0.05)),
    "hull": (px.Shape("mesh", vertices=CORNERS), (0.0, 0.0, 0.0)),
    "mesh": (px.Shape("mesh", vertices=CORNERS, faces=SIDES, approximation="triangle_mesh"), (0.0, 0.0, 0.0)),
}
"""A block from x = 0 to 1 m whose top is at z = 0, and where it is placed."""


def fly(device: str, dt: float, block: str, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bodies fly at a block's edge, their lowest points at (n,) heights above its top.

    Returns:
        (bodies, n, 6) velocities half a second later, m/s and rad/s, and (bodies, n) the heights then.
    """
    world = px.World(len(heights), device, dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_rigid_object(BLOCKS[block][0], "block", kind="static", position=BLOCKS[block][1])
    bodies = [world.add_rigid_object(shape, name, mass=0.1) for name, (shape, _) in FLYERS.items()]
    for i, (body, (_, below)) in enumerate(zip(bodies, FLYERS.values(), strict=True)):
        pose = np.zeros((len(heights), 7))
        pose[:, :4] = np.column_stack(
            [np.full((len(heights), 2), [-0.3, i - 1.5]), heights + below, np.ones(len(heights))]
        )
        velocity = np.zeros((len(heights), 6))
        velocity[:, 0] = SPEEDS
        body.set_root_state(pose=pose, vel=velocity)
    for _ in range(round(0.5 / dt)):
        world.step()
    above = [host(b.root_pose)[:, 2] - below for b, (_, below) in zip(bodies, FLYERS.values(), strict=True)]
    return np.array([host(body.root_vel) for body in bodies]), np.array(above)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 200, 1 / 1000])
def test_what_passes_above_an_edge_flies_on(block: str, dt: float, device: str) -> None:
    """2 to 5 mm above it at 2 to 10 m/s, and 20 mm at 30 m/s: velocities and heights stay what they are, to the bit."""
    velocity, height = fly(device, dt, block, GAPS)
    straight = np.zeros_like(velocity)
    straight[..., 0] = SPEEDS
    np.testing.assert_array_equal(velocity, straight)
    np.testing.assert_allclose(height, np.broadcast_to(GAPS, height.shape), atol=1e-7)


@pytest.mark.parametrize("block", BLOCKS)
def test_what_strikes_the_side_is_stopped(block: str, device: str) -> None:
    """The same flights 5 cm lower: none goes on."""
    velocity, _ = fly(device, 1 / 60, block, GAPS - 0.05)
    assert np.abs(velocity[..., 0]).max() < 0.6 * SPEEDS.min()


def test_a_warp_finds_the_same_near_misses() -> None:
    """What runs on a GPU, by threads of Python, against the system that it stands in for, with made up near misses."""
    world = px.World(3, "cpu", dt=1 / 60, contact_offset=0.02)
    world.add_ground()
    rng = np.random.default_rng(1)
    for i, (shape, below) in enumerate((*FLYERS.values(), *FLYERS.values())):
        world.add_rigid_object(shape, f"body{i}", mass=0.1, position=(0.04 * i, 0.0, below + 0.004))
    for body in world.actors.values():
        body.set_root_state(vel=rng.uniform(-0.5, 0.5, (3, 6)))
    world.step()
    store = world.engine.store
    assert near_miss_teams.drop_what_is_passed in substituted(
        world.engine.sequence(STEP), near_miss_teams.EXCHANGE, store.rows
    )
    found = host(store.view(c.Manifold.count))
    kept = 0
    for _ in range(12):
        store.set(c.Manifold.passed, rng.integers(0, np.minimum(found, 2) + 1))
        store.set(c.Manifold.clearance, 10.0 ** rng.uniform(-3.0, -1.5, found.shape))
        dropped = []
        for run in (
            lambda: store.program([near_misses.drop_near_misses]).run(),
            lambda: run_team_system(near_miss_teams.drop_what_is_passed, store),
        ):
            store.set(c.Manifold.dropped, 0)
            run()
            dropped.append(host(store.view(c.Manifold.dropped)).copy())
        np.testing.assert_array_equal(*dropped)
        kept += ((dropped[0] == 0) & (host(store.view(c.Manifold.passed)) > 0)).sum()
        assert dropped[0].any()
    assert kept > 10 and host(store.view(c.PointState.near)).any()


RING = np.array([[np.cos(a), np.sin(a), z] for a in np.arange(8) * np.pi / 4 for z in (-0.5, 0.5)]) * 0.02
CIRCLE = np.array([[np.cos(a), np.sin(a), z] for a in np.linspace(0, 2 * np.pi, 720) for z in (-1.0, 1.0)]) * 0.02
SPINNERS = {
    "prism": (px.Shape("mesh", vertices=RING), RING, 0.0),
    "cylinder": (px.Shape("cylinder", (0.02, 0.02)), CIRCLE, 0.0),
    "capsule": (px.Shape("capsule", (0.01, 0.02)), np.array([[0.0, 0.0, -0.02], [0.0, 0.0, 0.02]]), 0.01),
}
"""Shapes, points that they are the hulls of, and radii about those."""


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("dt", [1 / 60, 1 / 200])
def test_what_spins_above_an_edge_flies_on(block: str, dt: float, device: str) -> None:
    """Turned at random, at up to 50 rad/s about the vertical and 2 to 10 m/s, 2 to 5 mm above: nothing is touched.

    Shapes have nearly the same inertia about all axes, so that no corner comes down. Above meshes, points farther from
    an edge than the nearest one threw up 1 of 60 by up to half its speed.
    """
    count = 256
    rng = np.random.default_rng(1)
    turn = Rotation.random(count, rng)
    gaps, speeds, spins = rng.uniform(0.002, 0.005, count), rng.uniform(2, 10, count), rng.uniform(-50, 50, count)
    start, side = rng.uniform(-0.3, -0.1, count), rng.uniform(-0.2, 0.2, count)
    world = px.World(count, device, dt=dt, gravity=(0.0, 0.0, 0.0))
    world.add_rigid_object(BLOCKS[block][0], "block", kind="static", position=BLOCKS[block][1])
    bodies = []
    for i, (name, (shape, points, radius)) in enumerate(SPINNERS.items()):
        body = world.add_rigid_object(shape, name, mass=0.1)
        below = radius - np.array([one.apply(points)[:, 2].min() for one in turn])
        pose, velocity = np.zeros((count, 7)), np.zeros((count, 6))
        pose[:, :3] = np.column_stack([start, i - 1.0 + side, gaps + below])
        pose[:, 3:] = turn.as_quat(scalar_first=True)  # pyright: ignore[reportCallIssue]
        velocity[:, 0], velocity[:, 5] = speeds, spins
        bodies.append((body, pose, velocity))
    for body, pose, velocity in bodies:
        body.set_root_state(pose=pose, vel=velocity)
    world.step(round(0.25 / dt))
    for body, _, velocity in bodies:
        change = np.abs(host(body.root_vel)[:, :3] - velocity[:, :3]).max(axis=1)
        assert (change / speeds).max() < 1e-6
