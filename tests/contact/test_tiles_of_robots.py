"""Tiles that are links of robots which move: what slides and rolls over them goes on as on one piece."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY
from contact.test_tiles import FRICTION, HALF, SPEEDS, TILE, mover
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

COUNT = 14
RATES = pytest.mark.parametrize("rate", [60, 200, pytest.param(1000, marks=pytest.mark.slow)])
WHAT = pytest.mark.parametrize("what", ["box", "ball"])
INERTIA = 0.1 * np.eye(3)


def tile(name: str, place: tuple[float, float] = (0.0, 0.0), half: float = 1.0) -> Body:
    """A link with a box whose top is at z = 0."""
    shape = Shape("box", (TILE / 2, half, 0.05), position=(*place, -0.05))
    return Body(name, 5.0, inertia=INERTIA, collisions=[shape])


def lay(world: px.World, floor: str) -> list[px.Robot]:
    """Tiles from x = -0.125 m on: "rails", "lifts", each a robot of its own; "cart", "chain", of one robot."""
    robots = []
    if floor in ("cart", "chain"):
        bodies = [tile(f"tile{i}") for i in range(COUNT)]
        joints = [
            Joint(f"joint{i}", "revolute", f"tile{i}", f"tile{i + 1}", (TILE, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
            for i in range(COUNT - 1)
        ]
        if floor == "cart":
            bodies = [Body("rail", 1.0, inertia=INERTIA), *bodies]
            joints = [
                Joint(f"joint{i}", "prismatic", "rail", f"tile{i}", (TILE * i, 0.0, 0.0), axis=(1.0, 0.0, 0.0))
                for i in range(COUNT)
            ]
        return [world.add_robot(RobotModel(floor, bodies, joints), floor, fixed_base=True, friction=FRICTION)]
    for i in range(COUNT):
        axis = (1.0, 0.0, 0.0) if floor == "rails" else (0.0, 0.0, 1.0)
        bodies = [Body("base", 1.0, inertia=INERTIA), tile("tile")]
        model = RobotModel(floor, bodies, [Joint("joint", "prismatic", "base", "tile", axis=axis)])
        robots.append(
            world.add_robot(model, f"{floor}{i}", fixed_base=True, friction=FRICTION, position=(TILE * i, 0.0, 0.0))
        )
    return robots


@RATES
@WHAT
@pytest.mark.parametrize("floor", ["rails", "lifts", "cart", "chain"])
def test_seams_between_links_stop_nothing(floor: str, what: str, rate: int, device: str) -> None:
    """Rails and carts go at 0.5 m/s, lifts rise at 0.1, chains hold still. Distances of boxes (v²/2µg less half a
    step's way) and speeds of balls within 1 %, rise below 1 mm. Before, boxes stopped after 2 to 62 %, 62 mm up.
    """
    speeds = SPEEDS[what]
    drift, rise = 0.5 if floor in ("rails", "cart") else 0.0, 0.1 if floor == "lifts" else 0.0
    world = px.World(4, device, dt=1 / rate)
    robots = lay(world, floor)
    body = world.add_robot(mover(what), friction=FRICTION)
    for robot in robots:
        moves = np.full((4, robot.num_dof), drift + rise)
        robot.set_drive(stiffness=1e6 if floor == "chain" else 0.0, damping=1e4 if floor == "chain" else 1e6)
        robot.set_joint_state(vel=moves)
        robot.set_targets(vel=moves)
    pose, velocity = np.zeros((4, 7)), np.zeros((4, 6))
    pose[:, 1:4] = np.column_stack([0.1 * np.arange(4), np.full(4, HALF), np.ones(4)])
    velocity[:, 0], velocity[:, 2] = speeds + drift, rise
    if what == "ball":
        velocity[:, 4] = speeds / HALF
    else:
        pose[3, 3:] = np.cos(0.3), 0.0, 0.0, np.sin(0.3)
    body.set_root_state(pose=pose, vel=velocity)
    highest, lowest = -np.ones(4), np.ones(4)
    for i in range(1, round(0.9 * rate) + 1):
        world.step()
        height = host(body.root_pose)[:, 2] - HALF - rise * i / rate
        highest, lowest = np.maximum(highest, height), np.minimum(lowest, height)
    assert highest.max() < 1e-3
    assert lowest.min() > -1e-3
    if what == "ball":
        np.testing.assert_allclose(host(body.root_vel)[:, 0] - drift, speeds, rtol=0.01)
    else:
        braked = speeds**2 / (2.0 * FRICTION * GRAVITY) - 0.5 * speeds / rate
        gone = host(body.root_pose)[:, 0] - drift * round(0.9 * rate) / rate
        np.testing.assert_allclose(gone, braked, rtol=0.01)


@RATES
@WHAT
def test_seams_between_arms_that_turn_together(what: str, rate: int, device: str) -> None:
    """Four robots about one axis, each with a tile, at 0.5 to 4 rad/s: without friction what slides goes on."""
    world = px.World(4, device, dt=1 / rate)
    robots = []
    for i in range(4):
        bodies = [Body("base", 1.0, inertia=INERTIA), tile("tile", (TILE * (i - 1.5), 0.0))]
        model = RobotModel("arm", bodies, [Joint("joint", "revolute", "base", "tile", axis=(0.0, 0.0, 1.0))])
        robots.append(world.add_robot(model, f"arm{i}", fixed_base=True, friction=0.0, friction_combine="min"))
    body = world.add_robot(mover(what), friction=0.0, friction_combine="min")
    spin = np.array([[0.5], [-2.0], [4.0], [2.0]])
    for robot in robots:
        robot.set_drive(stiffness=0.0, damping=1e6)
        robot.set_joint_state(vel=spin)
        robot.set_targets(vel=spin)
    pose, velocity = np.zeros((4, 7)), np.zeros((4, 6))
    pose[:, :4] = [-0.3, 0.05, HALF, 1.0]
    velocity[:, 0] = 1.0, 1.5, 2.0, 1.0
    body.set_root_state(pose=pose, vel=velocity)
    worst = 0.0
    for _ in range(round(0.25 * rate)):
        world.step()
        worst = max(worst, float(np.abs(host(body.root_pose)[:, 2] - HALF).max()))
    assert worst < 1e-3
    np.testing.assert_allclose(host(body.root_vel)[:, :2], velocity[:, :2], atol=0.01)


@pytest.mark.parametrize("case", ["higher", "falls"])
def test_a_link_that_is_higher_is_struck_and_one_that_falls_carries_nothing(case: str, device: str) -> None:
    """A tile that is 3 mm higher stops boxes; a trapdoor that opens beside a level tile lets them tip into the gap."""
    world = px.World(3, device, dt=1 / 200)
    robots = []
    for i in range(3):
        bodies = [Body("base", 1.0, inertia=INERTIA), tile("tile")]
        model = RobotModel("lift", bodies, [Joint("joint", "prismatic", "base", "tile", axis=(0.0, 0.0, 1.0))])
        height = 0.003 if case == "higher" and i > 0 else 0.0
        place = (TILE * i, 0.0, height)
        robots.append(world.add_robot(model, f"lift{i}", fixed_base=True, friction=FRICTION, position=place))
    body = world.add_robot(mover("box"), friction=FRICTION)
    for i, robot in enumerate(robots):
        falls = case == "falls" and i > 0
        robot.set_drive(stiffness=0.0 if falls else 1e6, damping=0.0 if falls else 1e4)
    pose, velocity = np.zeros((3, 7)), np.zeros((3, 6))
    pose[:, 2:4] = HALF, 1.0
    if case == "higher":
        velocity[:, 0] = 1.0, 2.0, 3.0
    else:
        pose[:, 0] = 0.1, 0.14, 0.18
    body.set_root_state(pose=pose, vel=velocity)
    for _ in range(12 if case == "higher" else 100):
        world.step()
    if case == "higher":
        assert np.abs(host(body.root_vel)[:, 0]).max() < 0.7
    else:
        height = host(body.root_pose)[:, 2]
        assert height[0] == pytest.approx(HALF, abs=5e-4)  # its centre is above what stands
        assert (height[1:] < HALF - 0.02).all()
