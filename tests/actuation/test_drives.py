"""Drives of one joint against closed formulas: implicit PD, explicit PD, effort limits, damping, armature."""

from __future__ import annotations

import numpy as np
import pytest
from actuation.joints import INERTIA, MASS, alone, hinge, slider
from oracles import host

import phalanx as px


@pytest.mark.parametrize("kind", ["hinge", "slider"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 2e-5)])
def test_implicit_drive_is_the_recurrence_of_implicit_euler(
    kind: str, dtype: str, tolerance: float, device: str
) -> None:
    """(I + h (kd + c) + h² kp) v' = I v + h (kp (q* - q) + kd v* + effort); q' = q + h v'."""
    kp, kd, damping, armature, dt = 40.0, 3.0, 0.2, 0.07, 0.01
    model = {"hinge": hinge, "slider": slider}[kind](damping=damping, armature=armature)
    inertia = (INERTIA if kind == "hinge" else MASS) + armature
    world, robot = alone(model, device, dtype=dtype, dt=dt)
    robot.set_drive(stiffness=kp, damping=kd)
    robot.set_targets(pos=0.8, vel=0.5, effort=1.5)
    robot.set_joint_state(pos=-0.4, vel=2.0)
    q, v = -0.4, 2.0
    for _ in range(100):
        before = v
        v = (inertia * v + dt * (kp * (0.8 - q) + kd * 0.5 + 1.5)) / (inertia + dt * (kd + damping) + dt * dt * kp)
        q += dt * v
        world.step()
        effort = kp * (0.8 - q) + kd * (0.5 - v) + 1.5  # of the end of the step
        assert host(robot.joint_pos)[0, 0] == pytest.approx(q, abs=tolerance)
        assert host(robot.joint_vel)[0, 0] == pytest.approx(v, abs=10 * tolerance)
        assert host(robot.joint_acc)[0, 0] == pytest.approx((v - before) / dt, abs=1e4 * tolerance)
        assert host(robot.applied_effort)[0, 0] == pytest.approx(effort, abs=1e3 * tolerance)


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-12), ("float32", 2e-5)])
def test_explicit_drive_is_the_formula_of_the_state_before(dtype: str, tolerance: float, device: str) -> None:
    """The effort is that of the start of the step, clamped; the acceleration is effort / inertia."""
    kp, kd, limit, dt = 40.0, 3.0, 12.0, 0.005
    world, robot = alone(hinge(effort_limit=limit), device, dtype=dtype, dt=dt)
    robot.set_drive(stiffness=kp, damping=kd, explicit=True)
    robot.set_targets(pos=0.8, vel=0.5, effort=1.5)
    robot.set_joint_state(pos=-0.4, vel=2.0)
    q, v, saturated = -0.4, 2.0, 0
    for _ in range(200):
        effort = kp * (0.8 - q) + kd * (0.5 - v) + 1.5
        saturated += abs(effort) > limit
        effort = float(np.clip(effort, -limit, limit))
        v += dt * effort / INERTIA
        q += dt * v
        world.step()
        assert host(robot.joint_pos)[0, 0] == pytest.approx(q, abs=tolerance)
        assert host(robot.joint_vel)[0, 0] == pytest.approx(v, abs=10 * tolerance)
        assert host(robot.applied_effort)[0, 0] == pytest.approx(effort, abs=1e2 * tolerance)
    assert 0 < saturated < 200


def test_explicit_and_implicit_joints_side_by_side(device: str) -> None:
    """The choice is per joint: of the arm's first two joints one takes the formula of the state before."""
    world = px.World(device=device, dtype="float64")
    robot = world.add_robot("arm")
    explicit = np.zeros(robot.num_dof)
    explicit[1] = 1
    robot.set_drive(stiffness=100.0, damping=2.0, effort_limit=np.inf, explicit=explicit)
    targets = robot.default_joint_pos + 0.1
    robot.set_targets(pos=targets)
    q, v = host(robot.joint_pos)[0], host(robot.joint_vel)[0]
    for _ in range(5):
        world.step()
        applied = host(robot.applied_effort)[0]
        assert applied[1] == pytest.approx(100.0 * (targets[1] - q[1]) - 2.0 * v[1], rel=1e-12)
        q, v = host(robot.joint_pos)[0], host(robot.joint_vel)[0]
        assert applied[0] == pytest.approx(100.0 * (targets[0] - q[0]) - 2.0 * v[0], rel=1e-6)


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_saturated_drive_accelerates_at_limit_over_inertia(sign: float, explicit: bool, device: str) -> None:
    """Whatever the gain, and the reported effort is the limit."""
    world, robot = alone(hinge(effort_limit=3.0), device)
    robot.set_drive(stiffness=1e4, damping=10.0, explicit=explicit)
    robot.set_targets(pos=2.0 * sign)
    for step in range(1, 61):
        world.step()
        assert host(robot.applied_effort)[0, 0] == pytest.approx(3.0 * sign, rel=1e-4)
        assert host(robot.joint_vel)[0, 0] == pytest.approx(sign * 3.0 / INERTIA * step * world.dt, rel=1e-4)


def test_effort_limit_counts_the_feedforward(device: str) -> None:
    """Feed-forward alone, and feed-forward against the drive, are limited as a sum."""
    world, robot = alone(hinge(), device)
    robot.set_drive(effort_limit=2.0)
    robot.set_targets(effort=5.0)
    world.step(10)
    assert host(robot.applied_effort)[0, 0] == pytest.approx(2.0, rel=1e-5)
    assert host(robot.joint_vel)[0, 0] == pytest.approx(2.0 / INERTIA * world.time, rel=1e-5)


@pytest.mark.parametrize("stiffness", [50.0, 1e3, 1e5])
def test_drive_settles_from_saturation_without_ringing(stiffness: float, device: str) -> None:
    """A far target at a low limit: full effort, then at the target, within 1e-3 rad, after 5 s."""
    world, robot = alone(hinge(effort_limit=5.0), device)
    robot.set_drive(stiffness=stiffness, damping=2 * np.sqrt(stiffness * INERTIA))
    robot.set_targets(pos=0.5)
    for _ in range(100):
        world.step(10)
        assert np.abs(host(robot.applied_effort)).max() < 5.0 * 1.0001
    assert host(robot.joint_pos)[0, 0] == pytest.approx(0.5, abs=1e-3)
    assert abs(host(robot.joint_vel)[0, 0]) < 1e-3


def test_damping_decays_as_implicit_euler_does(device: str) -> None:
    """v' = v I / (I + h c), at any coefficient."""
    for damping in (0.1, 10.0, 1e4):
        world, robot = alone(hinge(damping=damping), device, dtype="float64")
        robot.set_joint_state(vel=2.0)
        world.step(20)
        expected = 2.0 * (INERTIA / (INERTIA + world.dt * damping)) ** 20
        assert host(robot.joint_vel)[0, 0] == pytest.approx(expected, rel=1e-10, abs=1e-30)


def test_armature_adds_to_the_inertia(device: str) -> None:
    """Acceleration is effort / (I + armature), and the mass matrix has it."""
    world, robot = alone(hinge(armature=0.4), device, dtype="float64")
    robot.set_targets(effort=1.0)
    world.step(10)
    assert host(robot.joint_vel)[0, 0] == pytest.approx(world.time / (INERTIA + 0.4), rel=1e-12)
    assert host(robot.mass_matrix())[0, 0, 0] == pytest.approx(INERTIA + 0.4, rel=1e-12)


def test_drive_holds_against_gravity_with_the_offset_of_its_gain(device: str) -> None:
    """At rest the spring carries the moment of the weight: kp (q* - q) = m g r sin q."""
    world, robot = alone(hinge(), device, gravity=9.81)
    robot.set_drive(stiffness=30.0, damping=5.0)
    robot.set_targets(pos=1.0)
    world.step(2000)
    q = host(robot.joint_pos)[0, 0]
    moment = MASS * 9.81 * 0.3 * np.sin(q)
    assert 30.0 * (1.0 - q) == pytest.approx(moment, rel=1e-4)
    assert host(robot.applied_effort)[0, 0] == pytest.approx(moment, rel=1e-4)
    assert host(robot.gravity_force())[0, 0] == pytest.approx(moment, rel=1e-4)
