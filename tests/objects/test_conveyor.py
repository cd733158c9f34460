"""Surface velocity: a box on a conveyor is taken along at its speed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import phalanx as px


def test_a_box_moves_with_the_belt(tmp_path: Path) -> None:
    world = px.World(1, dt=1 / 240)
    belt = world.add_rigid_object(px.Shape("box", (5, 1, 0.1)), "belt", kind="static")
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(0, 0, 0.2))
    belt.set_surface_velocity((0.5, 0, 0))
    world.step(240)
    assert np.allclose(box.root_vel[0, :3], (0.5, 0, 0), atol=0.01)
    assert np.allclose(belt.root_pose[0, :3], 0)
    world.save(tmp_path / "world")
    again = px.World.load(tmp_path / "world")
    again.step(10)
    world.step(10)
    assert np.array_equal(again.objects["box"].root_pose, box.root_pose)


def test_a_belt_that_nothing_can_touch_does_nothing() -> None:
    world = px.World(1)
    belt = world.add_rigid_object(px.Shape("box", (5, 1, 0.1)), "belt", kind="kinematic")
    belt.set_surface_velocity((0.5, 0, 0))
    world.step()
    assert not belt.root_vel.any()
