"""Limits that throw back or give way, falls in which no joint may pass its limit, friction at rest and in motion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from actuation.joints import INERTIA, MASS, alone, hinge, slider
from oracles import host

import phalanx as px
from phalanx import components as c
from phalanx.models.robot_model import RobotModel


@pytest.mark.parametrize("elastic", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("build", [hinge, slider], ids=["hinge", "slider"])
def test_restitution_of_a_limit(build: Any, elastic: float, device: str) -> None:
    """A joint leaves its limit at so much of the speed at which it came; below the threshold it stays there."""
    world, robot = alone(build(lower=-0.2, upper=0.2, limit_restitution=elastic), device, dt=0.002)
    robot.set_joint_state(vel=3.0)
    speed, turns = 3.0, 0
    for _ in range(400):
        world.step()
        now = host(robot.joint_vel)[0, 0]
        assert abs(host(robot.joint_pos)[0, 0]) < 0.2 + 1e-6
        if now * speed < 0 or (elastic == 0.0 and abs(now) < 1e-4):
            turns += 1
            expected = elastic * speed if abs(speed) > 0.2 else 0.0
            assert now == pytest.approx(-expected, abs=1e-4)
        speed = now
    assert turns > (1 if elastic > 0.4 else 0)


def test_slow_joints_do_not_bounce(device: str) -> None:
    world, robot = alone(hinge(lower=-0.2, upper=0.2, limit_restitution=1.0), device)
    robot.set_joint_state(vel=-0.19)
    world.step(500)
    assert host(robot.joint_pos)[0, 0] == pytest.approx(-0.2, abs=1e-5)
    assert abs(host(robot.joint_vel)[0, 0]) < 1e-5


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("stiffness", [50.0, 1e6])
def test_compliant_limit_gives_way_by_effort_over_stiffness(stiffness: float, sign: float, device: str) -> None:
    """Pushed on with 2 N·m it comes to rest 2 / k beyond; inside the range it is free."""
    model = hinge(lower=-0.3, upper=0.3, limit_stiffness=stiffness, limit_damping=5.0)
    world, robot = alone(model, device, dtype="float64")
    robot.set_targets(effort=sign * 2.0)
    world.step(10)
    assert host(robot.joint_vel)[0, 0] == pytest.approx(sign * 2.0 * world.time / INERTIA, rel=1e-12)
    world.step(1500)
    assert host(robot.joint_pos)[0, 0] == pytest.approx(sign * (0.3 + 2.0 / stiffness), abs=1e-6)


def test_compliant_limit_is_implicit_euler(device: str) -> None:
    """The motion into the limit and out again is the recurrence of a spring and damper taken at the substep's end."""
    stiffness, damping, dt = 400.0, 3.0, 0.004
    world, robot = alone(
        slider(upper=0.1, limit_stiffness=stiffness, limit_damping=damping), device, dtype="float64", dt=dt
    )
    robot.set_joint_state(vel=2.0)
    q, v, deepest = 0.0, 2.0, 0.0
    for _ in range(150):
        pushed = (MASS * v - dt * stiffness * (q - 0.1)) / (MASS + dt * damping + dt * dt * stiffness)
        beyond = q + dt * v > 0.1 and stiffness * (q + dt * pushed - 0.1) + damping * pushed > 0
        v = pushed if beyond else v
        q += dt * v
        world.step()
        np.testing.assert_allclose([host(robot.joint_pos)[0, 0], host(robot.joint_vel)[0, 0]], [q, v], atol=1e-9)
        deepest = max(deepest, q)
    assert deepest > 0.2
    assert v < -1.0


def test_drive_against_a_compliant_limit(device: str) -> None:
    """kp (q* - q) = k (q - limit) at rest, and a drive at its effort limit rests at limit + effort / k."""
    for effort_limit, expected in ((np.inf, (100.0 * 1.0 + 300.0 * 0.5) / 400.0), (10.0, 0.5 + 10.0 / 300.0)):
        model = hinge(upper=0.5, limit_stiffness=300.0, limit_damping=10.0)
        world, robot = alone(model, device, dtype="float64")
        robot.set_drive(stiffness=100.0, damping=10.0, effort_limit=effort_limit)
        robot.set_targets(pos=1.0)
        world.step(1000)
        assert host(robot.joint_pos)[0, 0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_no_joint_passes_its_limit_in_violent_falls(name: str, device: str) -> None:
    """Thrown at the ground limp, turning, or with drives at full effort: all joints stay in their ranges."""
    world = px.World(num_envs=6, device=device)
    world.add_ground()
    robot = world.add_robot(name, position=(0.0, 0.0, 1.2))
    rng = np.random.default_rng(4)
    world.build()
    limp = np.arange(6)[:, None] < 3
    strength = np.where(limp, 0.0, 1.0) * np.ones((6, robot.num_dof))
    robot.set_drive(stiffness=300.0 * strength, damping=5.0 * strength)
    robot.set_root_state(vel=rng.normal(size=(6, 6)) * [2, 2, 0.1, 8, 8, 8] - [0, 0, 8, 0, 0, 0])
    robot.set_joint_state(vel=rng.normal(size=(6, robot.num_dof)) * 5)
    lower, upper = robot.joint_limits
    fastest = host(world[c.DofLimit].velocity)[6:, 0]
    worst, touched, speed = 0.0, np.zeros(robot.num_dof, bool), 0.0
    for step in range(300):
        if step % 20 == 0:
            robot.set_targets(pos=rng.uniform(lower - 0.3, upper + 0.3, (6, robot.num_dof)))
        world.step()
        q = host(robot.joint_pos)
        worst = max(worst, (lower - q).max(), (q - upper).max())
        touched |= (np.minimum(q - lower, upper - q) < 1e-3).any(axis=0)
        speed = max(speed, (np.abs(host(robot.joint_vel)) / fastest).max())
    assert not len(world.diverged)
    assert worst < 1e-5
    assert speed < 1.0001
    assert touched.mean() > 0.7


@pytest.mark.parametrize("build", [hinge, slider], ids=["hinge", "slider"])
def test_static_friction_holds_and_dynamic_friction_brakes(build: Any, device: str) -> None:
    """At rest up to the static effort; above it the joint moves as if only the dynamic one acted."""
    inertia = INERTIA if build is hinge else MASS

    def moved(effort: float, speed: float = 0.0) -> float:
        world, robot = alone(build(friction=0.4, static_friction=1.0), device, dtype="float64")
        robot.set_joint_state(vel=speed)
        robot.set_targets(effort=effort)
        world.step(100)
        return host(robot.joint_vel)[0, 0]

    assert moved(0.99) == pytest.approx(0.0, abs=1e-15)
    assert moved(-0.99) == pytest.approx(0.0, abs=1e-15)
    assert moved(1.01) == pytest.approx((1.01 - 0.4) * 0.5 / inertia, rel=1e-9)
    assert moved(-1.01) == pytest.approx(-(1.01 - 0.4) * 0.5 / inertia, rel=1e-9)
    assert moved(0.6, 2.0) == pytest.approx(2.0 + (0.6 - 0.4) * 0.5 / inertia, rel=1e-9)
    assert moved(0.0, 1e-4) == pytest.approx(0.0, abs=1e-15)


def test_viscous_friction_adds_to_coulomb_friction(device: str) -> None:
    """v' = -(c v + f) / J, by the recurrence of implicit Euler, until it stops."""
    friction, viscous, dt = 0.3, 0.5, 0.002
    world, robot = alone(hinge(friction=friction, damping=viscous), device, dtype="float64", dt=dt)
    robot.set_joint_state(vel=2.0)
    v = 2.0
    for _ in range(100):
        v = (INERTIA * v - dt * friction) / (INERTIA + dt * viscous)
        world.step()
        assert host(robot.joint_vel)[0, 0] == pytest.approx(v, rel=1e-9)
    assert v > 0.5


def test_limits_and_friction_survive_to_dict() -> None:
    model = hinge(static_friction=1.0, limit_restitution=0.5, limit_stiffness=3.0, limit_damping=0.25)
    assert RobotModel.from_dict(model.to_dict()).joints == model.joints
