"""What holds joints back: position limits, speed limits, Coulomb friction, mimic joints."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from actuation.joints import INERTIA, MASS, RADIUS, alone, hinge, slider
from oracles import host
from real_robots import robot_path

import phalanx as px
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel

PAST_LIMIT = 0.01
"""rad, the most that a joint may pass its limit."""


@pytest.mark.parametrize("dt", [0.002, 0.01])
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_pendulum_stops_at_its_limit(sign: float, dt: float, device: str) -> None:
    """Let go at 1.2 rad it swings into the limit at -0.3 rad; it never passes it, does not rebound, and rests there."""
    limits = {"lower": -0.3, "upper": 1.5} if sign > 0 else {"lower": -1.5, "upper": 0.3}
    world, robot = alone(hinge(**limits), device, gravity=9.81, dt=dt)
    # Gravity that leans by 45 degrees, towards the limit.
    robot.set_targets(effort=-sign * 4.0)
    robot.set_joint_state(pos=1.2 * sign)
    fastest, reached = 0.0, False
    for _ in range(round(2.0 / dt)):
        world.step()
        q, v = sign * host(robot.joint_pos)[0, 0], sign * host(robot.joint_vel)[0, 0]
        fastest = max(fastest, abs(v))
        assert q > -0.3 - 1e-3
        reached = reached or q < -0.3 + 1e-3
        if reached:
            assert q < -0.3 + 2e-3
    assert reached
    assert fastest > 2.0  # it did swing
    assert abs(host(robot.joint_vel)[0, 0]) < 1e-5


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_joints_thrown_at_their_limits_stop_there(name: str, device: str) -> None:
    """Every joint of a real arm flies at one of its limits, and is pushed on: none passes it by 0.01 rad."""
    world = px.World(num_envs=8, device=device)
    robot = world.add_robot(str(robot_path(name)), fixed_base=True)
    robot.set_drive(stiffness=0.0, damping=0.0)
    lower, upper = robot.joint_limits
    rng = np.random.default_rng(2)
    side = rng.choice([-1.0, 1.0], (8, robot.num_dof))
    margin = np.minimum(0.1, 0.2 * (upper - lower))
    robot.set_joint_state(pos=np.where(side < 0, lower + margin, upper - margin), vel=2.0 * side * margin / 0.1)
    robot.set_targets(effort=10.0 * side * np.diag(host(robot.mass_matrix())[0]))
    touched = np.zeros((8, robot.num_dof), bool)
    for _ in range(100):
        world.step()
        q = host(robot.joint_pos)
        assert (lower - q).max() < PAST_LIMIT and (q - upper).max() < PAST_LIMIT
        touched |= np.minimum(q - lower, upper - q) < 1e-3
    assert touched.mean() > 0.7  # the limits were put to use


def test_joint_beyond_its_limit_comes_back_slowly(device: str) -> None:
    """Set 0.3 rad past a limit, a joint returns no faster than the cap and stops at the limit."""
    world, robot = alone(hinge(lower=-1.0, upper=1.0), device, max_depenetration_velocity=1.0)
    robot.set_joint_state(pos=1.3)
    positions = []
    for _ in range(300):
        world.step()
        positions.append(host(robot.joint_pos)[0, 0])
    assert np.abs(np.diff(positions)).max() < 1.001 * world.dt
    assert positions[-1] == pytest.approx(1.0, abs=1e-3)
    assert abs(host(robot.joint_vel)[0, 0]) < 1e-3


@pytest.mark.parametrize("effort", [50.0, -50.0])
def test_speed_limit_holds(effort: float, device: str) -> None:
    """Driven hard, falling or not: speed rises to the limit and stays there."""
    for gravity in (0.0, 9.81):
        world, robot = alone(hinge(velocity_limit=1.5), device, gravity=gravity)
        robot.set_targets(effort=effort)
        speeds = []
        for _ in range(100):
            world.step()
            speeds.append(host(robot.joint_vel)[0, 0])
        assert np.abs(speeds).max() < 1.5 * 1.0001
        assert speeds[-1] == pytest.approx(np.copysign(1.5, effort), rel=1e-4)


@pytest.mark.parametrize("name", ["ur5", "go2"])
def test_real_robot_keeps_its_limits_of_effort_speed_and_position(name: str, device: str) -> None:
    """Targets that jump across the whole range: effort within its limit, speed within 5 %, position within 0.01 rad."""
    world = px.World(num_envs=4, device=device)
    robot = world.add_robot(str(robot_path(name)), fixed_base=True)
    joints = _joints(robot)
    fastest, strongest = (np.array([getattr(j, f"{what}_limit") for j in joints]) for what in ("velocity", "effort"))
    lower, upper = robot.joint_limits
    robot.set_drive(stiffness=100.0, damping=5.0)
    rng, speed, effort = np.random.default_rng(3), np.zeros(robot.num_dof), np.zeros(robot.num_dof)
    for _ in range(10):
        robot.set_targets(pos=rng.uniform(lower, upper, (4, robot.num_dof)))
        for _ in range(20):
            world.step()
            speed = np.maximum(speed, np.abs(host(robot.joint_vel)).max(axis=0))
            effort = np.maximum(effort, np.abs(host(robot.applied_effort)).max(axis=0))
            q = host(robot.joint_pos)
            assert (lower - q).max() < PAST_LIMIT and (q - upper).max() < PAST_LIMIT
    assert (effort <= strongest * 1.0001).all(), effort / strongest
    assert (speed < fastest * 1.05).all(), speed / fastest
    assert (effort > strongest * 0.999).any() and (speed > fastest * 0.99).any()  # both were put to use


def test_joints_at_their_speed_limits_push_only_themselves(device: str) -> None:
    """What holds one joint at its speed limit acts on the others through their inertia, as a motor's effort would.

    The oracle is the step of implicit drives with bounds on speed, by Gauss-Seidel in float64: M (v - v0) / h =
    tau(v) - bias where a speed is within its bounds. Cutting speeds afterwards instead would be wrong by 2.5 rad/s.
    """
    h, stiffness, damping = 1.0 / 60.0, 80.0, 4.0
    world = px.World(num_envs=2, device=device, dt=h, dtype="float64")
    robot = world.add_robot(str(robot_path("ur5")), fixed_base=True, collision_mask=0, position_iterations=32)
    robot.set_drive(stiffness=stiffness, damping=damping)
    joints = _joints(robot)
    fastest, strongest = (np.array([getattr(j, f"{what}_limit") for j in joints]) for what in ("velocity", "effort"))
    lost = damping + np.array([j.damping for j in joints])
    assert not any(j.friction for j in joints)
    rng = np.random.default_rng(4)
    target = rng.uniform(-2.5, 2.5, (2, robot.num_dof))
    robot.set_joint_state(pos=rng.uniform(-0.5, 0.5, target.shape))
    robot.set_targets(pos=target)
    worst, cut, held = 0.0, 0.0, 0
    for _ in range(15):
        q, v, mass, bias = (
            host(one).copy() for one in (robot.joint_pos, robot.joint_vel, robot.mass_matrix(), robot.bias_force())
        )
        world.step()
        for env, found in enumerate(host(robot.joint_vel)):
            pull = stiffness * (target[env] - q[env])
            bounds = fastest, strongest
            expected = _bounded_step(mass[env] / h, bias[env], v[env], pull, lost + h * stiffness, bounds)
            free = _bounded_step(mass[env] / h, bias[env], v[env], pull, lost + h * stiffness, (np.inf, strongest))
            at_limit = np.abs(expected) > 0.999 * fastest
            held += int(at_limit.any() and not at_limit.all())
            worst = max(worst, np.abs(found - expected).max())
            cut = max(cut, np.abs(np.clip(free, -fastest, fastest) - expected).max())
    assert held > 10  # limits were put to use
    assert cut > 1.0
    assert worst < 1e-5


def _bounded_step(
    inertia: np.ndarray, bias: np.ndarray, v0: np.ndarray, pull: np.ndarray, lost: np.ndarray, bounds: Any
) -> np.ndarray:
    """Speeds v with inertia (v - v0) = clip(pull - lost v) - bias within bounds of speed; of effort, in the clip."""
    fastest, strongest = (np.broadcast_to(bound, v0.shape) for bound in bounds)
    v = v0.copy()
    for _ in range(150):
        for n in range(len(v)):
            rest = bias[n] + inertia[n] @ (v - v0) - inertia[n, n] * v[n]
            speed = (pull[n] - rest) / (inertia[n, n] + lost[n])
            effort = np.clip(pull[n] - lost[n] * speed, -strongest[n], strongest[n])
            v[n] = np.clip((effort - rest) / inertia[n, n], -fastest[n], fastest[n])
    return v


def _joints(robot: px.Robot) -> list[Joint]:
    by_name = {joint.name: joint for joint in robot.model.joints}
    return [by_name[name] for name in robot.joint_names]


@pytest.mark.parametrize("build", [hinge, slider], ids=["hinge", "slider"])
def test_coulomb_friction_slows_and_holds(build: Any, device: str) -> None:
    """A moving joint loses friction / inertia a second and stops for good, without a drift."""
    inertia = INERTIA if build is hinge else MASS
    world, robot = alone(build(friction=0.6), device, dt=0.002)
    robot.set_joint_state(vel=1.0)
    slowing = 0.6 / inertia
    world.step(50)
    assert host(robot.joint_vel)[0, 0] == pytest.approx(1.0 - slowing * world.time, rel=1e-4)
    world.step(round(1.0 / slowing / world.dt))
    stopped = host(robot.joint_pos)[0, 0]
    assert stopped == pytest.approx(0.5 / slowing, rel=0.01)
    assert abs(host(robot.joint_vel)[0, 0]) < 1e-7
    robot.set_targets(effort=0.59)
    world.step(500)
    assert host(robot.joint_pos)[0, 0] == pytest.approx(stopped, abs=1e-6)


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_effort_above_friction_moves_the_joint(sign: float, device: str) -> None:
    """At (effort - friction) / inertia."""
    world, robot = alone(hinge(friction=0.6), device)
    robot.set_targets(effort=sign * 0.7)
    world.step(100)
    assert host(robot.joint_vel)[0, 0] == pytest.approx(sign * 0.1 / INERTIA * world.time, rel=1e-3)


def test_friction_holds_a_pendulum_up(device: str) -> None:
    """Below m g r sin(q) = friction it stays where it is, above it falls."""
    critical = np.arcsin(2.0 / (MASS * 9.81 * RADIUS))
    for angle, stays in ((critical - 0.01, True), (critical + 0.01, False)):
        world, robot = alone(hinge(friction=2.0), device, gravity=9.81)
        robot.set_joint_state(pos=angle)
        world.step(400)
        assert (abs(host(robot.joint_pos)[0, 0] - angle) < 1e-5) == stays


def geared(ratio: float, offset: float) -> RobotModel:
    """Two hinges of which the second follows the first."""
    bodies = [Body(name, 1.0, (0.1, 0.0, -0.2), 0.01 * np.eye(3)) for name in ("base", "leader", "follower")]
    axis = (0.0, 1.0, 0.0)
    return RobotModel(
        "geared",
        bodies,
        [
            Joint("lead", "revolute", "base", "leader", axis=axis),
            Joint(
                "follow",
                "revolute",
                "leader",
                "follower",
                (0.2, 0.0, 0.0),
                axis=axis,
                mimic=Mimic("lead", ratio, offset),
            ),
        ],
    )


@pytest.mark.parametrize(("ratio", "offset"), [(1.0, 0.0), (-2.0, 0.3), (0.5, -0.1)])
def test_mimic_joint_follows(ratio: float, offset: float, device: str) -> None:
    """q(follow) = ratio q(lead) + offset within 1e-3, under gravity, driven by a fast sine, from the first step on."""
    world, robot = alone(geared(ratio, offset), device, gravity=9.81)
    robot.set_drive(stiffness=[[80.0, 0.0]], damping=[[2.0, 0.0]])
    robot.set_joint_state(pos=[[0.2, ratio * 0.2 + offset]])
    reached = 0.0
    for step in range(400):
        robot.set_targets(pos=[[0.8 * np.sin(10.0 * step * world.dt), 0.0]])
        world.step()
        lead, follow = host(robot.joint_pos)[0]
        reached = max(reached, abs(lead))
        assert follow == pytest.approx(ratio * lead + offset, abs=1e-3)
    assert reached > 0.5


def test_mimic_pair_moves_as_one_inertia(device: str) -> None:
    """Effort on the leader: acceleration effort / (J^T M J) with J = (1, ratio)."""
    world, robot = alone(geared(-2.0, 0.0), device, dtype="float64", velocity_iterations=4)
    mass = host(robot.mass_matrix())[0]
    robot.set_targets(effort=[[0.5, 0.0]])
    world.step()
    ways = np.array([1.0, -2.0])
    np.testing.assert_allclose(host(robot.joint_acc)[0], 0.5 / (ways @ mass @ ways) * ways, rtol=1e-6)


def test_gripper_of_the_panda_closes_evenly(device: str) -> None:
    """The second finger of the real file mimics the first."""
    world = px.World(device=device)
    robot = world.add_robot(str(robot_path("panda")), fixed_base=True)
    first, second = (robot.joint_index(f"panda_finger_joint{i}") for i in (1, 2))
    robot.set_drive(stiffness=400.0, damping=40.0)
    target = robot.default_joint_pos.copy()
    target[first] = 0.03
    robot.set_targets(pos=target)
    worst = 0.0
    for _ in range(100):
        world.step()
        q = host(robot.joint_pos)[0]
        worst = max(worst, abs(q[first] - q[second]))
    assert worst < 1e-3
    assert q[first] > 0.01
