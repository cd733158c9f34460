"""Slender bodies that strike something at long steps: a blow, with friction or without, does not add energy."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import floor_mesh
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px

RATE = 60
MASS = 0.1
RADIUS, HALF = 0.005, 0.1
BAR = (0.3, 0.01, 0.01)
SPEEDS = np.repeat([2.0, 5.0, 10.0, 20.0], 64)


def moments(kind: str) -> np.ndarray:
    """(3,) kg m^2 about the centre of mass, of a homogeneous capsule along z or a bar along x."""
    if kind == "bar":
        square = np.square(BAR)
        return MASS / 3.0 * (square.sum() - square)
    tube, ball = np.pi * RADIUS**2 * 2.0 * HALF, 4.0 / 3.0 * np.pi * RADIUS**3
    tube, ball = MASS * tube / (tube + ball), MASS * ball / (tube + ball)
    across = tube * (3.0 * RADIUS**2 + 4.0 * HALF**2) / 12.0
    across += ball * (0.4 * RADIUS**2 + HALF**2 + 0.75 * HALF * RADIUS)
    return np.array([across, across, (0.5 * tube + 0.4 * ball) * RADIUS**2])


def most_energy(wall: str, kind: str, friction: float, device: str) -> np.ndarray:
    """(256,): the most kinetic energy that each had within two seconds, as a multiple of what it began with.

    They fly at a wall in z = 0 at 2 to 20 m/s, up to 70 degrees aslant, turned at random, turning at 10 rad/s.
    """
    count = len(SPEEDS)
    world = px.World(count, device, dt=1.0 / RATE, gravity=(0.0, 0.0, 0.0))
    surface = px.Material(friction, friction, 0.0)
    if wall == "ground":
        world.add_ground(friction=friction, restitution=0.0)
    elif wall == "box":
        box = px.Shape("box", (5.0, 5.0, 0.5))
        world.add_rigid_object(box, "wall", kind="static", position=(0.0, 0.0, -0.5), material=surface)
    else:
        world.add_rigid_object(floor_mesh(10.0, 10.0, 10.0), "wall", kind="static", material=surface)
    shape = px.Shape("box", BAR) if kind == "bar" else px.Shape("capsule", (RADIUS, HALF))
    body = world.add_rigid_object(shape, kind, mass=MASS, material=surface)
    rng = np.random.default_rng(0)
    steep = rng.uniform(0.0, 1.2, count)
    way = np.column_stack([np.sin(steep), np.zeros(count), -np.cos(steep)])
    turns = Rotation.random(count, rng).as_quat(scalar_first=True)  # pyright: ignore[reportCallIssue]
    spins = 10.0 * rng.normal(size=(count, 3))
    place = np.column_stack([np.zeros((count, 2)), 0.45 + SPEEDS / RATE * rng.uniform(0.0, 1.0, count)])
    body.set_root_state(np.hstack([place, turns]), np.hstack([way * SPEEDS[:, None], spins]))

    def energy() -> np.ndarray:
        velocity = host(body.root_vel).astype(float)
        turn = Rotation.from_quat(host(body.root_pose)[:, 3:].astype(float), scalar_first=True)
        own = turn.inv().apply(velocity[:, 3:])
        return 0.5 * MASS * (velocity[:, :3] ** 2).sum(axis=1) + 0.5 * (moments(kind) * own**2).sum(axis=1)

    start, most = energy(), np.ones(count)
    for _ in range(2 * RATE):
        world.step()
        most = np.maximum(most, energy() / start)
    return most


def test_rods_that_strike_the_ground_do_not_gain_energy(device: str) -> None:
    """Seven of 64 at 20 m/s had up to 4.7 times their energy, those at 2 m/s up to 2.2 times."""
    assert most_energy("ground", "rod", 0.5, device).max() < 1.002


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("kind", ["rod", "bar"])
@pytest.mark.parametrize("wall", ["ground", "box", "mesh"])
def test_rods_and_bars_that_strike_walls_do_not_gain_energy(wall: str, kind: str, friction: float, device: str) -> None:
    """Up to 330 times their energy was seen. Rods gain none now; of 256 bars up to four do, one of them 69 %."""
    most = most_energy(wall, kind, friction, device)
    assert most.max() < (1.002 if kind == "rod" else 1.75)
    assert (most > 1.01).mean() < 0.03 and (most > 1.2).sum() <= 1
