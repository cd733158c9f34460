"""Friction, limits and armature of joints that differ from environment to environment and change between steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from actuation.joints import INERTIA, MASS, alone, hinge, slider
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel


def test_friction_by_environment(device: str) -> None:
    """Held up to the static friction; else m a = effort - dynamic - viscous * v, by implicit Euler."""
    world = px.World(4, device, "float64", dt=0.005, gravity=(0.0, 0.0, 0.0))
    robot = world.add_robot(slider(friction=0.1), fixed_base=True)
    robot.set_drive(stiffness=0.0, damping=0.0)
    assert host(robot.joint_dynamic_friction) == pytest.approx(0.1)
    static, dynamic, viscous = (
        np.array([2.0, 0.5, 0.0, 0.0]),
        np.array([0.4, 0.4, 0.0, 0.2]),
        np.array([0, 0, 3.0, 1.0]),
    )
    robot.set_joint_friction(dynamic[:, None], static[:, None], viscous[:, None])
    robot.set_targets(effort=1.0)
    v = np.zeros(4)
    for _ in range(100):
        world.step()
        v = (MASS * v + 0.005 * (1.0 - dynamic)) / (MASS + 0.005 * viscous) * (static < 1.0)
        assert host(robot.joint_vel)[:, 0] == pytest.approx(v, abs=1e-12)
    for found, expected in (
        (robot.joint_static_friction, static),
        (robot.joint_dynamic_friction, dynamic),
        (robot.joint_viscous_friction, viscous),
    ):
        np.testing.assert_array_equal(host(found)[:, 0], expected)


def test_limits_and_armature_by_environment(device: str) -> None:
    """Effort through inertias of their own to speed limits and to position limits, hard, soft or elastic."""
    world = px.World(4, device, "float64", dt=0.005, gravity=(0.0, 0.0, 0.0))
    robot = world.add_robot(hinge(lower=-2.0, upper=2.0, velocity_limit=50.0), fixed_base=True)
    robot.set_drive(stiffness=0.0, damping=0.0)
    assert host(robot.joint_position_limits)[0, 0].tolist() == [-2.0, 2.0]
    armature, fastest = np.array([0.0, 0.3, 0.0, 0.0]), np.array([50.0, 50.0, 1.0, 50.0])
    robot.set_joint_armature(armature[:, None])
    robot.set_joint_limits(velocity=fastest[:, None], upper=[[1.0], [0.5], [2.0], [0.8]])
    robot.set_joint_limits(stiffness=100.0, damping=10.0, env_ids=[1])
    robot.set_joint_limits(restitution=1.0, env_ids=[3])
    robot.set_targets(effort=np.array([[2.0], [2.0], [2.0], [0.0]]))
    robot.set_joint_state(vel=[[0.0], [0.0], [0.0], [2.0]])
    world.step(10)
    expected = np.minimum(2.0 * 0.05 / (INERTIA + armature), fastest)
    assert host(robot.joint_vel)[:3, 0] == pytest.approx(expected[:3], rel=1e-12)
    for _ in range(990):
        world.step()
        assert np.abs(host(robot.joint_vel)[2, 0]) < 1.0 + 1e-9
    q = host(robot.joint_pos)[:, 0]
    assert q[:3] == pytest.approx([1.0, 0.5 + 2.0 / 100.0, 2.0], abs=1e-6)
    assert np.abs(host(robot.joint_vel)[3, 0]) == pytest.approx(2.0, abs=1e-3), "thrown back as fast each time"
    limits = host(robot.joint_position_limits)[:, 0]
    np.testing.assert_array_equal(limits, [[-2.0, 1.0], [-2.0, 0.5], [-2.0, 2.0], [-2.0, 0.8]])
    np.testing.assert_array_equal(host(robot.joint_velocity_limit)[:, 0], fastest)
    np.testing.assert_array_equal(host(robot.joint_armature)[:, 0], armature)
    # and taken away again
    robot.set_joint_limits(upper=np.inf, env_ids=[0])
    world.step(50)
    assert host(robot.joint_pos)[0, 0] > 1.1


def test_joints_of_several_dofs_keep_theirs(device: str) -> None:
    bodies = [Body(name, 1.0, (0.1, 0, 0), 0.01 * np.eye(3)) for name in ("base", "ball", "rod")]
    joints = [
        Joint("ball", "spherical", "base", "ball"),
        Joint("rod", "revolute", "ball", "rod", (0.2, 0, 0), axis=(0.0, 1.0, 0.0)),
    ]
    world = px.World(2, device)
    robot = world.add_robot(RobotModel("arm", bodies, joints), fixed_base=True)
    robot.set_joint_limits(lower=-0.1, upper=0.1)
    limits = host(robot.joint_position_limits)
    assert np.isinf(limits[:, :3]).all()
    np.testing.assert_allclose(limits[:, 3], [[-0.1, 0.1]] * 2, rtol=1e-6)
    world.step(200)
    assert np.abs(host(robot.joint_pos)[:, 3]).max() < 0.1 + 1e-4


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("set_joint_friction", {"static": -1.0}, "joint static friction is negative in environment 0, column 0"),
        ("set_joint_friction", {"viscous": np.nan}, r"joint damping is not a number \(NaN\)"),
        ("set_joint_armature", {"armature": np.inf}, "joint armature is infinite"),
        ("set_joint_limits", {"lower": 0.4}, "lower limits are above upper ones at hinge"),
        ("set_joint_limits", {"lower": 0.0, "upper": [[0.1], [-0.1]]}, "lower limits are above upper ones at hinge"),
        ("set_joint_limits", {"restitution": 1.1}, "limit restitution is above 1 at hinge"),
        ("set_joint_limits", {"velocity": 0.0}, "velocity limits are 0 at hinge"),
        ("set_joint_limits", {"velocity": -1.0}, "joint velocity is negative"),
    ],
)
def test_what_cannot_be_set(method: str, options: dict[str, Any], message: str) -> None:
    _, robot = alone(hinge(lower=-0.3, upper=0.3), "cpu", num_envs=2)
    with pytest.raises(ValueError, match=message):
        getattr(robot, method)(**options)
    assert host(robot.joint_position_limits)[:, 0] == pytest.approx(np.array([[-0.3, 0.3]] * 2))
