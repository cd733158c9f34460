"""Snapshots of worlds, against what handles and contact views say."""

import numpy as np
import pytest

import phalanx as px
from phalanx.world.snapshots import take_snapshot


@pytest.fixture(scope="module")
def world(device):
    world = px.World(num_envs=3, device=device, substeps=2)
    world.add_ground()
    robot = world.add_robot("quadruped")
    world.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(2.0, 0.0, 0.12))
    world.contact_view([f"{robot.name}/.*", "box"], filters=["ground"])
    robot.set_drive(stiffness=40.0, damping=1.0)
    robot.set_targets(pos=np.linspace(-0.2, 0.2, 3)[:, None] + robot.default_joint_pos)
    world.step(60)
    return world


def host(value):
    return value.get() if hasattr(value, "get") else value


def test_poses_are_those_of_bodies(world):
    snapshot = take_snapshot(world, [2, 0])
    expected = np.concatenate([host(actor.body_pose) for actor in world.actors.values()], axis=1)[[2, 0]]
    assert np.array_equal(snapshot.poses, expected) and snapshot.envs.tolist() == [2, 0]
    assert snapshot.step == 60 and snapshot.time == pytest.approx(0.3) and snapshot.contacts is None


def test_contacts_are_those_of_views(world):
    contacts = take_snapshot(world, [2, 0], contacts=True).contacts
    assert contacts is not None
    view = world.contact_views[0]
    data, friction = view.contact_data(), view.friction_data()
    normal, points = host(data.normal_forces), host(data.points)
    forces = normal[:, None] * host(data.normals) + host(friction.forces)
    for place, env in enumerate((2, 0)):
        mine = contacts.envs == place
        starts, counts = host(data.starts)[env].ravel(), host(data.counts)[env].ravel()
        rows = np.concatenate([np.arange(a, a + n) for a, n in zip(starts, counts, strict=True)])
        assert mine.sum() == len(rows) > 4
        order, theirs = (np.lexsort(np.round(p, 5).T) for p in (contacts.points[mine], points[rows]))
        assert np.allclose(contacts.points[mine][order], points[rows][theirs], atol=1e-6)
        assert np.allclose(contacts.forces[mine][order], forces[rows][theirs], rtol=1e-4, atol=1e-3)
        assert np.allclose(contacts.normals[mine], (0.0, 0.0, 1.0), atol=1e-6)
        assert np.allclose(contacts.forces[mine].sum(axis=0), host(view.net_force())[env].sum(axis=0), atol=1e-2)


def test_worlds_without_contact_have_none():
    world = px.World()
    world.add_robot("double_pendulum")
    contacts = take_snapshot(world, [0], contacts=True).contacts
    assert contacts is not None and len(contacts.points) == 0 and contacts.forces.shape == (0, 3)


def test_environments_that_are_not_there_are_refused(world):
    with pytest.raises(IndexError, match=r"0\.\.2"):
        take_snapshot(world, [3])


def test_poses_of_few_among_many(device):
    """They are found on the host, after steps and after states were written; the engine's are the reference."""
    many = px.World(num_envs=64, device=device)
    many.add_ground()
    robot = many.add_robot("quadruped")
    many.add_rigid_object(px.Shape("box", (0.1, 0.1, 0.1)), "box", position=(2.0, 0.0, 0.12))
    robot.set_targets(pos=np.linspace(-0.2, 0.2, 64)[:, None] + robot.default_joint_pos)
    many.step(20)
    for turn in ([1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5]):
        robot.set_root_state(pose=[3.0, 1.0, 0.5, *turn], env_ids=[40])
        found = take_snapshot(many, [40, 7, 63])
        expected = np.concatenate([host(actor.body_pose) for actor in many.actors.values()], axis=1)[[40, 7, 63]]
        np.testing.assert_allclose(found.poses, expected, atol=1e-6)
