"""Wrenches that joints transmit: weights by statics, moving arms against Pinocchio, legs that stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import PinOracle, host
from oracles.base import rotation

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio is not installed")

G = 9.81


def crane() -> RobotModel:
    """A base, two hinged links, a sensor fixed to the second and a tool fixed to the sensor."""
    inertia = np.diag([0.01, 0.02, 0.03])
    bodies = [
        Body("base", 3.0, (0.1, 0.0, 0.05), inertia),
        Body("upper", 2.0, (0.0, 0.05, 0.2), inertia),
        Body("lower", 1.0, (0.02, 0.0, 0.1), inertia),
        Body("sensor", 0.3, (0.0, 0.0, 0.02), inertia),
        Body("tool", 0.7, (0.05, 0.03, 0.1), inertia),
    ]
    joints = [
        Joint("shoulder", "revolute", "base", "upper", (0.0, 0.0, 0.1), axis=(0.0, 1.0, 0.0)),
        Joint("elbow", "revolute", "upper", "lower", (0.0, 0.0, 0.4), axis=(1.0, 0.0, 0.0)),
        Joint("weld", "fixed", "lower", "sensor", (0.0, 0.1, 0.2), (0.8, 0.0, 0.6, 0.0)),
        Joint("flange", "fixed", "sensor", "tool", (0.0, 0.0, 0.05), (0.6, 0.8, 0.0, 0.0)),
    ]
    return RobotModel("crane", bodies, joints)


def test_static_arm_carries_the_weight_beyond_each_joint(device: str) -> None:
    """In eight poses: force = weight of what hangs on a joint, moment = its arm times it, fixed joints and base too."""
    model = crane()
    world = px.World(8, device, "float64", dt=0.01)
    robot = world.add_robot(model, fixed_base=True, orientation=(0.9, 0.1, -0.3, 0.2), position=(1.0, 2.0, 3.0))
    robot.set_joint_state(pos=np.random.default_rng(1).uniform(-2, 2, (8, 2)))
    robot.set_targets(effort=robot.gravity_force())
    world.step(1)
    assert np.abs(host(robot.joint_acc)).max() < 1e-9
    wrench, pose = host(robot.incoming_joint_wrench), host(robot.body_pose)
    beyond = {"base": model.bodies, "upper": model.bodies[1:], "lower": model.bodies[2:]}
    beyond |= {"sensor": model.bodies[3:], "tool": model.bodies[4:]}
    for b, name in enumerate(robot.body_names):
        for e in range(8):
            turn = rotation(pose[e, b, 3:])
            force, moment = np.zeros(3), np.zeros(3)
            for body in beyond[name]:
                at = pose[e, robot.body_index(body.name)]
                up = np.array([0.0, 0.0, body.mass * G])
                force += up
                moment += np.cross(at[:3] + rotation(at[3:]) @ body.com - pose[e, b, :3], up)
            np.testing.assert_allclose(wrench[e, b, :3], turn.T @ force, atol=1e-9)
            np.testing.assert_allclose(wrench[e, b, 3:], turn.T @ moment, atol=1e-9)
    # An outer force is taken off, by the body that carries the link.
    push = np.array([3.0, -2.0, 5.0])
    robot.set_external_wrench(force=push, body="lower")
    pushed = host(robot.incoming_joint_wrench)
    for e in range(8):
        np.testing.assert_allclose(
            rotation(pose[e, 0, 3:]) @ (pushed - wrench)[e, 0, :3], -push, atol=1e-9, err_msg="base"
        )
        np.testing.assert_allclose((pushed - wrench)[e, 3], 0.0, atol=1e-12, err_msg="sensor")


def test_accelerating_arm_against_pinocchio(robot_path: Callable[[str], Path], device: str) -> None:
    """A real arm thrown about by random efforts: every joint's wrench is that of Pinocchio's rnea."""
    path = robot_path("panda")
    world = px.World(4, device, "float64", dt=0.001)
    robot = world.add_robot(path, fixed_base=True, position=(0.3, -0.2, 0.5), orientation=(0.5, 0.5, -0.1, 0.7))
    rng = np.random.default_rng(2)
    n = robot.num_dof
    lower, upper = robot.joint_limits
    robot.set_drive(stiffness=0.0, damping=0.0)
    robot.set_joint_state(pos=(lower + upper) / 2 + 0.1 * rng.normal(size=(4, n)), vel=0.5 * rng.normal(size=(4, n)))
    robot.set_targets(effort=rng.normal(size=(4, n)) * np.where(np.arange(n) < 7, 5.0, 0.1))
    world.step(3)
    wrench = host(robot.incoming_joint_wrench)
    q, qd, qdd = host(robot.joint_pos), host(robot.joint_vel), host(robot.joint_acc)
    root = host(robot.root_pose)
    assert np.abs(qdd).max() > 5.0
    oracle = PinOracle(path, True, robot.joint_names)
    children = {joint.name: joint.child for joint in robot.model.joints}
    order = oracle._order
    for e in range(4):
        oracle._set_gravity(root[e], (0.0, 0.0, -G))
        v, a = np.zeros(n), np.zeros(n)
        v[order], a[order] = qd[e], qdd[e]
        pin.rnea(oracle.model, oracle.data, oracle._position(root[e], q[e]), v, a)
        for name in robot.joint_names:
            expected = oracle.data.f[oracle.model.getJointId(name)]
            mine = wrench[e, robot.body_index(children[name])]
            np.testing.assert_allclose(mine, [*expected.linear, *expected.angular], atol=1e-7)


def test_legs_carry_the_trunk(device: str) -> None:
    """A standing quadruped: each leg gives the trunk what the ground gives the leg, less the leg's weight."""
    world = px.World(2, device, dt=0.005)
    world.add_ground()
    robot = world.add_robot("quadruped")
    robot.set_drive(stiffness=60.0, damping=3.0)
    world.step(600)
    wrench, pose = host(robot.incoming_joint_wrench), host(robot.body_pose)
    contact = host(robot.net_contact_force)
    assert np.abs(wrench[:, 0]).max() == 0.0, "nothing holds a free root"
    parents = {joint.child: joint.parent for joint in robot.model.joints}
    mass = {body.name: body.mass for body in robot.model.bodies}
    below = {name: {name} for name in robot.body_names}
    for name in reversed(robot.body_names[1:]):
        below[parents[name]] |= below[name]
    weight = G * sum(mass.values())
    carried = np.zeros((2, 3))
    for b, name in enumerate(robot.body_names[1:], 1):
        ground = contact[:, [robot.body_index(x) for x in below[name]]].sum(axis=1)
        expected = np.array([0.0, 0.0, G * sum(mass[x] for x in below[name])]) - ground
        force = np.array([rotation(pose[e, b, 3:]) @ wrench[e, b, :3] for e in range(2)])
        np.testing.assert_allclose(force, expected, atol=2e-3 * weight)
        carried -= force if parents[name] == robot.body_names[0] else 0.0
    np.testing.assert_allclose(carried, [[0.0, 0.0, G * mass[robot.body_names[0]]]] * 2, atol=2e-3 * weight)
