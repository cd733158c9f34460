"""Nothing fast passes through a sheet of triangles, which has no thickness at all."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from meshes.placements import grid_mesh
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.models.meshes.height_fields import grid_triangles

SHAPES = (
    px.Shape("sphere", (0.05,)),
    px.Shape("capsule", (0.03, 0.06)),
    px.Shape("box", (0.05, 0.04, 0.03)),
    px.Shape("cylinder", (0.05, 0.04)),
)
ENVS = 16


@pytest.mark.parametrize("dt", [1 / 60, 1 / 240])
def test_20_metres_a_second(dt: float, device: str) -> None:
    """Up to 33 cm a step, tumbling, from random heights; two kinds of floor, kept apart by groups."""
    world = px.World(num_envs=ENVS, device=device, dt=dt)
    floors = (grid_mesh(20, 0.2), px.Shape("height_field", (0.2, 0.2), heights=np.zeros((21, 21))))
    thrown = []
    for k, floor in enumerate(floors):
        world.add_rigid_object(floor, f"floor{k}", kind="static", collision_group=k, collision_mask=[10 + k])
        for n, shape in enumerate(SHAPES):
            options = {"collision_group": 10 + k, "collision_mask": [k], "angular_damping": 1.0}
            thrown.append(world.add_rigid_object(shape, f"{n} on {k}", position=(0, 0, 1), density=500.0, **options))
    world.build()
    rng = np.random.default_rng(3)
    for each in thrown:
        turns = Rotation.random(ENVS, rng).as_quat()  # pyright: ignore[reportCallIssue]
        place = np.column_stack([rng.uniform(-0.5, 0.5, (ENVS, 2)), rng.uniform(0.3, 0.7, ENVS)])
        speed = np.column_stack([rng.uniform(-2, 2, (ENVS, 2)), np.full(ENVS, -20.0), rng.uniform(-10, 10, (ENVS, 3))])
        each.set_root_state(np.column_stack([place, turns]), speed)
    world.step(int(1.0 / dt))
    for each in thrown:
        pose = host(each.root_pose)
        held = np.abs(pose[:, :2]).max(axis=1) < 1.9  # who slid off the floor may fall
        assert held.sum() >= ENVS // 4  # thrown sideways, most slide far; the rest must be enough to tell
        assert (pose[held, 2] > 0.02).all(), (each.name, pose[held, 2].min())


def test_a_double_sided_sheet_stops_what_comes_from_behind(device: str) -> None:
    """A single-sided one, upside down, does not; and what is said about the shape survives as data."""
    world = px.World(num_envs=1, device=device, dt=1 / 120)
    sheet = grid_mesh(4, 0.5)
    assert sheet.faces is not None
    for k, double in enumerate((False, True)):
        flipped = dataclasses.replace(sheet, faces=sheet.faces[:, ::-1], double_sided=double)
        world.add_rigid_object(flipped, f"sheet{k}", kind="static", collision_group=k, collision_mask=[10 + k])
        for shape in (px.Shape("sphere", (0.1,)), px.Shape("box", (0.1, 0.1, 0.1))):
            options = {"collision_group": 10 + k, "collision_mask": [k]}
            world.add_rigid_object(shape, f"{shape.kind}{k}", position=(0.1, 0.03, 0.3), **options)
    world = px.World.from_description(world.describe())
    world.step(120)
    heights = [host(world.objects[f"{kind}{k}"].root_pose)[0, 2] for k in (0, 1) for kind in ("sphere", "box")]
    assert max(heights[:2]) < -1.0
    np.testing.assert_allclose(heights[2:], 0.1, atol=2e-3)


SMALL = (
    px.Shape("sphere", (0.01,)),
    px.Shape("capsule", (0.005, 0.1)),
    px.Shape("box", (0.01, 0.02, 0.005)),
    px.Shape("cylinder", (0.01, 0.03)),
)
TETRAHEDRON = 0.02 * np.array([[0.8, 0.2, -0.5], [-0.5, 0.9, -0.4], [-0.6, -0.8, -0.5], [0.1, 0.0, 1.0]])
PIECES = (px.Shape("box", (0.02, 0.01, 0.01)), px.Shape("sphere", (0.01,), position=(0.06, 0.0, 0.0)))


def rough(kind: str) -> px.Shape:
    """One square metre, 20 mm up and down (RMS); a mesh has one side, as a height field has."""
    heights = 0.02 * np.random.default_rng(5).standard_normal((9, 9))
    if kind == "height_field":
        return px.Shape("height_field", (0.125, 0.125), heights=heights)
    vertices, faces = grid_triangles(heights, (0.125, 0.125))
    return px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")


def through_rough_ground(
    bodies: Sequence[Any], envs: int, rate: int, kind: str, moving: bool, device: str
) -> list[int]:
    """How many of each that fly at rough ground at 3 to 1,000 m/s are under it within half a second."""
    world = px.World(envs, device, dt=1.0 / rate, gravity=(0.0, 0.0, 0.0))
    rng, thrown = np.random.default_rng(0), []
    for k, shapes in enumerate(bodies):
        group = {"collision_group": k, "collision_mask": [10 + k]}
        own = {"collision_group": 10 + k, "collision_mask": [k]}
        ground = world.add_rigid_object(rough(kind), f"ground{k}", kind="kinematic" if moving else "static", **group)
        thrown.append((world.add_rigid_object(shapes, f"body{k}", mass=0.1, **own), ground))
    for body, ground in thrown:
        speed, steep, turn = 10 ** rng.uniform(0.5, 3.0, envs), rng.uniform(0.0, 1.1, envs), rng.uniform(0.0, 6.3, envs)
        way = np.column_stack([np.sin(steep) * np.cos(turn), np.sin(steep) * np.sin(turn), -np.cos(steep)])
        aim = np.column_stack([rng.uniform(-0.3, 0.3, (envs, 2)), np.zeros(envs)])
        place = aim - way * (0.45 / np.cos(steep) + speed / rate * rng.uniform(0.0, 1.0, envs))[:, None]
        spin = rng.normal(size=(envs, 3)) * rng.uniform(0.0, 20.0, envs)[:, None]
        turns = Rotation.random(envs, rng).as_quat()  # pyright: ignore[reportCallIssue]
        body.set_root_state(np.hstack([place, turns]), np.hstack([0.0 * way if moving else way * speed[:, None], spin]))
        if moving:
            ground.set_root_state(vel=np.hstack([-way * speed[:, None], 0.0 * way]))
    under = [np.zeros(envs, bool) for _ in thrown]
    for _ in range(rate // 2):
        world.step()
        for each, (body, ground) in zip(under, thrown, strict=True):
            place = host(body.root_pose)[:, :3] - host(ground.root_pose)[:, :3]
            each |= (np.abs(place[:, :2]) < 0.5).all(axis=1) & (place[:, 2] < -0.08)
    return [int(each.sum()) for each in under]


@pytest.mark.parametrize("kind", ["mesh", "height_field"])
def test_what_rough_ground_turns_does_not_go_on_through_it(kind: str, device: str) -> None:
    """One triangle turns a body, and the next is on its new way: 3 to 11 % of these came through at 1/60 s."""
    assert through_rough_ground(SMALL, 64, 60, kind, moving=False, device=device) == [0] * len(SMALL)


@pytest.mark.slow
@pytest.mark.parametrize("moving", [False, True], ids=["still", "moving"])
@pytest.mark.parametrize("rate", [60, 200, 1000])
@pytest.mark.parametrize("kind", ["mesh", "height_field"])
def test_shapes_of_all_sorts_do_not_pass_rough_ground(kind: str, rate: int, moving: bool, device: str) -> None:
    """256 of each, hulls and bodies of several shapes as well; also where it is the ground that moves."""
    hull = px.Shape("mesh", vertices=TETRAHEDRON)
    bodies = (*SMALL, px.Shape("cone", (0.015, 0.02)), hull, PIECES)
    assert through_rough_ground(bodies, 256, rate, kind, moving, device) == [0] * len(bodies)
