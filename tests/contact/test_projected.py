"""Projected Gauss-Seidel, the other solver: by its recurrence, and on what has an analytic answer."""

from __future__ import annotations

import numpy as np
import pytest
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel

G = 9.81
NEAR = 5e-6


def column(
    masses: list[float], gaps: list[float], h: float, sweeps: int, steps: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Balls above each other, by projected Gauss-Seidel with warm start: velocities, heights gained, contact forces.

    Each sweep goes up the column; a contact asks for the speed that closes its gap to 5 µm within the step, and pushes
    0.15 of what overlaps by more than 0.1 mm apart, as displacement only.
    """
    n, inverse = len(masses), 1 / np.array(masses)
    k = inverse + np.concatenate([[0.0], inverse[:-1]])
    v, x, impulse, gap = np.zeros(n), np.zeros(n), np.zeros(n), np.array(gaps)

    def push(of: np.ndarray, i: int, by: float) -> None:
        of[i] += inverse[i] * by
        if i:
            of[i - 1] -= inverse[i - 1] * by

    found = []
    for _ in range(steps):
        v -= G * h
        moved = np.zeros(n)
        for i in range(n):
            push(v, i, impulse[i])
        for _ in range(sweeps):
            for i in range(n):
                left = gap[i] + moved[i] - (moved[i - 1] if i else 0.0)
                wanted = -(left - NEAR) / h if left > NEAR else 0.0
                new = max(impulse[i] + (wanted - v[i] + (v[i - 1] if i else 0.0)) / k[i], 0.0)
                push(v, i, new - impulse[i])
                impulse[i] = new
                push(moved, i, max(-(left + 1e-4) * 0.15, 0.0) / k[i])
        way = h * v + moved
        x += way
        gap += way - np.concatenate([[0.0], way[:-1]])
        found.append((v.copy(), x.copy(), impulse / h))
    v, x, force = (np.array(column) for column in zip(*found, strict=True))
    return v, x, force


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 2e-3)])
def test_falling_column_is_the_recurrence(dtype: str, tolerance: float, device: str) -> None:
    """Three balls fall on each other and on the ground: every step is that of the recurrence, warm start and all."""
    masses, gaps, radius, h = [1.0, 2.0, 4.0], [0.01, 0.005, 0.002], 0.1, 0.005
    world = px.World(1, device, dtype, dt=h, position_iterations=3, velocity_iterations=0, solver="pgs")
    world.add_ground()
    heights = np.cumsum(np.array(gaps) + 2 * radius) - radius
    balls = [
        world.add_rigid_object(px.Shape("sphere", (radius,)), f"ball{i}", mass=m, position=(0, 0, heights[i]))
        for i, m in enumerate(masses)
    ]
    names = [f"ball{i}" for i in range(3)]
    view = world.contact_view(names, {name: name for name in ["ground", *names]})
    speeds, gained, forces = column(masses, gaps, h, 3, 80)
    assert forces.max() > 100
    for step in range(80):
        world.step()
        scale = tolerance * max(1.0, float(np.abs(speeds[step]).max()))
        assert [host(ball.root_vel)[0, 2] for ball in balls] == pytest.approx(speeds[step], abs=scale)
        assert [host(ball.root_pose)[0, 2] for ball in balls] == pytest.approx(heights + gained[step], abs=scale)
        found = host(view.force_matrix())[0, :, :, 2]
        assert [found[i, i] for i in range(3)] == pytest.approx(forces[step], abs=400 * tolerance)
    assert forces[-1] == pytest.approx(np.cumsum(masses[::-1])[::-1] * G, rel=2e-3)


def machine(world: px.World) -> tuple[px.Robot, list[px.LoopJoint], px.ContactView]:
    """A bit of everything: mimics, limits, drives with effort limits, friction, loop joints with limits, boxes."""
    world.add_ground()
    inertia = 0.01 * np.eye(3)
    bodies = [Body(name, 0.5, (0.1, 0.0, 0.0), inertia) for name in ("base", "lever", "first", "second")]
    joints = [
        Joint("lever", "revolute", "base", "lever", axis=(0.0, 1.0, 0.0), lower=-1.0, upper=0.4, damping=0.02),
        Joint("lead", "revolute", "base", "first", (0, 0.5, 0), axis=(0.0, 1.0, 0.0), effort_limit=0.3, friction=0.01),
        Joint("follow", "revolute", "base", "second", (0, 1, 0), axis=(0.0, 0.0, 1.0), mimic=Mimic("lead", 0.5, 0.1)),
    ]
    robot = world.add_robot(RobotModel("machine", bodies, joints), fixed_base=True, position=(0, 0, 1))
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    for i in range(2):
        world.add_rigid_object(cube, f"box{i}", mass=1.0 + i, position=(1.0, 0.0, 0.1 + 0.2 * i))
    ball = px.Shape("sphere", (0.05,))
    for i, name in enumerate(("beam", "bob")):
        world.add_rigid_object(ball, name, mass=1.0, position=(-1.0, float(i), 1.0), angular_damping=0.5)
    loops = [
        world.add_joint("revolute", "beam", position_a=(-0.5, 0, 0), axis=(0, 1, 0), upper=0.3),
        world.add_joint("distance", "bob", position_b=(-1.0, 1.0, 1.8), max_distance=0.85),
    ]
    robot.set_drive(stiffness=[0.0, 50.0, 0.0], damping=[0.0, 2.0, 0.0])
    robot.set_targets(pos=[0.0, -1.0, 0.0])
    return robot, loops, world.contact_view(["box0", "box1"], ["box0", "ground"])


def test_with_one_position_sweep_both_are_the_same(device: str) -> None:
    """To the bit, whatever is in the world."""
    states = []
    for solver in ("tgs", "pgs"):
        world = px.World(2, device, position_iterations=1, solver=solver)
        machine(world)
        world.step(150)
        states.append({k: host(v) for k, v in world.state().items() if k != "Settings.projected"})
    for key, value in states[0].items():
        np.testing.assert_array_equal(value, states[1][key], err_msg=key)


def test_what_rests_bears_its_load(device: str) -> None:
    """At the default number of sweeps limits, drives, mimics, joints and contacts give what statics say."""
    world = px.World(1, device, "float64", solver="pgs")
    robot, (beam, rope), view = machine(world)
    world.step(2400)
    lever, lead, follow = host(robot.joint_pos)[0]
    assert lever == pytest.approx(0.4, abs=1e-5)
    assert follow == pytest.approx(0.5 * lead + 0.1, abs=1e-5)
    assert abs(host(robot.applied_effort)[0, robot.joint_index("lead")]) <= 0.3 * 1.0001
    assert lead == pytest.approx(np.arccos(0.3 / (0.05 * G)), abs=0.03), "a drive too weak, and 0.01 N m of friction"
    assert host(beam.angle)[0] == pytest.approx(0.3, abs=1e-4)
    assert host(beam.wrench)[0, 4] == pytest.approx(-0.5 * G * np.cos(0.3), rel=1e-4)
    assert host(rope.wrench)[0, 2] == pytest.approx(G, rel=1e-3)
    matrix = host(view.force_matrix())[0, :, :, 2]
    assert [matrix[0, 1], matrix[1, 0]] == pytest.approx([3.0 * G, 2.0 * G], rel=1e-3)
    again = px.World.from_description(world.describe())
    assert again.describe()["solver"] == "pgs"


def test_no_such_solver() -> None:
    with pytest.raises(ValueError, match="solver 'jacobi': must be 'tgs' or 'pgs'"):
        px.World(solver="jacobi")
