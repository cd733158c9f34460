"""Bodies on bodies: stacks stay where they are, and each carries what is above it."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.io.model import Shape

HEIGHT = 4


@pytest.mark.parametrize("real", ["float32", "float64"])
def test_a_stack_of_boxes_stands(device: str, real: str) -> None:
    """Default iterations, dt 1/120, 5 s."""
    world = px.World(num_envs=3, device=device, dtype=real, dt=1 / 120)
    world.add_ground()
    half = (0.1, 0.1, 0.1)
    boxes = [
        world.add_rigid_object(Shape("box", half), name=f"box{i}", mass=1.0, position=(0.0, 0.0, 0.1 + 0.2 * i))
        for i in range(HEIGHT)
    ]
    world.build()
    start = np.array([host(box.root_pose) for box in boxes])
    world.step(600)
    moved = np.array([host(box.root_pose) for box in boxes]) - start
    assert np.abs(moved[..., :3]).max() < 2e-3
    assert max(np.abs(host(box.root_vel)).max() for box in boxes) < 5e-3
    total = sum(host(box.net_contact_force).sum(axis=1) for box in boxes)
    np.testing.assert_allclose(total, np.broadcast_to([0, 0, 9.81 * HEIGHT], (3, 3)), atol=0.1)


def test_a_box_falls_on_a_fixed_box_and_stays(device: str) -> None:
    world = px.World(num_envs=2, device=device, dt=1 / 120)
    world.add_rigid_object(Shape("box", (0.5, 0.5, 0.1)), name="table", kind="static")
    box = world.add_rigid_object(Shape("box", (0.1, 0.1, 0.1)), name="box", mass=2.0, position=(0.0, 0.0, 0.3))
    world.step(240)
    assert np.abs(host(box.root_pose)[:, 2] - 0.2).max() < 1e-3
    np.testing.assert_allclose(host(box.net_contact_force)[:, 0, 2], 2.0 * 9.81, rtol=5e-3)
