"""Friction in detail: how far thrown things slide, whatever the direction; combine modes; conveyors."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, floor_mesh, prism
from oracles import host

import phalanx as px

HEADINGS = np.array([0.0, 0.3, 1.0, 2.0, 3.5, 5.0])
SHAPES = {
    "box": px.Shape("box", (0.3, 0.3, 0.05)),
    "cylinder": px.Shape("cylinder", (0.3, 0.05)),
    "hull": px.Shape("mesh", vertices=prism(6, 0.3, 0.05)),
}


def floor(world: px.World, surface: str, **options: object) -> None:
    """A floor at z = 0."""
    if surface == "plane":
        world.add_ground(**options)  # type: ignore[arg-type]
        return
    shape = px.Shape("box", (9.0, 9.0, 0.5), (0.0, 0.0, -0.5)) if surface == "box" else floor_mesh(18.0, 18.0, 0.75)
    world.add_rigid_object(shape, "floor", kind="static", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("surface", ["plane", "box", "mesh"])
def test_thrown_bodies_stop_where_coulomb_says(surface: str, device: str) -> None:
    """After v²/(2 mu g), to 1 %, straight on in any direction; there they stay."""
    friction, speed = 0.4, 2.0
    world = px.World(len(HEADINGS), device, dt=0.0025)
    floor(world, surface, friction=friction)
    bodies = [world.add_rigid_object(shape, name, friction=friction) for name, shape in SHAPES.items()]
    ways = np.stack([np.cos(HEADINGS), np.sin(HEADINGS), 0 * HEADINGS], axis=1)
    for i, body in enumerate(bodies):
        body.set_root_state(
            pose=[0.02, 3.0 * i - 3.03, 0.05, 1.0, 0.0, 0.0, 0.0], vel=np.hstack([speed * ways, 0 * ways])
        )
    start = np.array([host(body.root_pose)[:, :3] for body in bodies])
    world.step(100)
    for body in bodies:
        expected = (speed - friction * GRAVITY * world.time) * ways
        np.testing.assert_allclose(host(body.root_vel)[:, :3], expected, atol=0.015)
    world.step(200)
    moved = np.array([host(body.root_pose)[:, :3] for body in bodies]) - start
    along = (moved * ways).sum(axis=2)
    np.testing.assert_allclose(along, speed**2 / (2 * friction * GRAVITY), rtol=0.01)
    across = np.linalg.norm(moved - along[..., None] * ways, axis=2)
    assert across.max() < 0.01 * along.max()
    world.step(400)
    later = np.array([host(body.root_pose)[:, :3] for body in bodies]) - start
    assert np.abs(later - moved).max() < 1e-3


@pytest.mark.parametrize("surface", ["plane", "box"])
def test_combine_modes_act(surface: str, device: str) -> None:
    """0.6 on 0.2: average 0.4, min 0.2, multiply 0.12, max 0.6; of two modes the later one in that list."""
    floors = ("average", "multiply")
    modes = {"average": 0.4, "min": 0.2, "multiply": 0.12, "max": 0.6}
    for mode_of_floor in floors:
        world = px.World(1, device)
        floor(world, surface, friction=0.2, friction_combine=mode_of_floor)
        bodies = [
            world.add_rigid_object(
                SHAPES["box"], mode, position=(0.0, i - 1.5, 0.05), friction=0.6, friction_combine=mode
            )
            for i, mode in enumerate(modes)
        ]
        for body in bodies:
            body.set_root_state(vel=[3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        world.step(20)
        before = np.array([host(body.root_vel)[0, 0] for body in bodies])
        world.step(40)
        found = (before - [host(body.root_vel)[0, 0] for body in bodies]) / (GRAVITY * 40 * world.dt)
        expected = list(modes.values())
        if mode_of_floor == "multiply":
            expected[:2] = [0.12, 0.12]
        np.testing.assert_allclose(found, expected, rtol=0.01)


def test_conveyor_takes_along_what_lies_on_it(device: str) -> None:
    """At mu g until it has the belt's speed, with static friction for good; what is thrown against it turns round."""
    speed = np.array([0.5, 1.0, -2.0, 1.0])
    thrown = np.array([0.0, 0.0, 0.0, -1.0])
    friction = 0.3
    world = px.World(4, device)
    belt = world.add_rigid_object(px.Shape("box", (9.0, 1.0, 0.1)), "belt", kind="static", friction=friction)
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(0.0, 0.0, 0.2), friction=friction)
    belt.set_surface_velocity(np.stack([speed, 0 * speed, 0 * speed], axis=1))
    box.set_root_state(vel=np.outer(thrown, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]))
    world.step(20)
    gained = np.sign(speed - thrown) * np.minimum(np.abs(speed - thrown), friction * GRAVITY * world.time)
    np.testing.assert_allclose(host(box.root_vel)[:, 0], thrown + gained, atol=0.02)
    world.step(280)
    np.testing.assert_allclose(host(box.root_vel)[:, :3], np.stack([speed, 0 * speed, 0 * speed], 1), atol=1e-2)
    time = np.abs(speed - thrown) / (friction * GRAVITY)
    way = 0.5 * (speed + thrown) * time + speed * (world.time - time)
    np.testing.assert_allclose(host(box.root_pose)[:, 0], way, rtol=0.01, atol=0.01)
    assert np.abs(host(belt.root_pose)[:, :3]).max() == 0.0
