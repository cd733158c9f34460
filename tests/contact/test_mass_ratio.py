"""Light under heavy: default iterations carry a thousand times the weight."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px

RATIO = np.array([1.0, 10.0, 100.0, 1000.0])
HALF = 0.1


def stack(device: str, masses: np.ndarray, drop: float = 0.0, real: str = "float32") -> tuple[px.World, list]:
    """Boxes on each other, masses (num_boxes, num_envs) from below, kg; the uppermost starts higher by ``drop``."""
    world = px.World(masses.shape[1], device, dt=1 / 120, dtype=real)
    world.add_ground()
    cube = px.Shape("box", (HALF, HALF, HALF))
    top = len(masses) - 1
    places = [HALF + 2 * HALF * i + (drop if i == top else 0.0) for i in range(len(masses))]
    boxes = [world.add_rigid_object(cube, f"box{i}", mass=1.0, position=(0.0, 0.0, z)) for i, z in enumerate(places)]
    for box, mass in zip(boxes, masses, strict=True):
        box.set_mass(mass, scale_inertia=True)
    return world, boxes


def squeezed(world: px.World, boxes: list) -> np.ndarray:
    """3 s: the most that any box was below its place, (num_envs,), m; none may be shot away on the way."""
    rest = np.array([HALF + 2 * HALF * i for i in range(len(boxes))])[:, None]
    sank = np.zeros(world.num_envs)
    for _ in range(60):
        world.step(6)
        places = np.array([host(box.root_pose)[:, :3] for box in boxes])
        speed = np.array([host(box.root_vel)[:, :3] for box in boxes])
        sank = np.maximum(sank, (rest - places[:, :, 2]).max(axis=0))
        assert np.abs(places[:, :, :2]).max() < 1e-3
        assert speed[:, :, 2].max() < 0.05
    return sank


def carried(boxes: list, masses: np.ndarray) -> None:
    """Each box bears what is above it, and its own weight, within 0.5 %."""
    for box, mass in zip(boxes, masses, strict=True):
        np.testing.assert_allclose(host(box.net_contact_force)[:, 0, 2], mass * GRAVITY, rtol=5e-3)


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_light_box_carries_a_heavy_one(real: str, device: str) -> None:
    """At rest from the start, at default iterations: nothing sinks by 0.1 mm, and the light one bears the weight."""
    masses = np.array([np.ones(len(RATIO)), RATIO])
    world, boxes = stack(device, masses, real=real)
    assert squeezed(world, boxes).max() < 1e-4
    carried(boxes, masses)


@pytest.mark.parametrize("drop", [0.01, 0.2])
def test_heavy_box_drops_on_a_light_one(drop: float, device: str) -> None:
    """It comes to rest on it, never deeper than by 5 % of it; depth is pushed out, slowly where masses differ most."""
    masses = np.array([np.ones(len(RATIO)), RATIO])
    world, boxes = stack(device, masses, drop)
    assert squeezed(world, boxes).max() < 0.05 * 2 * HALF
    depth = 3 * HALF - host(boxes[1].root_pose)[:, 2]
    assert depth[RATIO <= 10].max() < 2.5e-4  # a slop of 0.1 mm at each of the two faces stays
    assert depth.max() < 5e-3
    carried(boxes, masses)


@pytest.mark.parametrize(("real", "most"), [("float32", 100), ("float64", 1000)])
def test_three_boxes_of_any_masses(real: str, most: int, device: str) -> None:
    """Ratios that multiply, and light ones in a row: at rest from the start, nothing sinks by 0.1 mm.

    Two light ones under 1000 times as much are more than float32 can tell: a fifth of 128 such stacks sank by more.
    """
    masses = np.array([[1, 10, 100], [1, 100, 1000], [1, 1, most], [10, 1, 100], [1, 1000, 1], [1000, 1, 1000]]).T
    world, boxes = stack(device, masses.astype(float), real=real)
    assert squeezed(world, boxes).max() < 1e-4
    carried(boxes, masses)


def test_many_light_boxes_carry_heavy_ones(device: str) -> None:
    """1:1000, of 64 slightly different masses: no luck."""
    masses = np.array([[1.0], [1000.0]]) * np.random.default_rng(0).uniform(0.9, 1.1, (2, 64))
    world, boxes = stack(device, masses)
    assert squeezed(world, boxes).max() < 1e-5
    carried(boxes, masses)


def test_heavy_box_carries_a_light_one(device: str) -> None:
    """The other way round is easy: 1000 under 1, default iterations, nothing sinks by 0.1 mm."""
    world = px.World(len(RATIO), device, dt=1 / 120)
    world.add_ground()
    cube = px.Shape("box", (HALF, HALF, HALF))
    heavy = world.add_rigid_object(cube, "heavy", mass=1.0, position=(0.0, 0.0, HALF))
    light = world.add_rigid_object(cube, "light", mass=1.0, position=(0.0, 0.0, 3 * HALF))
    heavy.set_mass(RATIO, scale_inertia=True)
    world.step(240)
    assert np.abs(host(heavy.root_pose)[:, 2] - HALF).max() < 1e-4
    assert np.abs(host(light.root_pose)[:, 2] - 3 * HALF).max() < 1e-4
    np.testing.assert_allclose(host(light.net_contact_force)[:, 0, 2], GRAVITY, rtol=5e-3)
    np.testing.assert_allclose(host(heavy.net_contact_force)[:, 0, 2], RATIO * GRAVITY, rtol=5e-3)
