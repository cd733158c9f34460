"""Joints that close loops: pendulums, doors, chains, a four-bar linkage, what they transmit, and what is refused."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import host
from oracles.base import rotation

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel

G = 9.81


def bob(world: px.World, name: str, position: Any, mass: float = 1.0, **options: Any) -> px.RigidObject:
    """A small ball that touches nothing."""
    return world.add_rigid_object(
        px.Shape("sphere", (0.05,)), name, mass=mass, position=position, collision_mask=0, **options
    )


def pendulum_period(length: float, amplitude: float) -> float:
    """Of a mathematical pendulum, by the arithmetic-geometric mean."""
    a, b = 1.0, float(np.cos(amplitude / 2))
    for _ in range(8):
        a, b = (a + b) / 2, float(np.sqrt(a * b))
    return 2 * np.pi * float(np.sqrt(length / G)) / a


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_rod_is_a_pendulum_and_rope_goes_slack(dtype: str, device: str) -> None:
    """Periods of three amplitudes within 0.1 %, length and energy kept; a rope lets fall, catches, and then carries."""
    amplitudes = np.array([0.2, 1.0, 2.0])
    world = px.World(3, device, dtype, dt=0.005)
    ball, weight = bob(world, "ball", (0, 0, 1)), bob(world, "weight", (3.0, 0, 1.7), mass=2.0)
    rod = world.add_joint("distance", ball, position_b=(0, 0, 2))
    rope = world.add_joint("distance", weight, position_b=(3, 0, 2), max_distance=1.0)
    start = np.zeros((3, 7))
    start[:, 0], start[:, 2], start[:, 3] = np.sin(amplitudes), 2 - np.cos(amplitudes), 1.0
    ball.set_root_state(pose=start)
    heights, times, slack = [], [], []
    crossings: list[list[float]] = [[], [], []]
    before = start[:, 0]
    for step in range(1600):
        world.step()
        pose = host(ball.root_pose)
        for e in range(3):
            if before[e] > 0 >= pose[e, 0]:
                crossings[e].append(0.005 * (step + before[e] / (before[e] - pose[e, 0])))
        before = pose[:, 0]
        heights.append(np.linalg.norm(pose[:, :3] - [0, 0, 2], axis=1))
        times.append(host(weight.root_pose)[0, 2])
        slack.append(host(rope.wrench)[0, 2])
    assert np.abs(np.array(heights) - 1).max() < 2e-5
    for e in range(3):
        period = (crossings[e][-1] - crossings[e][0]) / (len(crossings[e]) - 1)
        assert period == pytest.approx(pendulum_period(1.0, amplitudes[e]), rel=1e-3)
    speed, height = host(ball.root_vel)[:, :3], host(ball.root_pose)[:, 2]
    energy = 0.5 * (speed**2).sum(axis=1) + G * (height - (2 - np.cos(amplitudes)))
    assert np.abs(energy).max() < 0.02 * G, "half a substep of potential energy"
    fall = int(np.sqrt(2 * 0.7 / G) / 0.005) - 2
    assert times[fall] == pytest.approx(1.7 - 0.5 * G * 0.005**2 * (fall + 1) * (fall + 2), abs=1e-4)
    assert max(slack[: fall - 2]) == 0.0
    assert min(times) > 1.0 - 1e-3
    assert times[-1] == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(host(rope.wrench)[:, :3], [[0, 0, 2 * G]] * 3, rtol=1e-4, atol=1e-4)
    assert host(rod.wrench).shape == (3, 6)


def test_door_on_its_hinge(device: str) -> None:
    """A door that turns keeps its speed and axis; its hinge carries its weight and holds it on its circle."""
    world = px.World(2, device, "float64", dt=0.005)
    mass, width = 12.0, 0.8
    shape = px.Shape("box", (width / 2, 0.02, 1.0))
    door = world.add_rigid_object(shape, "door", mass=mass, position=(width / 2, 0, 1), collision_mask=0)
    hinge = world.add_joint("revolute", door, position_a=(-width / 2, 0, 0), axis=(0, 0, 1))
    spin = np.array([0.0, 3.0])
    vel = np.zeros((2, 6))
    vel[:, 1], vel[:, 5] = spin * width / 2, spin
    door.set_root_state(vel=vel)
    for _ in range(20):
        world.step(50)
        pose = host(door.root_pose)
        assert np.linalg.norm(host(hinge.pose_a)[:, :3] - [0, 0, 1], axis=1).max() < 2e-5
        assert np.abs(pose[:, 4:6]).max() < 1e-9, "upright"
        assert host(door.root_vel)[:, 5] == pytest.approx(spin, abs=1e-3)
        for e in range(2):
            out = rotation(pose[e, 3:]) @ [1.0, 0, 0]
            force, torque = np.split(host(hinge.wrench)[e], 2)
            expected = np.array([0, 0, mass * G]) - mass * spin[e] ** 2 * width / 2 * out
            np.testing.assert_allclose(force, expected, atol=0.01 * mass * spin[e] ** 2 + 1e-6)
            np.testing.assert_allclose(torque, np.cross([0, 0, -mass * G], out * width / 2), atol=0.3 * spin[e] + 1e-6)


def test_chain_hangs_as_the_catenary_of_rods(device: str) -> None:
    """Ten rods between two walls: the slopes are those of statics (tan = weight up to there / thrust), forces too."""
    rods, length, mass, span = 10, 0.2, 0.5, 1.6
    weight = mass * G

    def slopes(thrust: float) -> np.ndarray:
        return np.arctan(weight * (np.arange(rods) - (rods - 1) / 2) / thrust)

    low, high = 1e-3, 1e4
    for _ in range(100):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if (length * np.cos(slopes(middle))).sum() < span else (low, middle)
    angles = slopes(low)
    steps = length * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    expected = np.concatenate([[[0.0, 0.0]], np.cumsum(steps, axis=0)])

    world = px.World(1, device, "float64", dt=0.005)
    zigzag = np.arccos(span / (rods * length))  # a start that fits the span
    x = span / rods * (np.arange(rods) + 0.5)
    pieces = []
    for i in range(rods):
        tilt = zigzag if i % 2 else -zigzag
        position = (x[i], 0.0, -0.5 * length * np.sin(zigzag))
        turned = (np.cos(tilt / 2), 0.0, -np.sin(tilt / 2), 0.0)
        pieces.append(
            bob(world, f"rod{i}", position, mass, orientation=turned, linear_damping=1.5, angular_damping=1.5)
        )
    left = world.add_joint("spherical", pieces[0], position_a=(-length / 2, 0, 0), name="left")
    for a, b in pairwise(pieces):
        world.add_joint("spherical", a, b, position_a=(length / 2, 0, 0), position_b=(-length / 2, 0, 0))
    right = world.add_joint("spherical", pieces[-1], position_a=(length / 2, 0, 0), name="right")
    worst = 0.0
    for _ in range(40):
        world.step(50)
        worst = max(worst, *(np.linalg.norm(host(j.pose_a - j.pose_b)[0, :3]) for j in world.joints.values()))
    ends = np.array([host(world.joints[f"spherical_{i + 1}"].pose_a)[0, [0, 2]] for i in range(rods - 1)])
    assert np.abs(ends - expected[1:-1]).max() < 1e-3 * length
    np.testing.assert_allclose(host(left.wrench)[0, [0, 2]], [-low, rods * weight / 2], rtol=2e-3)
    np.testing.assert_allclose(host(right.wrench)[0, [0, 2]], [low, rods * weight / 2], rtol=2e-3)
    assert worst < 1e-3, "while it swings at the default number of iterations"
    assert max(np.linalg.norm(host(j.pose_a - j.pose_b)[0, :3]) for j in world.joints.values()) < 1e-6


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_chain_of_light_pieces_holds_a_heavy_one(dtype: str, device: str) -> None:
    """100 kg fall on ten pieces of 0.5 kg, of little inertia: all holds, none gains energy, and in the end it hangs."""
    world = px.World(1, device, dtype, dt=0.005)
    pieces = [bob(world, f"piece{i}", (0.2 * i + 0.1, 0, 0), 0.5, angular_damping=0.5) for i in range(10)]
    load = bob(world, "load", (2.0, 0, 0), 100.0, linear_damping=0.5, angular_damping=0.5)
    top = world.add_joint("spherical", pieces[0], position_a=(-0.1, 0, 0))
    for a, b in pairwise(pieces):
        world.add_joint("spherical", a, b, position_a=(0.1, 0, 0), position_b=(-0.1, 0, 0))
    world.add_joint("spherical", pieces[-1], load, position_a=(0.1, 0, 0))
    gap, highest, pulls = 0.0, -np.inf, []
    for _ in range(200):
        world.step(15)
        gap = max(gap, *(np.linalg.norm(host(j.pose_a - j.pose_b)[0, :3]) for j in world.joints.values()))
        height, speed = host(load.root_pose)[0, 2], np.linalg.norm(host(load.root_vel)[0, :3])
        highest = max(highest, G * height + 0.5 * speed**2)
        pulls.append(host(top.wrench)[0, 2])
    assert not len(world.diverged)
    assert gap < 1e-3
    assert highest < 0.02 * G * 2.0
    assert host(load.root_pose)[0, 2] == pytest.approx(-2.0, abs=2e-3), "it swings still, by centimetres"
    assert np.mean(pulls[-60:]) == pytest.approx(105.0 * G, rel=0.02)


FRAME, CRANK, COUPLER, ROCKER = 0.5, 0.15, 0.45, 0.35


def four_bar() -> RobotModel:
    """Crank and coupler on one branch, the rocker on another, all hinges along y; Grashof: the crank goes round."""

    def bar(name: str, length: float) -> Body:
        mass = 2.0 * length
        inertia = np.diag([1e-4, mass * length**2 / 12, mass * length**2 / 12])
        return Body(name, mass, (length / 2, 0.0, 0.0), inertia)

    def hinge(name: str, parent: str, child: str, x: float) -> Joint:
        return Joint(name, "revolute", parent, child, (x, 0.0, 0.0), axis=(0.0, -1.0, 0.0))

    bodies = [Body("base", 1.0), bar("crank", CRANK), bar("coupler", COUPLER), bar("rocker", ROCKER)]
    joints = [
        hinge("drive", "base", "crank", 0.0),
        hinge("swing", "base", "rocker", FRAME),
        hinge("knee", "crank", "coupler", CRANK),
    ]
    return RobotModel("four_bar", bodies, joints)


def closed_form(crank: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Angles of rocker and coupler against the frame for a crank angle, the coupler above (Freudenstein)."""
    tip = CRANK * np.stack([np.cos(crank), np.sin(crank)], axis=-1)
    way = np.array([FRAME, 0.0]) - tip
    distance = np.linalg.norm(way, axis=-1)
    cosine = (COUPLER**2 + distance**2 - ROCKER**2) / (2 * COUPLER * distance)
    coupler = np.arctan2(way[..., 1], way[..., 0]) + np.arccos(cosine)
    end = tip + COUPLER * np.stack([np.cos(coupler), np.sin(coupler)], axis=-1)
    return np.arctan2(end[..., 1], end[..., 0] - FRAME), coupler


def turned(angle: Any) -> Any:
    """The angle in -pi..pi."""
    return (angle + np.pi) % (2 * np.pi) - np.pi


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_four_bar_linkage_moves_as_geometry_says(dtype: str, device: str) -> None:
    """Driven at two speeds, and free to swing, for five seconds; the loop opens by < 1e-4 m."""
    world = px.World(3, device, dtype, dt=0.005)
    crank = np.array([0.3, 1.0, 2.0])
    rocker, coupler = closed_form(crank)
    robot = world.add_robot(four_bar(), fixed_base=True, joint_pos=[0.3, rocker[0], coupler[0] - 0.3])
    joint = world.add_joint("revolute", (robot, "coupler"), "robot/rocker", position_a=(COUPLER, 0, 0), axis=(0, 1, 0))
    assert joint.plan.b.position == pytest.approx((ROCKER, 0, 0), abs=1e-12)
    robot.set_joint_state(pos=np.stack([crank, rocker, coupler - crank], axis=1))
    speeds = np.array([2.0, 6.0, 0.0])
    gain = np.zeros((3, 3))
    gain[:2, 0] = 1e3
    robot.set_drive(stiffness=0.0, damping=gain)
    robot.set_targets(vel=np.stack([speeds, 0 * speeds, 0 * speeds], axis=1))

    def energy() -> float:
        found = 0.0
        pose, vel = host(robot.body_pose)[2], host(robot.body_vel)[2]
        for body, p, v in zip(robot.model.bodies, pose, vel, strict=True):
            b = robot.body_index(body.name)
            p, v = pose[b], vel[b]
            turn = rotation(p[3:])
            arm = turn @ body.com
            speed = v[:3] + np.cross(v[3:], arm)
            spin = turn @ body.inertia @ turn.T @ v[3:]
            found += 0.5 * body.mass * speed @ speed + 0.5 * v[3:] @ spin + body.mass * G * (p[2] + arm[2])
        return found

    first, energies, gap, off = energy(), [], 0.0, 0.0
    for _ in range(200):
        world.step(5)
        q = host(robot.joint_pos)
        rocker, coupler = closed_form(q[:, 0])
        gap = max(gap, np.linalg.norm(host(joint.pose_a - joint.pose_b)[:, :3], axis=1).max())
        off = max(off, np.abs(turned(q[:, 1] - rocker)).max(), np.abs(turned(q[:, 0] + q[:, 2] - coupler)).max())
        energies.append(energy() - first)
    assert gap < 1e-4
    assert off < 1e-3
    assert host(robot.joint_pos)[:2, 0] == pytest.approx(crank[:2] + 5 * speeds[:2], rel=1e-2)
    swing = G * 2.0 * (CRANK**2 + COUPLER**2 + ROCKER**2) / 2
    drift = np.mean(energies[-50:]) - np.mean(energies[:50])
    assert abs(drift) < 0.08 * swing, (
        "what the tree loses in its coordinates at this timestep, and the loop does not add"
    )
    assert np.ptp(host(robot.joint_pos)[2]) > 0


def test_weld_carries_an_object_on_an_arm(device: str) -> None:
    """A ball welded to an arm: joint and arm carry its weight; it follows, and falls when the weld breaks."""
    inertia = 0.02 * np.eye(3)
    bodies = [Body("base", 1.0), Body("beam", 2.0, (0.25, 0, 0), inertia)]
    joints = [Joint("hinge", "revolute", "base", "beam", axis=(0.0, 1.0, 0.0))]
    world = px.World(3, device, "float64", dt=0.002)
    robot = world.add_robot(RobotModel("arm", bodies, joints), fixed_base=True)
    ball = bob(world, "ball", (0.5, 0.0, 0.1), mass=0.5)
    weld = world.add_joint("fixed", "ball", "robot/beam", break_force=8.0)
    robot.set_drive(stiffness=1e4, damping=200.0)
    world.step(500)
    np.testing.assert_allclose(host(weld.wrench)[:, :3], [[0, 0, 0.5 * G]] * 3, atol=1e-4)
    np.testing.assert_allclose(host(weld.wrench)[:, 3:], 0.0, atol=1e-4)
    carried = host(robot.incoming_joint_wrench)
    tilt = host(robot.joint_pos)[0, 0]
    np.testing.assert_allclose(carried[0, 1, [0, 2]], 2.5 * G * np.array([-np.sin(tilt), np.cos(tilt)]), atol=1e-3)
    np.testing.assert_allclose(carried[0, 1, 4], -(2.0 * 0.25 + 0.5 * 0.5) * G, rtol=2e-3)
    np.testing.assert_allclose(carried[0, 0, :3], [0, 0, 3.5 * G], atol=1e-3)
    ball.set_external_wrench(force=(0.0, 0.0, -5.0), env_ids=[1])
    weld.set_broken(True, env_ids=[2])
    world.step(50)
    assert host(weld.broken).tolist() == [False, True, True]
    fallen = host(ball.root_pose)[:, 2]
    assert fallen[0] == pytest.approx(0.1, abs=5e-3)
    assert fallen[2] == pytest.approx(0.1 - 0.5 * G * 0.1**2, abs=5e-3)
    assert fallen[1] < fallen[2]
    assert np.abs(host(weld.wrench)[1:]).max() == 0.0
    world.reset(env_ids=[1])
    assert host(weld.broken).tolist() == [False, False, True]


def test_same_bits_alone_among_others_and_from_a_file(tmp_path: Path, device: str) -> None:
    def build(count: int) -> px.World:
        world = px.World(count, device)
        robot = world.add_robot(four_bar(), fixed_base=True, joint_pos=[0.3, *_fit(0.3)])
        world.add_joint("revolute", (robot, "coupler"), "robot/rocker", position_a=(COUPLER, 0, 0), axis=(0, 1, 0))
        bob(world, "ball", (0, 0, 1))
        world.add_joint("distance", "ball", "robot/rocker", max_distance=1.2, break_force=50.0)
        return world

    many, one = build(37), build(1)
    many.robots["robot"].set_joint_state(vel=np.linspace(-2, 2, 37)[:, None])
    one.robots["robot"].set_joint_state(vel=np.linspace(-2, 2, 37)[29])
    many.step(200)
    one.step(100)
    one.save(tmp_path / "world")
    again = px.World.load(tmp_path / "world", device)
    assert [joint.plan.to_dict() for joint in again.joints.values()] == [
        joint.plan.to_dict() for joint in one.joints.values()
    ]
    again.step(100)
    for key, value in again.state().items():
        if value.ndim and value.shape[-1] == 1 and many.state()[key].shape[-1] == 37:
            np.testing.assert_array_equal(value[..., 0], many.state()[key][..., 29], err_msg=key)


def _fit(crank: float) -> tuple[float, float]:
    rocker, coupler = closed_form(np.array(crank))
    return float(rocker), float(coupler) - crank


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("weld", "ball"), {}, "kind='weld': must be one of fixed, revolute, spherical, distance"),
        (("fixed", "robot/coupler", "robot/coupler"), {}, "are one rigid body"),
        (("fixed", "robot/nose"), {}, "has no body 'nose'; it has base, crank"),
        (("fixed", "cup"), {}, "there is no actor 'cup' in this world; there are robot, ball"),
        (("spherical", "ball"), {"max_distance": 1.0}, "only distance joints have min_distance"),
        (("distance", "ball"), {}, "position_b must say where"),
        (("distance", "ball", "robot"), {"min_distance": 2.0, "max_distance": 1.0}, "min_distance=2.0 is above"),
        (("revolute", "ball"), {"axis": (0, 0, 0)}, "must not be zero"),
        (("fixed", "ball"), {"break_force": -1.0}, "break_force=-1.0: must be finite and above 0"),
        (("fixed", "ball"), {"position_a": (0, 0, np.nan)}, "position must be 3 finite numbers"),
    ],
)
def test_what_is_no_joint(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    world = px.World()
    world.add_robot(four_bar(), fixed_base=True)
    bob(world, "ball", (0, 0, 1))
    with pytest.raises(ValueError) as raised:
        world.add_joint(*arguments, **options)
    assert message in str(raised.value)
    assert not world.joints


def test_joint_between_what_cannot_move() -> None:
    world = px.World()
    world.add_robot(four_bar(), fixed_base=True)
    world.add_joint("fixed", "robot/base")
    with pytest.raises(ValueError, match="connects what cannot move: robot/base, world"):
        world.build()
