"""Limits of spherical joints: the cone that an axis swings in, the twist about it, each by geometry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host
from oracles.base import rotation

import phalanx as px
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel

G = 9.81


def ball_joint(**joint: Any) -> RobotModel:
    """A rod along its axis x on a spherical joint."""
    rod = Body("rod", 1.0, (0.2, 0.0, 0.0), np.diag([0.002, 0.02, 0.02]))
    given: dict[str, Any] = {"axis": (1.0, 0.0, 0.0), **joint}
    return RobotModel("ball_joint", [Body("base", 1.0), rod], [Joint("ball", "spherical", "base", "rod", **given)])


def swing_and_twist(pose: np.ndarray, base: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of poses (n, 7) against a base (7,): of the axis, and about it once it has swung back the shortest way."""
    swings, twists = [], []
    for p in pose:
        turn = rotation(base[3:]).T @ rotation(p[3:])
        swung = turn @ axis
        angle = np.arctan2(np.linalg.norm(np.cross(axis, swung)), axis @ swung)
        about = np.cross(axis, swung)
        length = np.linalg.norm(about)
        u = about / length if length > 1e-12 else np.zeros(3)
        k = np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
        back = np.eye(3) - np.sin(angle) * k + (1 - np.cos(angle)) * k @ k  # Rodrigues, by -angle
        rest = back @ turn
        side = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [0.0, 1.0, 0.0])
        side /= np.linalg.norm(side)
        twists.append(np.arctan2(axis @ np.cross(side, rest @ side), side @ rest @ side))
        swings.append(angle)
    return np.array(swings), np.array(twists)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_thrown_about_it_stays_in_its_cone_and_twist(dtype: str, device: str) -> None:
    """Eight random throws, an odd axis, a turned base: no angle passes its limit by more than 0.01 rad, all are met."""
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    limits: dict[str, Any] = {"swing_limit": 0.7, "lower": -0.4, "upper": 0.9}
    model = ball_joint(axis=tuple(axis), damping=0.002, **limits)
    world = px.World(8, device, dtype, dt=0.005)
    base = np.array([0.1, 0.2, 0.3, 0.5, -0.5, 0.1, 0.7])
    base[3:] /= np.linalg.norm(base[3:])
    robot = world.add_robot(model, fixed_base=True, position=base[:3].tolist(), orientation=base[3:].tolist())
    robot.set_joint_state(vel=np.random.default_rng(5).normal(size=(8, 3)) * 6)
    swings, twists = [], []
    for _ in range(600):
        world.step()
        swing, twist = swing_and_twist(host(robot.body_pose)[:, 1], base, axis)
        swings.append(swing)
        twists.append(twist)
    assert not len(world.diverged)
    assert np.max(swings) < 0.71
    assert np.max(swings) > 0.69
    assert np.max(twists) < 0.91
    assert np.min(twists) > -0.41
    assert (np.max(twists) > 0.89) or (np.min(twists) < -0.39)


def test_rest_on_the_cone_and_at_twist_limits(device: str) -> None:
    """A rod that gravity pulls out of its cone rests on it, below the axis; torques turn it to its twist limits."""
    world = px.World(3, device, "float64", dt=0.005)
    model = ball_joint(swing_limit=0.6, lower=-0.5, upper=0.8, damping=0.05)
    robot = world.add_robot(model, fixed_base=True)
    robot.set_external_wrench(torque=np.outer([0.0, 1.0, -1.0], [1.0, 0, 0]), body="rod")
    world.step(2000)
    pose = host(robot.body_pose)[:, 1]
    swing, twist = swing_and_twist(pose, np.array([0, 0, 0, 1.0, 0, 0, 0]), np.array([1.0, 0, 0]))
    assert swing == pytest.approx(0.6, abs=1e-5)
    down = np.array([rotation(p[3:])[:, 0] for p in pose])
    np.testing.assert_allclose(down[0], [np.cos(0.6), 0, -np.sin(0.6)], atol=1e-5)
    assert twist[1:] == pytest.approx([0.8, -0.5], abs=1e-5)
    assert np.abs(host(robot.joint_vel)[0]).max() < 1e-6
    # What the joint gives: the weight, and about the rod's hinge the moment that it would fall with.
    wrench = host(robot.incoming_joint_wrench)[0, 1]
    turn = rotation(pose[0, 3:])
    np.testing.assert_allclose(turn @ wrench[:3], [0, 0, G], atol=1e-6)
    np.testing.assert_allclose(turn @ wrench[3:], [0, -0.2 * G * np.cos(0.6), 0], atol=1e-4)


def test_inside_its_limits_a_joint_is_free(device: str) -> None:
    """Spinning about its axis and swinging less than the limits, it moves to the bit as one without limits."""
    states = []
    for limits in ({}, {"swing_limit": 3.0, "lower": -3.1, "upper": 3.1}):
        world = px.World(1, device, "float64", dt=0.002, gravity=(0.0, 0.0, 0.0))
        robot = world.add_robot(ball_joint(**limits), fixed_base=True)
        robot.set_joint_state(vel=[0.5, 1.0, -0.3])
        world.step(200)
        states.append(np.concatenate([host(robot.joint_pos), host(robot.joint_vel)], axis=None))
    np.testing.assert_array_equal(states[0], states[1])


def test_mimics_go_on_beside_limited_spherical_joints(device: str) -> None:
    """A follower keeps its ratio while the joint that carries both rests on its cone."""
    inertia = 0.01 * np.eye(3)
    bodies = [Body(name, 0.5, (0.1, 0.0, 0.0), inertia) for name in ("base", "arm", "first", "second")]
    joints = [
        Joint("ball", "spherical", "base", "arm", swing_limit=0.4, lower=-0.2, upper=0.2, damping=0.2),
        Joint("lead", "revolute", "arm", "first", (0.2, 0, 0), axis=(0.0, 1.0, 0.0), damping=0.1),
        Joint("follow", "revolute", "arm", "second", (0.1, 0, 0), axis=(0.0, 0.0, 1.0), mimic=Mimic("lead", 0.5, 0.1)),
    ]
    world = px.World(1, device, "float64", dt=0.005)
    robot = world.add_robot(RobotModel("hand", bodies, joints), fixed_base=True)
    robot.set_joint_state(vel=[0.0, 0.0, 0.0, 2.0, 1.0])
    world.step(1500)
    pose = host(robot.body_pose)[:, 1]
    swing, twist = swing_and_twist(pose, np.array([0, 0, 0, 1.0, 0, 0, 0]), np.array([1.0, 0, 0]))
    assert swing[0] == pytest.approx(0.4, abs=1e-4)
    assert abs(twist[0]) < 0.2 + 1e-4
    q = host(robot.joint_pos)[0]
    assert q[robot.joint_index("follow")] == pytest.approx(0.5 * q[robot.joint_index("lead")] + 0.1, abs=1e-6)
    assert abs(q[robot.joint_index("lead")]) > 0.1


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"swing_limit": 0.0}, "swing_limit=0.0: must be above 0, at most pi"),
        ({"swing_limit": 4.0}, "swing_limit=4.0: must be above 0, at most pi"),
        ({"lower": 1.0, "upper": -1.0}, "twist limits 1.0 to -1.0 must be in order"),
        ({"lower": -4.0, "upper": 1.0}, "from -pi to pi"),
        ({"upper": 1.0, "limit_stiffness": 10.0}, "limits of spherical joints are hard"),
    ],
)
def test_bad_limits(limits: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError) as raised:
        px.World().add_robot(ball_joint(**limits), fixed_base=True)
    assert message in str(raised.value)
