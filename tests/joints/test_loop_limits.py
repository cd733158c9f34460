"""Limits of the angles of loop joints: where they stop, what they bear, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joints.test_loop_joints import COUPLER, closed_form, four_bar
from joints.test_spherical_limits import swing_and_twist
from oracles import host

import phalanx as px
from phalanx.systems import LOOP_LIMITS

G = 9.81


def bob(world: px.World, name: str, position: Any, mass: float = 1.0, **options: Any) -> px.RigidObject:
    """A small ball that touches nothing."""
    return world.add_rigid_object(
        px.Shape("sphere", (0.05,)), name, mass=mass, position=position, collision_mask=0, **options
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_pendulums_stop_at_their_limits(dtype: str, device: str) -> None:
    """Small balls on arms of 1 m: none passes its limit by 0.01 rad, gains energy or bounces; some rest on a limit."""
    world = px.World(5, device, dtype, dt=0.005)
    ball = bob(world, "ball", (0, 0, 1))
    hinge = world.add_joint("revolute", ball, position_a=(0, 0, 1), axis=(0, 1, 0), lower=-0.5, upper=0.3)
    lower, upper = np.array([-0.5, -0.5, -2.0, 0.4, -np.inf]), np.array([0.3, 0.3, -1.0, 1.2, 0.2])
    hinge.set_limits(lower, upper)
    start = np.array([0.0, 0.0, -1.2, 1.1, -2.5])
    speed = np.array([-2.0, 5.0, -8.0, 3.0, 0.0])
    pose, vel = np.zeros((5, 7)), np.zeros((5, 6))
    pose[:, 0], pose[:, 2] = -np.sin(start), 2 - np.cos(start)
    pose[:, 3], pose[:, 5] = np.cos(start / 2), np.sin(start / 2)
    vel[:, 0], vel[:, 2], vel[:, 4] = -speed * np.cos(start), speed * np.sin(start), speed
    ball.set_root_state(pose=pose, vel=vel)
    assert host(hinge.angle) == pytest.approx(start, abs=1e-6)
    spin = 0.4 * 0.05**2  # a ball's own inertia

    def energy() -> Any:
        p, v = host(ball.root_pose), host(ball.root_vel)
        return 0.5 * (v[:, :3] ** 2).sum(axis=1) + 0.5 * spin * (v[:, 3:] ** 2).sum(axis=1) + G * p[:, 2]

    first, angles, rates, energies = energy(), [], [], []
    for _ in range(1200):
        world.step()
        angles.append(host(hinge.angle))
        rates.append(host(ball.root_vel)[:, 4])
        energies.append(energy())
    angle, rate, joules = np.array(angles), np.array(rates), np.array(energies)
    assert max((lower - angle).max(), (angle - upper).max()) < 0.01
    # A substep of semi-implicit Euler is half a step of falling off; nothing is gained beyond that.
    assert (joules - first).max() < 0.02 * G
    assert np.diff(joules, axis=0).max() < 0.005 * 8.0 * G
    for e in range(5):
        stopped = (angle[:, e] < lower[e] + 2e-3) | (angle[:, e] > upper[e] - 2e-3)
        assert stopped.any()
        hit = int(np.argmax(stopped))
        away = rate[hit + 2 : hit + 5, e] * np.sign(rate[hit - 2, e])
        assert away.min() > -5 * 0.005 * G, "at most what gravity turns it back by in five substeps"
    # two rest on a limit, held by the torque of their weight
    resting = np.array([-1.0, 0.4])
    assert angle[-1, 2:4] == pytest.approx(resting, abs=1e-3)
    assert np.abs(rate[-1, 2:4]).max() < 1e-3
    wrench = host(hinge.wrench)[2:4]
    np.testing.assert_allclose(wrench[:, :3], [[0, 0, G]] * 2, atol=2e-3)
    np.testing.assert_allclose(wrench[:, 4], G * np.sin(resting), rtol=1e-3)
    gap = np.linalg.norm(host(hinge.pose_a - hinge.pose_b)[:, :3], axis=1)
    assert gap.max() < 1e-4


def test_speed_at_a_limit_by_energy(device: str) -> None:
    """A rod let go from the horizontal swings through to its limit at the speed of free fall, and stays there."""
    world = px.World(1, device, "float64", dt=0.001)
    rod = world.add_rigid_object(px.Shape("box", (0.5, 0.01, 0.01)), "rod", mass=2.0, position=(0.5, 0, 0))
    hinge = world.add_joint("revolute", rod, position_a=(-0.5, 0, 0), axis=(0, 1, 0), upper=1.0)
    inertia = 2.0 * (1.0**2 + 0.02**2) / 12 + 2.0 * 0.5**2
    fastest = 0.0
    for _ in range(3000):
        world.step()
        fastest = max(fastest, host(rod.root_vel)[0, 4])
    assert fastest == pytest.approx(np.sqrt(2 * 2.0 * G * 0.5 * np.sin(1.0) / inertia), rel=2e-3)
    assert host(hinge.angle)[0] == pytest.approx(1.0, abs=1e-6)
    assert host(hinge.wrench)[0, 4] == pytest.approx(-2.0 * G * 0.5 * np.cos(1.0), rel=1e-6)


def test_chain_of_limited_hinges_is_a_stiff_arch(device: str) -> None:
    """Six rods that bend down by 0.15 rad at each hinge bear the moments of statics, and end where geometry says."""
    count, length, mass, bend = 6, 0.2, 0.3, 0.15
    world = px.World(1, device, "float64", dt=0.005)
    rods = [bob(world, f"rod{i}", (length * (i + 0.5), 0, 0), mass, angular_damping=2.0) for i in range(count)]
    hinges = []
    for i, rod in enumerate(rods):
        at: dict[str, Any] = {"position_a": (-length / 2, 0, 0), "axis": (0, 1, 0)}
        hinges.append(world.add_joint("revolute", rod, None if i == 0 else rods[i - 1], lower=-bend, upper=bend, **at))
    world.step(1500)
    slopes = bend * np.arange(1, count + 1)
    assert [host(hinge.angle)[0] for hinge in hinges] == pytest.approx([bend] * count, abs=1e-3)
    ends = np.concatenate([[0], np.cumsum(length * np.cos(slopes))])
    middles = ends[:-1] + length / 2 * np.cos(slopes)
    for i, hinge in enumerate(hinges):
        moment = mass * G * (middles[i:] - ends[i]).sum()
        wrench = host(hinge.wrench)[0]
        assert wrench[4] == pytest.approx(-moment, rel=5e-3)
        assert wrench[2] == pytest.approx(mass * G * (count - i), rel=1e-3)
    tip = host(rods[-1].root_pose)[0, [0, 2]]
    drop = np.sum(length * np.sin(slopes)) - length / 2 * np.sin(slopes[-1])
    assert tip == pytest.approx([middles[-1], -drop], abs=2e-3)


def test_limit_within_a_linkage(device: str) -> None:
    """A motor turns the crank of a four-bar linkage until its closing hinge stops it, where geometry says, both ways.

    What the hinge then bears is the motor's torque by the ratio of the speeds of crank and hinge (virtual work).
    """
    world = px.World(2, device, "float64", dt=0.005, gravity=(0.0, 0.0, 0.0))
    rocker, coupler = closed_form(np.array(1.0))
    robot = world.add_robot(four_bar(), fixed_base=True, joint_pos=[1.0, float(rocker), float(coupler) - 1.0])
    hinge = world.add_joint(
        "revolute", "robot/coupler", "robot/rocker", position_a=(COUPLER, 0, 0), axis=(0, -1, 0), lower=-0.25, upper=0.2
    )
    robot.set_drive(stiffness=0.0, damping=[0.5, 0.0, 0.0])
    robot.set_targets(effort=[[3.0, 0.0, 0.0], [-3.0, 0.0, 0.0]])
    world.step(800)
    # the hinge's angle counts from where it was added
    crank = np.linspace(0.3, 2.5, 2001)
    there, over = closed_form(crank)
    angle = (over - there) - (coupler - rocker)
    slope = np.gradient(angle, crank)
    found = host(robot.joint_pos)[:, 0]
    reached = np.interp(found, crank, angle)
    assert host(hinge.angle) == pytest.approx(reached, abs=1e-4)
    ends = np.where(np.interp([1.01, 0.99], crank, angle) > 0, 0.2, -0.25)
    assert reached == pytest.approx(ends, abs=1e-3)
    assert host(hinge.wrench)[:, 4] == pytest.approx(np.array([3.0, -3.0]) / np.interp(found, crank, slope), rel=1e-3)
    assert np.linalg.norm(host(hinge.pose_a - hinge.pose_b)[:, :3], axis=1).max() < 1e-5


def test_angles_count_turns(device: str) -> None:
    """A wheel driven one way and the other stops at limits of more than a turn; what is set to within them is so."""
    world = px.World(3, device, "float32", dt=0.005, gravity=(0.0, 0.0, 0.0))
    wheel = world.add_rigid_object(px.Shape("cylinder", (0.2, 0.05)), "wheel", mass=1.0, collision_mask=0)
    axle = world.add_joint("revolute", wheel, axis=(0, 0, 1), lower=-4.0, upper=9.0)
    free = world.add_rigid_object(px.Shape("cylinder", (0.2, 0.05)), "free", mass=1.0, collision_mask=0)
    other = world.add_joint("revolute", free, axis=(0, 0, 1))
    for body in (wheel, free):
        body.set_external_wrench(torque=np.outer([0.1, -0.1, 0.0], [0, 0, 1]))
    greatest = np.zeros(3)
    for _ in range(60):
        world.step(10)
        greatest = np.maximum(greatest, np.abs(host(axle.angle)))
    assert greatest[:2] == pytest.approx([9.0, 4.0], abs=1e-2)
    assert host(axle.angle) == pytest.approx([9.0, -4.0, 0.0], abs=1e-3)
    assert np.abs(host(other.angle)).max() <= np.pi
    pose = np.zeros((3, 7))
    pose[:, 3], pose[:, 6] = np.cos(0.5), np.sin(0.5)  # 1 rad
    wheel.set_root_state(pose=pose, vel=np.zeros((3, 6)))
    wheel.set_external_wrench(torque=(0.0, 0.0, 0.0))
    world.step(2)
    assert turned(host(axle.angle) - 1.0) == pytest.approx(0.0, abs=1e-5)
    assert host(axle.angle)[1:] == pytest.approx(1.0, abs=1e-5), "far outside, it is taken for the turn inside"
    world.reset()
    assert host(axle.angle) == pytest.approx(0.0, abs=1e-6)


def turned(angle: Any) -> Any:
    """The angle in -pi..pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


def test_swing_and_twist_of_a_joint_by_geometry(device: str) -> None:
    """Random turns, an odd axis and turned frames; a twist and then a swing give themselves back."""
    rng = np.random.default_rng(3)
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    world = px.World(12, device, "float64", gravity=(0.0, 0.0, 0.0))
    ball = bob(world, "ball", (0, 0, 0))
    plain = bob(world, "plain", (1, 0, 0))
    facing = np.array([0.5, -0.5, 0.1, 0.7])
    joint = world.add_joint("spherical", ball, axis=axis.tolist(), orientation_a=facing.tolist())
    along_x = world.add_joint("spherical", plain)
    pose = np.zeros((12, 7))
    pose[:, 3:] = rng.normal(size=(12, 4))
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
    ball.set_root_state(pose=pose)
    swing, twist = swing_and_twist(host(joint.pose_a), host(joint.pose_b)[0], axis)
    assert np.linalg.norm(host(joint.swing), axis=1) == pytest.approx(swing, abs=1e-9)
    assert host(joint.twist) == pytest.approx(twist, abs=1e-9)
    about, spun = rng.uniform(-1, 1, (12, 2)), rng.uniform(-3, 3, 12)
    angle = np.linalg.norm(about, axis=1)
    (sw, sy, sz), (tw, tx) = (
        (np.cos(angle / 2), *(np.sin(angle / 2) / angle * about.T)),
        (np.cos(spun / 2), np.sin(spun / 2)),
    )
    pose[:, 0] = 1
    pose[:, 3:] = np.stack([sw * tw, sw * tx, sy * tw + sz * tx, sz * tw - sy * tx], axis=1)
    plain.set_root_state(pose=pose)
    np.testing.assert_allclose(host(along_x.swing), about, atol=1e-9)
    np.testing.assert_allclose(host(along_x.twist), spun, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_thrown_about_in_an_elliptic_cone(dtype: str, device: str) -> None:
    """Rods on a spherical joint: none leaves the ellipse or its twist by 0.01 rad, at last they rest on the edge."""
    wide, narrow = 0.9, 0.4
    world = px.World(8, device, dtype, dt=0.005)
    rod = world.add_rigid_object(
        px.Shape("box", (0.2, 0.02, 0.02)),
        "rod",
        mass=1.0,
        position=(0.2, 0, 0),
        collision_mask=0,
        angular_damping=1.5,
        linear_damping=1.5,
    )
    joint = world.add_joint(
        "spherical", rod, position_a=(-0.2, 0, 0), lower=-0.4, upper=0.6, swing_limit=(wide, narrow)
    )
    rng = np.random.default_rng(5)
    vel = np.zeros((8, 6))
    vel[:, 3:] = rng.normal(size=(8, 3)) * 6
    vel[:, :3] = np.cross(vel[:, 3:], [0.2, 0, 0])
    rod.set_root_state(vel=vel)

    def past(swing: Any) -> Any:
        """Beyond the edge along the way from the axis, rad."""
        size = np.linalg.norm(swing, axis=1)
        way = swing / np.maximum(size, 1e-9)[:, None]
        edge = np.tan([wide / 4, narrow / 4])
        return size - 4 * np.arctan(1 / np.linalg.norm(way / edge, axis=1))

    worst, most, least, reached = -1.0, -1.0, 1.0, -1.0
    for _ in range(800):
        world.step()
        beyond, twist = past(host(joint.swing)), host(joint.twist)
        worst = max(worst, beyond.max())
        most, least = max(most, twist.max()), min(least, twist.min())
    assert worst < 0.01
    assert most < 0.61
    assert least > -0.41
    assert most > 0.59
    assert least < -0.39
    # a sideways pull besides gravity takes each to its own place on the edge
    pulls = np.stack([np.zeros(8), 6.0 * np.linspace(-1, 1, 8), np.full(8, -2.0)], axis=1)
    rod.set_external_wrench(force=pulls, torque=np.outer([1.0, -1.0] * 4, [0.05, 0, 0]))
    world.step(2500)
    swing = host(joint.swing)
    assert past(swing) == pytest.approx(0.0, abs=1e-3)
    assert host(joint.twist)[[0, 1]] == pytest.approx([0.6, -0.4], abs=1e-3)
    assert np.abs(host(rod.root_vel)).max() < 1e-3
    reached = host(rod.root_pose)[:, :3]
    # no place on the edge lies farther along the pull: what it could gain there is nothing, to the second order
    total = pulls + [0, 0, -G]
    for e in range(8):
        around = np.linspace(0, 2 * np.pi, 20001)
        edge = np.tan([wide / 4, narrow / 4])
        way = np.stack([np.cos(around), np.sin(around)])
        angle = 4 * np.arctan(1 / np.linalg.norm(way / edge[:, None], axis=0))
        tips = 0.2 * np.stack([np.cos(angle), np.sin(angle) * way[1], -np.sin(angle) * way[0]])
        assert total[e] @ reached[e] > (total[e] @ tips).max() - 1e-3 * np.linalg.norm(total[e]) * 0.2


@pytest.mark.parametrize("elastic", [0.0, 0.4, 1.0])
def test_restitution_of_a_limit(elastic: float, device: str) -> None:
    """A pendulum without gravity goes to and fro between its limits, slower by the same ratio each time."""
    world = px.World(1, device, "float64", dt=0.002, gravity=(0.0, 0.0, 0.0))
    ball = bob(world, "ball", (1.0, 0, 0))
    hinge = world.add_joint(
        "revolute", ball, position_a=(-1, 0, 0), axis=(0, 1, 0), lower=-0.2, upper=0.2, limit_restitution=elastic
    )
    ball.set_root_state(vel=[0, 0, -3.0, 0, 3.0, 0])
    speeds = [3.0]
    for _ in range(400):
        world.step()
        now = host(ball.root_vel)[0, 4]
        assert abs(host(hinge.angle)[0]) < 0.2 + 1e-5
        if abs(now - speeds[-1]) > 0.1:
            speeds.append(now)
        assert now == pytest.approx(speeds[-1], abs=2e-3), "between limits it keeps its speed"
    count = {0.0: 2, 0.4: 3, 1.0: 7}[elastic]  # in 0.8 s
    assert speeds == pytest.approx(3.0 * (-elastic) ** np.arange(count), abs=5e-3)


def test_compliant_limits_are_springs(device: str) -> None:
    """Turns, twists and swings give way by torque over stiffness; a wheel's motion is that of implicit Euler."""
    stiffness, damping, dt, inertia = 40.0, 0.5, 0.004, 0.4 * 0.2**2
    world = px.World(3, device, "float64", dt=dt, gravity=(0.0, 0.0, 0.0))
    shape = px.Shape("sphere", (0.2,))
    wheels = [
        world.add_rigid_object(shape, name, mass=1.0, position=(i, 0, 0), collision_mask=0)
        for i, name in enumerate(("wheel", "swung"))
    ]
    soft: dict[str, Any] = {"limit_stiffness": stiffness, "limit_damping": damping}
    turn = world.add_joint("revolute", wheels[0], axis=(0, 0, 1), lower=-0.3, upper=0.5, **soft)
    swung = world.add_joint("spherical", wheels[1], swing_limit=0.6, lower=-0.2, upper=0.2, **soft)
    efforts = np.array([0.0, 2.0, -2.0])
    speeds = np.array([4.0, 0.0, 0.0])
    wheels[0].set_root_state(vel=np.outer(speeds, [0, 0, 0, 0, 0, 1]))
    wheels[0].set_external_wrench(torque=np.outer(efforts, [0, 0, 1]))
    wheels[1].set_external_wrench(torque=[[2.0, 0, 0], [0, 1.0, 0], [-1.0, 0, 0]])
    q, v = np.zeros(3), speeds.copy()
    for _ in range(500):
        v = v + dt * efforts / inertia
        near = np.where(q + 0.3 < 0.5 - q, -0.3 - q, 0.5 - q)
        side = np.where(q + 0.3 < 0.5 - q, 1.0, -1.0)
        pushed = (inertia * v + dt * stiffness * near) / (inertia + dt * damping + dt * dt * stiffness)
        beyond = (side * (near - dt * v) > 0) & (side * (stiffness * (near - dt * pushed) - damping * pushed) > 0)
        v = np.where(beyond, pushed, v)
        q += dt * v
        world.step()
        np.testing.assert_allclose(host(turn.angle), q, atol=1e-9)
    world.step(1000)
    assert host(turn.angle)[1:] == pytest.approx([0.5 + 2.0 / stiffness, -0.3 - 2.0 / stiffness], abs=1e-9)
    assert host(swung.twist)[[0, 2]] == pytest.approx([0.2 + 2.0 / stiffness, -0.2 - 1.0 / stiffness], abs=1e-9)
    assert host(swung.swing)[1] == pytest.approx([0.6 + 1.0 / stiffness, 0.0], abs=1e-9)


def test_breaks_by_the_load_on_its_limit(device: str) -> None:
    """A beam that rests on its limit breaks off where that bears more than is allowed, and not below."""
    moment = 1.0 * G * 1.0
    world = px.World(2, device, "float64", dt=0.005)
    joints = []
    for i, allowed in enumerate((1.02 * moment, 0.98 * moment)):
        ball = bob(world, f"ball{i}", (1.0, i, 0))
        at: dict[str, Any] = {"position_a": (-1, 0, 0), "axis": (0, 1, 0)}
        joints.append(world.add_joint("revolute", ball, upper=0.0, break_torque=allowed, **at))
    world.step(100)
    assert [host(joint.broken).tolist() for joint in joints] == [[False, False], [True, True]]
    assert host(joints[0].wrench)[:, 4] == pytest.approx(-moment, rel=1e-6)
    assert np.abs(host(joints[1].wrench)).max() == 0.0
    joints[0].set_broken(True, env_ids=[1])
    world.step(20)
    assert host(world.objects["ball0"].root_pose)[0, 2] == pytest.approx(0.0, abs=1e-4)
    assert host(world.objects["ball0"].root_pose)[1, 2] == pytest.approx(-0.5 * G * 0.005**2 * 20 * 21, abs=1e-6)


def test_same_bits_alone_among_others_and_from_a_file(tmp_path: Path, device: str) -> None:
    def build(count: int) -> px.World:
        world = px.World(count, device)
        bob(world, "upper", (0.3, 0, 0))
        bob(world, "lower", (0.9, 0, 0))
        world.add_joint("spherical", "upper", position_a=(-0.3, 0, 0), swing_limit=(0.8, 0.5), lower=-0.3)
        world.add_joint("revolute", "lower", "upper", position_a=(-0.3, 0, 0), axis=(0, 1, 0), lower=-0.4, upper=0.6)
        return world

    many, one = build(37), build(1)
    throw = np.random.default_rng(1).normal(size=(37, 6)) * 4
    many.objects["upper"].set_root_state(vel=throw)
    one.objects["upper"].set_root_state(vel=throw[29:30])
    many.step(200)
    one.step(100)
    one.save(tmp_path / "world")
    again = px.World.load(tmp_path / "world", device)
    assert [joint.plan.to_dict() for joint in again.joints.values()] == [
        joint.plan.to_dict() for joint in one.joints.values()
    ]
    again.step(100)
    compared = 0
    for key, value in again.state().items():
        if value.ndim and value.shape[-1] == 1 and many.state()[key].shape[-1] == 37:
            np.testing.assert_array_equal(value[..., 0], many.state()[key][..., 29], err_msg=key)
            compared += key.startswith("LoopLimitState")
    assert compared == 2


def test_inside_its_limits_a_joint_is_free(device: str) -> None:
    """It moves to the bit as one without limits, and one without has nothing of them in its schedule."""
    states = []
    options: list[dict[str, Any]] = [{}, {"swing_limit": 3.0, "lower": -3.0, "upper": 3.0}]
    for limits in options:
        world = px.World(1, device, "float64", dt=0.002)
        ball = bob(world, "ball", (0.3, 0, 0))
        world.add_joint("spherical", ball, position_a=(-0.3, 0, 0), **limits)
        ball.set_root_state(vel=[0, 0, 0, 0.5, 1.0, -0.3])
        world.step(100)
        states.append(np.concatenate([host(ball.root_pose), host(ball.root_vel)], axis=None))
        names = {f"{s.function.__module__}" for s in world.schedule.systems()}
        assert bool(names & {module.__name__ for module in LOOP_LIMITS}) == bool(limits)
    np.testing.assert_array_equal(states[0], states[1])


@pytest.mark.parametrize(
    ("kind", "options", "message"),
    [
        ("fixed", {"lower": 0.0}, "only revolute and spherical joints have lower and upper limits"),
        ("revolute", {"swing_limit": 0.3}, "only spherical joints have a swing_limit"),
        ("revolute", {"lower": 1.0, "upper": -1.0}, "lower=1 is above upper=-1"),
        ("revolute", {"lower": np.nan}, "lower=nan: must be"),
        ("spherical", {"lower": -4.0}, "must be from -pi to pi"),
        ("spherical", {"swing_limit": 0.0}, "swing_limit=0.0: must be finite and above 0"),
        ("spherical", {"swing_limit": (0.5, 4.0)}, "must be above 0, at most pi"),
        ("revolute", {"limit_stiffness": 1.0}, "has no limits that could throw back or give way"),
        ("revolute", {"upper": 1.0, "limit_restitution": 1.5}, "limit_restitution=1.5: must be at most 1"),
        ("revolute", {"upper": 1.0, "limit_damping": -1.0}, "limit_damping=-1.0: must be finite and at least 0"),
        (
            "revolute",
            {"upper": 1.0, "limit_damping": 1.0, "limit_restitution": 0.5},
            "a limit throws back or gives way",
        ),
        ("spherical", {"swing_limit": (0.5, 0.5, 0.5)}, "must be one angle, or two"),
    ],
)
def test_what_is_no_limit(kind: str, options: dict[str, Any], message: str) -> None:
    world = px.World()
    bob(world, "ball", (0, 0, 1))
    with pytest.raises(ValueError) as raised:
        world.add_joint(kind, "ball", **options)
    assert message in str(raised.value)
    assert not world.joints


def test_what_cannot_be_set() -> None:
    world = px.World(2)
    for name in ("ball", "free", "hung"):
        bob(world, name, (0, 0, 1))
    joint = world.add_joint("spherical", "ball", swing_limit=1.0, lower=-1.0)
    free = world.add_joint("revolute", "free")
    world.build()
    for options, message in (
        ({"lower": 2.0, "upper": [3.0, 1.0]}, "lower limits must not be above upper ones; not so in environment 1"),
        ({"upper": 4.0}, "must be from -pi to pi"),
        ({"swing_limit": [[1.0, 0.0]], "env_ids": [1]}, "swing_limit must be above 0.*not so in environment 1"),
    ):
        with pytest.raises(ValueError, match=message):
            joint.set_limits(**options)
    with pytest.raises(ValueError, match="added without such limits: pass lower= or upper= to add_joint"):
        free.set_limits(lower=0.0)
    with pytest.raises(ValueError, match="twist is for spherical joints"):
        _ = free.twist


def test_limits_that_change_wake_what_sleeps(device: str) -> None:
    world = px.World(2, device, "float64", dt=0.005)
    ball = bob(world, "ball", (1.0, 0, 0), sleep_threshold=1e-4)
    hinge = world.add_joint("revolute", ball, position_a=(-1, 0, 0), axis=(0, 1, 0), upper=0.0)
    world.step(150)
    assert host(ball.is_sleeping).all()
    assert host(hinge.wrench)[:, 4] == pytest.approx(-G, rel=1e-6)
    hinge.set_limits(upper=0.1, env_ids=[1])
    world.step(100)
    assert host(hinge.angle) == pytest.approx([0.0, 0.1], abs=1e-4)
