"""Objects that are taken out of the simulation, and back into it, some environments at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import host

import phalanx as px


@pytest.fixture(scope="module")
def scene(device: str) -> px.World:
    """A box high up and a ball above it, in three environments."""
    world = px.World(3, device, dt=0.005)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=1.0, position=(0, 0, 0.5))
    world.add_rigid_object(
        px.Shape("sphere", (0.05,)), "ball", mass=5.0, position=(0.0, 0.0, 0.7), contact_offset=0.013
    )
    world.build()
    return world


@pytest.fixture
def world(scene: px.World) -> px.World:
    scene.reset()
    for name in ("box", "ball"):
        scene.objects[name].set_disabled(False)
    return scene


def test_what_is_out_stays_where_it_is_and_nothing_touches_it(world: px.World) -> None:
    box, ball = world.objects["box"], world.objects["ball"]
    box.set_root_state(vel=[0.3, 0, 0, 0, 0, 2.0])
    before = host(box.root_pose)
    box.set_disabled([True, False, False])
    box.set_external_wrench(force=[50.0, 0.0, 0.0])
    world.step(80)
    assert host(box.disabled).tolist() == [True, False, False]
    np.testing.assert_allclose(host(box.root_pose)[0], before[0], atol=1e-10)
    heights = host(ball.root_pose)[:, 2]
    assert heights[0] == pytest.approx(0.05, abs=2e-3), "the ball fell through it, to the ground"
    assert heights[1] == heights[2] > 0.1 or host(box.root_pose)[1, 0] > 0.2, (
        "elsewhere it met the box, or that went off"
    )
    assert host(box.root_pose)[1, 2] < 0.2


def test_what_comes_back_falls_and_collides_as_before(world: px.World) -> None:
    box, ball = world.objects["box"], world.objects["ball"]
    offsets = host(ball.contact_offset)
    ball.set_disabled(True, [0, 2])
    world.step(20)
    assert host(ball.root_pose)[:, 2].tolist() == pytest.approx([0.7, host(ball.root_pose)[1, 2], 0.7], abs=1e-7)
    ball.set_disabled(False, [0, 2])
    np.testing.assert_array_equal(host(ball.contact_offset), offsets)
    box.set_disabled(True)  # so that the ball has it below itself, at rest
    box.set_root_state([0, 0, 0.1, 1, 0, 0, 0])
    box.set_disabled(False)
    world.step(160)
    assert (host(ball.root_pose)[:, 2] > 0.2).all() and (np.abs(host(box.root_pose)[:, 2] - 0.1) < 5e-3).all()


def test_saved_worlds_remember_it(world: px.World, tmp_path: Path) -> None:
    box = world.objects["box"]
    box.set_disabled([False, True, False])
    world.save(tmp_path / "state.npz")
    again = px.World.load(tmp_path / "state.npz", world.device)
    assert host(again.objects["box"].disabled).tolist() == [False, True, False]


def test_what_sleeps_on_it_wakes_and_falls(device: str) -> None:
    world = px.World(2, device, dt=0.005)
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    below, above = (
        world.add_rigid_object(cube, name, mass=8.0, position=(0, 0, z), sleep_threshold=5e-5)
        for name, z in (("below", 0.1), ("above", 0.3))
    )
    world.step(160)
    assert host(above.is_sleeping).all()
    below.set_disabled(True, [1])
    world.step(100)
    np.testing.assert_allclose(host(above.root_pose)[:, 2], [0.3, 0.1], atol=5e-3)
    np.testing.assert_allclose(host(below.root_pose)[:, 2], 0.1, atol=2e-3)


def test_who_cannot_be_taken_out(device: str) -> None:
    world = px.World(1, device)
    wall = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "wall", kind="static")
    world.build()
    with pytest.raises(ValueError, match="static"):
        wall.set_disabled(True)
