"""Rigid objects: what they weigh, how they move, and that they come back from a file as they were."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracles import host
from scipy.spatial.transform import Rotation

import phalanx as px


def test_kinds_targets_mass_and_saving(tmp_path: Path) -> None:
    world = px.World(2, dt=0.01, substeps=2)
    box = world.add_rigid_object(px.Shape("box", (0.1, 0.2, 0.3)), "box", position=(0, 0, 5))
    mover = world.add_rigid_object(px.Shape("sphere", (0.1,)), "mover", kind="kinematic", position=(3, 0, 1))
    wall = world.add_rigid_object(px.Shape("box", (1, 1, 0.1)), "wall", kind="static", position=(9, 0, 1))
    balls = {"one": px.Shape("sphere", (0.1,)), "two": {"source": px.Shape("sphere", (0.2,)), "position": (0, 9, 5)}}
    pair = world.add_rigid_objects(balls, density=500, position=(0, 6, 5))
    world.build()
    assert np.allclose(box.mass, 48.0) and np.allclose(box.inertia[0], np.diag([2.08, 1.6, 0.8]))
    assert np.allclose(pair.mass[0], 500 * 4 / 3 * np.pi * np.array([0.001, 0.008])) and not wall.mass.any()
    target = np.array([3.1, 0, 1, 0.8, 0.6, 0, 0])
    mover.set_kinematic_target(target)
    world.step()
    assert np.abs(mover.root_pose - target).max() < 1e-6 and np.allclose(mover.root_vel[:, 0], 10.0, atol=1e-3)
    world.step()
    assert np.abs(mover.root_pose - target).max() < 1e-6 and not mover.root_vel.any()
    assert np.allclose(wall.root_pose[:, :3], (9, 0, 1)) and np.allclose(box.root_vel[:, 2], -0.1962, atol=1e-5)
    box.set_mass([1.0, 2.0])
    box.set_material(restitution=[[0.1], [0.2]])
    world.save(tmp_path / "world")
    again = px.World.load(tmp_path / "world")
    again.step(3)
    world.step(3)
    assert np.array_equal(again.collections["objects"].root_pose, pair.root_pose)
    assert np.array_equal(again.objects["box"].mass, [1.0, 2.0])


def test_centres_of_mass_and_inertia_by_environment(device: str) -> None:
    """Without gravity: a centre of mass off the origin goes straight, and a torque turns each by its own inertia."""
    com = np.array([[0.0, 0.0, 0.0], [0.1, -0.05, 0.02], [0.0, 0.08, -0.03]])
    moments = np.array([[0.02, 0.03, 0.04], [0.05, 0.05, 0.01], [0.01, 0.02, 0.025]])
    world = px.World(3, device, "float64", dt=1e-3, gravity=(0, 0, 0))
    body = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "body", mass=2.0, gyroscopic_forces=True)
    turn = Rotation.from_rotvec([[0.3, -0.2, 0.5], [1.0, 0.4, -0.7], [0.0, 2.0, 0.1]])
    body.set_com(com)
    body.set_inertia(moments[:, None, :] * np.eye(3))
    places = np.array([[1.0, 2.0, 3.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]])
    body.set_root_state(pose=np.concatenate([places, turn.as_quat(scalar_first=True)], axis=1))
    arm = turn.apply(com)
    velocity = np.array(
        [[0.5, 0.0, 0.1, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 3.0, 2.0, 1.0], [0.2, 0.1, 0.0, 0.0, 4.0, 0.0]]
    )
    body.set_com_vel(velocity)
    np.testing.assert_allclose(host(body.com_pose)[:, :3], places + arm, atol=1e-12)
    np.testing.assert_array_equal(host(body.com_pose)[:, 3:], host(body.root_pose)[:, 3:])
    np.testing.assert_allclose(host(body.com_vel), velocity, atol=1e-12)
    np.testing.assert_allclose(host(body.root_vel)[:, :3], velocity[:, :3] - np.cross(velocity[:, 3:], arm), atol=1e-12)
    body.set_com_vel([0.0, 0.0, 1.0, 0.0, 0.0, 0.0], env_ids=[2])
    velocity[2] = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    world.step(500)
    np.testing.assert_allclose(host(body.com_vel)[:, :3], velocity[:, :3], atol=1e-9)
    np.testing.assert_allclose(host(body.com_pose)[:, :3], places + arm + 0.5 * velocity[:, :3], atol=2e-3)
    body.set_root_state(pose=[0, 0, 0, 1, 0, 0, 0], vel=np.zeros(6))
    body.set_external_wrench(torque=[0.0, 0.0, 0.03])
    world.step(100)
    np.testing.assert_allclose(host(body.root_vel)[:, 5], 0.03 * 0.1 / moments[:, 2], rtol=1e-9)
    np.testing.assert_allclose(host(body.com_vel)[:, :3], 0.0, atol=1e-9)
    np.testing.assert_array_equal(host(body.com), com)
    np.testing.assert_allclose(host(body.inertia), moments[:, None, :] * np.eye(3), atol=1e-15)


def test_inertias_of_no_body_are_refused() -> None:
    world = px.World(2)
    body = world.add_rigid_object(px.Shape("sphere", (0.1,)), "body")
    wall = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "wall", kind="static", position=(1, 0, 0))
    with pytest.raises(ValueError, match="inertia must be symmetric"):
        body.set_inertia([[1.0, 0.1, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match=r"principal moments 1, 1, 3 is no body's"):
        body.set_inertia(np.diag([1.0, 1.0, 3.0]))
    with pytest.raises(ValueError, match="it cannot be given a velocity"):
        wall.set_com_vel(np.zeros(6))
    for call in (lambda: wall.set_com(np.zeros(3)), lambda: wall.set_inertia(np.eye(3))):
        with pytest.raises(ValueError, match="has no use for it"):
            call()


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (px.Shape("box", (0.1, 0.0, 0.1)), {}, "box needs 3 positive, finite sizes"),
        (px.Shape("sphere", (0.1,)), {"mass": -1.0}, "mass=-1.0 must be a positive, finite number"),
        (px.Shape("sphere", (0.1,)), {"kind": "fixed"}, "kind='fixed': must be one of dynamic, kinematic, static"),
        (px.Shape("sphere", (0.1,)), {"position": (0, 0, np.nan)}, "position must be 3 finite numbers"),
        ("quadruped", {}, "has joints that move"),
    ],
)
def test_what_is_no_rigid_object(source: object, options: dict[str, object], message: str) -> None:
    world = px.World()
    with pytest.raises(ValueError) as raised:
        world.add_rigid_object(source, **options)  # type: ignore[arg-type]
    assert message in str(raised.value) and not world.objects


def test_a_body_keeps_its_spin_wherever_its_centre_of_mass_is(device: str) -> None:
    """It flies and tumbles, with its centre of mass beside its origin: L is kept, and the centre of mass falls freely.

    Where the root went straight in each step, the centre of mass did not, and drift became spin: 1 rad/s^2 here.
    """
    world = px.World(3, dt=1 / 400, dtype="float64", device=device)
    body = world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", mass=2.0, position=(0, 0, 50))
    world.build()
    com = np.array([[0.0, 0.0, 0.0], [0.02, -0.01, 0.03], [-0.3, 0.2, 0.1]])
    inertia = np.array([np.diag([0.01, 0.01, 0.01]), np.diag([0.01, 0.01, 0.01]), np.diag([0.01, 0.03, 0.035])])
    body.set_com(com)
    body.set_inertia(inertia)
    spin = np.array([0.0, 2.0, 8.0])
    body.set_com_vel(np.tile([2.0, 1.0, 0.0, *spin], (3, 1)))

    def momentum() -> np.ndarray:
        turn = Rotation.from_quat(host(body.root_pose)[:, [4, 5, 6, 3]]).as_matrix()
        return np.einsum("eij,ejk,elk,el->ei", turn, inertia, turn, host(body.com_vel)[:, 3:])

    before = momentum()
    np.testing.assert_allclose(before[1], 0.01 * spin, rtol=1e-12)
    start = host(body.com_pose)[:, :3]
    world.step(400)
    fallen = -9.81 * 0.5 * (1.0 + 1 / 400)  # of semi-implicit Euler
    np.testing.assert_allclose(host(body.com_pose)[:, :3] - start, np.tile([2.0, 1.0, fallen], (3, 1)), atol=1e-9)
    np.testing.assert_allclose(momentum(), before, atol=1e-9 * np.abs(before).max())
    np.testing.assert_allclose(host(body.com_vel)[:, :3], np.tile([2.0, 1.0, -9.81], (3, 1)), atol=1e-9)
