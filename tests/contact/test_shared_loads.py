"""Loads that rigid bodies could share in many ways: the sum of squares of the contact forces is the least.

MuJoCo 3 at dt 1/500 on the same table of 10 kg, N on its legs: 24.5 on each with the weight in the middle; 12.11,
26.06, 22.97, 36.96 with it at (0.1, 0.1); 24.1, 3.19, 45.91, 24.9 at (0.2, -0.15); 0, 5.54, 21.14, 71.41 at (0.4, 0.2).
"""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px

GRAVITY = 9.81
LEGS = np.array([(-0.45, -0.35), (-0.45, 0.35), (0.45, -0.35), (0.45, 0.35)])
FOOT = 0.02
"""m, half the width of a leg."""

WEIGHTS = np.array([10.0, 1000.0, 10.0, 10.0, 10.0])
"""kg, of the tables in the environments; the inertia is that of the first but for the ratio of masses."""

CENTRES = np.array([(0.0, 0.0), (0.0, 0.0), (0.1, 0.1), (0.2, -0.15), (0.4, 0.2)])
"""m, where their centres of mass are."""


def table(floor: str, device: str, real: str, rate: int, drop: float = 0.0) -> tuple[px.World, px.ContactView]:
    """A table of five boxes; each environment has another weight, and at another place."""
    world = px.World(len(WEIGHTS), device=device, dtype=real, dt=1 / rate)
    if floor == "ground":
        world.add_ground()
    if floor == "box":
        world.add_rigid_object(px.Shape("box", (1.0, 1.0, 0.1)), "floor", kind="static", position=(0, 0, -0.1))
    if floor == "tiles":
        for i, (x, y) in enumerate(LEGS):
            tile = px.Shape("box", (0.1, 0.1, 0.1))
            world.add_rigid_object(tile, f"tile{i}", kind="static", position=(float(x), float(y), -0.1))
    boxes = [px.Shape("box", (0.5, 0.4, 0.02), position=(0.0, 0.0, 0.42))]
    boxes += [px.Shape("box", (FOOT, FOOT, 0.2), position=(float(x), float(y), 0.2)) for x, y in LEGS]
    thing = world.add_rigid_object(boxes, "table", mass=10.0, position=(0.0, 0.0, drop))
    thing.set_mass(WEIGHTS, scale_inertia=True)
    thing.set_com(np.hstack([CENTRES, np.full((len(CENTRES), 1), 0.3)]))
    return world, world.contact_view("table", filters={"ground": "ground", "box": "floor", "tiles": "tile."}[floor])


def on_legs(view: px.ContactView) -> np.ndarray:
    """(num_envs, 4): the normal force on each leg, N."""
    data = view.contact_data()
    force, points = host(data.normal_forces), host(data.points)
    counts, starts = host(data.counts).astype(int), host(data.starts).astype(int)
    found = np.zeros((len(counts), len(LEGS)))
    for env, bodies in enumerate(counts):
        for pair, count in np.ndenumerate(bodies):
            for row in range(starts[env][pair], starts[env][pair] + count):
                found[env, np.argmin(((points[row, :2] - LEGS) ** 2).sum(axis=1))] += force[row]
    return found


def least_squares(points: np.ndarray, weight: float, centre: np.ndarray) -> np.ndarray:
    """Forces at points, none below zero, with the least sum of squares of those that carry a weight.

    Its dual: the forces are max(0, a + b x + c y), with the a, b, c for which they carry it; found by Newton's method.
    """
    rows = np.column_stack([np.ones(len(points)), points])
    wanted = weight * np.array([1.0, *centre])
    plane = np.linalg.solve(rows.T @ rows, wanted)
    for _ in range(100):
        force = np.maximum(rows @ plane, 0.0)
        bears = rows[force > 0]
        plane += 0.5 * np.linalg.lstsq(bears.T @ bears, wanted - rows.T @ force, rcond=None)[0]
    np.testing.assert_allclose(rows.T @ force, wanted, atol=1e-6 * weight)
    return force


@pytest.mark.parametrize("drop", [0.0, 0.001, 0.02])
@pytest.mark.parametrize("floor", ["ground", "box", "tiles"])
@pytest.mark.parametrize("rate", [60, 200, 1000])
@pytest.mark.parametrize("real", ["float32", pytest.param("float64", marks=pytest.mark.slow)])
def test_legs_of_a_table(real: str, rate: int, floor: str, drop: float, device: str) -> None:
    """Set down, or dropped: alike on all legs within 2 %, of lopsided ones the least squares within 5 % of the mean."""
    world, view = table(floor, device, real, rate, drop)
    world.step(round(1.5 * rate) if drop else 3)
    found = on_legs(view)
    np.testing.assert_allclose(found[:2], np.outer(WEIGHTS[:2], np.ones(4)) * GRAVITY / 4, rtol=0.02)
    corners = (LEGS[:, None] + FOOT * np.array([(-1, -1), (-1, 1), (1, -1), (1, 1)])).reshape(16, 2)
    for env in range(2, len(WEIGHTS)):
        weight = WEIGHTS[env] * GRAVITY
        expected = least_squares(corners, weight, CENTRES[env]).reshape(4, 4).sum(axis=1)
        np.testing.assert_allclose(found[env], expected, atol=0.05 * weight / 4)


@pytest.mark.parametrize("rate", [60, 200, 1000])
def test_many_feet(rate: int, device: str) -> None:
    """Six balls under a plate, the weight anywhere between them, in 64 environments: least squares, within 2 %."""
    angle = np.pi / 3 * np.arange(6)
    feet = np.stack([0.4 * np.cos(angle) + 0.05 * np.sin(2 * angle), 0.3 * np.sin(angle)], axis=1)
    world = px.World(64, device=device, dt=1 / rate)
    world.add_ground()
    shapes = [px.Shape("sphere", (0.05,), position=(float(x), float(y), 0.05)) for x, y in feet]
    thing = world.add_rigid_object(shapes, "plate", mass=5.0)
    within = np.random.default_rng(5).dirichlet(np.ones(6), 64) @ feet
    thing.set_com(np.hstack([within, np.full((64, 1), 0.1)]))
    world.step(rate // 2)
    view = world.contact_view("plate", filters="ground")
    world.step(1)
    data = view.contact_data()
    force, points = host(data.normal_forces), host(data.points)
    counts, starts = host(data.counts).astype(int), host(data.starts).astype(int)
    for env in range(64):
        found = np.zeros(6)
        for row in range(starts[env, 0, 0], starts[env, 0, 0] + counts[env, 0, 0]):
            found[np.argmin(((points[row, :2] - feet) ** 2).sum(axis=1))] += force[row]
        expected = least_squares(feet, 5.0 * GRAVITY, within[env])
        np.testing.assert_allclose(found, expected, atol=0.02 * 5.0 * GRAVITY / 6)


def test_pushed_sideways(device: str) -> None:
    """A table that friction holds against a push at its top: the turn of the push is shared like the weight."""
    world, view = table("ground", device, "float32", 200)
    push, height = 20.0, 0.3  # at the centre of mass
    world.objects["table"].set_external_wrench(force=[push, 0.0, 0.0])
    world.step(200)
    found = on_legs(view)
    for env in (0, 2, 3):
        weight = WEIGHTS[env] * GRAVITY
        shifted = CENTRES[env] + np.array([push * height / weight, 0.0])
        np.testing.assert_allclose(found[env], least_squares(LEGS, weight, shifted), atol=0.05 * weight / 4)


@pytest.mark.parametrize("rate", [60, 200, 1000])
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_feet_of_a_quadruped(real: str, rate: int, device: str) -> None:
    """Standing under PD: left and right alike within 1 %, least squares within 2 %, at most 1 % from step to step.

    Joints could press feet against each other; a robot that came to stand on its feet at once does not.
    """
    world = px.World(device=device, dtype=real, dt=1 / rate)
    world.add_ground()
    robot = world.add_robot("quadruped")
    robot.set_drive(stiffness=40.0, damping=1.0)
    world.step(2 * rate)
    feet = [robot.body_names.index(f"{leg}_foot") for leg in ("FL", "FR", "RL", "RR")]
    forces = []
    for _ in range(rate // 2):
        world.step()
        forces.append(host(robot.net_contact_force)[0, feet, 2])
    mean = np.mean(forces, axis=0)
    assert mean.sum() == pytest.approx(robot.mass * GRAVITY, rel=1e-3)
    np.testing.assert_allclose(mean[[0, 2]], mean[[1, 3]], rtol=0.01)
    points = host(robot.body_pose)[0, feet, :2]
    centre = mean @ points / mean.sum()
    np.testing.assert_allclose(mean, least_squares(points, mean.sum(), centre), atol=0.02 * mean.mean())
    assert np.abs(np.diff(forces, axis=0)).max() < 0.01 * mean.mean()
