"""Fixed joints that are put together where bodies happen to be, environment by environment."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host
from oracles.base import rotation

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

G = 9.81


def arm(device: str) -> tuple[px.World, px.Robot, px.RigidObject, Any]:
    """A beam on a hinge, and a ball that is not held."""
    inertia = 0.02 * np.eye(3)
    bodies = [Body("base", 1.0), Body("beam", 2.0, (0.25, 0, 0), inertia)]
    joints = [Joint("hinge", "revolute", "base", "beam", axis=(0.0, 1.0, 0.0))]
    world = px.World(3, device, "float64", dt=0.002)
    robot = world.add_robot(RobotModel("arm", bodies, joints), fixed_base=True)
    ball = world.add_rigid_object(
        px.Shape("sphere", (0.05,)), "ball", mass=0.5, position=(0.5, 0.0, 0.1), collision_mask=0
    )
    weld = world.add_joint("fixed", "robot/beam", "ball", position_a=(0.5, 0.0, 0.0), axis=(0.0, 0.6, 0.8))
    robot.set_drive(stiffness=1e4, damping=200.0)
    weld.set_broken()
    return world, robot, ball, weld


def in_beam(robot: px.Robot, ball: px.RigidObject) -> np.ndarray:
    """(n, 12): place and axes of the ball, seen from the beam."""
    beam, found = host(robot.body_pose)[:, 1], host(ball.root_pose)
    rows = []
    for b, p in zip(beam, found, strict=True):
        turn = rotation(b[3:]).T
        rows.append(np.concatenate([turn @ (p[:3] - b[:3]), (turn @ rotation(p[3:])).ravel()]))
    return np.array(rows)


def test_bodies_are_held_as_they_are(device: str) -> None:
    world, robot, ball, weld = arm(device)
    pose = np.tile([0.5, 0.0, 0.1, 1.0, 0.0, 0.0, 0.0], (3, 1))
    pose[1] = [0.4, 0.2, -0.3, 0.5, 0.5, -0.5, 0.5]
    ball.set_root_state(pose=pose, vel=np.zeros((3, 6)))
    weld.attach(env_ids=[0, 1])
    assert host(weld.broken).tolist() == [False, False, True]
    np.testing.assert_allclose(host(weld.pose_a)[:2], host(weld.pose_b)[:2], atol=1e-12)
    before = in_beam(robot, ball)
    robot.set_targets(pos=0.6)
    world.step(1000)
    after = in_beam(robot, ball)
    np.testing.assert_allclose(after[:2], before[:2], atol=2e-5)
    np.testing.assert_allclose(host(weld.pose_a)[:2], host(weld.pose_b)[:2], atol=2e-5)
    np.testing.assert_allclose(host(robot.joint_pos)[:2, 0], 0.6, atol=2e-3)
    np.testing.assert_allclose(host(weld.wrench)[:2, :3], [[0, 0, -0.5 * G]] * 2, atol=1e-3)
    assert host(ball.root_pose)[2, 2] == pytest.approx(0.1 - 0.5 * G * 2.0**2, rel=2e-3)

    weld.attach(env_ids=[2])  # while it falls: it goes along from here on, and the others are as they were
    far = in_beam(robot, ball)
    ball.set_root_state(vel=np.zeros((1, 6)), env_ids=[2])
    world.step(2)
    np.testing.assert_allclose(in_beam(robot, ball), far, atol=1e-3)
    assert not host(weld.broken).any()


def test_a_state_that_is_restored_holds_what_it_held(device: str) -> None:
    world, _, ball, weld = arm(device)
    ball.set_root_state(pose=[0.4, 0.1, 0.2, 1.0, 0.0, 0.0, 0.0], vel=np.zeros(6))
    weld.attach()
    world.step(10)
    state, held = world.state(), host(weld.pose_b)
    other, _, _, weld_there = arm(device)
    other.set_state(state)
    np.testing.assert_array_equal(host(weld_there.pose_b), held)
    assert not host(weld_there.broken).any()
    for one in (world, other):
        one.step(5)
    np.testing.assert_array_equal(host(world.objects["ball"].root_pose), host(other.objects["ball"].root_pose))


def test_only_fixed_joints_are_attached(device: str) -> None:
    world = px.World(1, device)
    ball = world.add_rigid_object(px.Shape("sphere", (0.05,)), "ball", mass=0.5, collision_mask=0)
    hinge = world.add_joint("revolute", ball)
    with pytest.raises(ValueError, match=r"is revolute: attach\(\) is for fixed joints"):
        hinge.attach()
