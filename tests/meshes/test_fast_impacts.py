"""Nothing fast passes through a sheet of triangles, which has no thickness at all."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from meshes.placements import grid_mesh
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px

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
