"""Impacts: none goes through, none bounces unless told to, and then as high as the coefficient says."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, lowest, rigid, total_force
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Shape

SHAPES = {
    "sphere": Shape("sphere", (0.1,)),
    "box": Shape("box", (0.1, 0.1, 0.1)),
    "cylinder": Shape("cylinder", (0.1, 0.1)),
    "capsule": Shape("capsule", (0.05, 0.05)),
}


@pytest.mark.parametrize("name", SHAPES)
def test_impact_without_restitution_does_not_rebound(name: str, device: str) -> None:
    """Dropped from 2 cm to 2 m: a ball stays where it lands; what lands on a face rises by less than 2 mm."""
    most = 1e-5 if name == "sphere" else 2e-3
    world = px.World(num_envs=4, device=device)
    world.add_ground()
    robot = world.add_robot(rigid(SHAPES[name], inertia=0.004))
    height = 0.1 + np.array([0.02, 0.1, 0.5, 2.0])
    robot.set_root_state(pose=[[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0] for z in height])
    landed = np.zeros(4, bool)
    for _ in range(200):
        world.step()
        landed |= total_force(robot)[:, 2] > 0
        assert host(robot.root_pose)[landed, 2].max(initial=0.0) < 0.1 + most
    assert landed.all()
    assert np.abs(host(robot.root_vel)).max() < 1e-4


def peaks(world: px.World, robot: px.Robot, steps: int) -> tuple[float, float]:
    """Fastest rise after the first touch, and height of the jump above the resting height."""
    speed, height, landed = 0.0, 0.0, False
    for _ in range(steps):
        world.step()
        landed = landed or total_force(robot)[0, 2] > 0
        if landed:
            speed = max(speed, float(host(robot.root_vel)[0, 2]))
            height = max(height, float(lowest(robot)[0]))
    return speed, height


@pytest.mark.parametrize(("name", "sweeps"), [("sphere", 1), ("box", 8)])
@pytest.mark.parametrize("restitution", [0.3, 0.6, 0.9])
def test_rebound_reaches_the_height_of_restitution(name: str, sweeps: int, restitution: float, device: str) -> None:
    """e times the speed of approach, and e² of the height, within 5 %; four corners take more sweeps to agree."""
    drop = 1.0
    world = px.World(device=device, dt=0.002, velocity_iterations=sweeps)
    world.add_ground(restitution=restitution)
    robot = world.add_robot(rigid(SHAPES[name]), position=(0.0, 0.0, 0.1 + drop), restitution=restitution)
    approach = np.sqrt(2 * GRAVITY * drop)
    speed, height = peaks(world, robot, round((1 + 1.2 * restitution) * approach / GRAVITY / world.dt))
    assert speed == pytest.approx(restitution * approach, rel=0.02)
    assert height == pytest.approx(restitution**2 * drop, rel=0.05)


def test_restitution_of_two_surfaces_is_averaged_and_slow_impacts_do_not_bounce(device: str) -> None:
    """0.8 on 0 is 0.4; below the threshold there is none."""
    world = px.World(device=device, dt=0.002, bounce_threshold=0.7)
    world.add_ground(restitution=0.0)
    robot = world.add_robot(rigid(SHAPES["sphere"]), position=(0.0, 0.0, 0.1), restitution=0.8)
    faster = np.sqrt(2.0**2 + 2 * GRAVITY * 0.01)
    for speed, expected in ((2.0, 0.4 * faster), (0.3, 0.0)):
        robot.set_root_state(pose=[0.0, 0.0, 0.11, 1.0, 0.0, 0.0, 0.0], vel=[0.0, 0.0, -speed, 0.0, 0.0, 0.0])
        rebound, _ = peaks(world, robot, 40)
        assert rebound == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(("name", "speed"), [("sphere", 20.0), ("sphere", 200.0), ("box", 20.0), ("cylinder", 20.0)])
def test_nothing_tunnels_through_the_ground(name: str, speed: float, device: str) -> None:
    """At 20 m/s a step is half the ball's diameter, at 200 m/s five of them: still it stops at the surface."""
    world = px.World(num_envs=8, device=device)
    world.add_ground()
    robot = world.add_robot(rigid(SHAPES[name], inertia=0.004))
    robot.set_root_state(
        pose=[[0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0] for z in np.linspace(0.35, 1.35, 8)],
        vel=[0.0, 0.0, -speed, 0.0, 0.0, 0.0],
    )
    deepest = 0.0
    for _ in range(60):
        world.step()
        deepest = min(deepest, float(lowest(robot).min()))
    most = 1e-4 if name == "sphere" else 0.03  # a corner of a box takes more than four sweeps to know of the others
    assert deepest > -most, f"{-1e3 * deepest:.2f} mm under"
    assert np.abs(host(robot.root_pose)[:, 2] - 0.1).max() < 0.05


@pytest.mark.parametrize("name", ["box", "cylinder", "capsule"])
def test_tilted_fast_landing_stays_above_the_ground(name: str, device: str) -> None:
    """One corner first, at 5 m/s down and 2 m/s along: nothing goes more than 1 cm under."""
    world = px.World(num_envs=8, device=device)
    world.add_ground()
    robot = world.add_robot(rigid(SHAPES[name], inertia=0.004))
    turn = about((1.0, 2.0, 0.0), 0.4)
    robot.set_root_state(
        pose=[[0.0, 0.0, z, *turn] for z in np.linspace(0.3, 0.4, 8)], vel=[2.0, 0.0, -5.0, 0.0, 0.0, 0.0]
    )
    for _ in range(100):
        world.step()
        assert lowest(robot).min() > -0.01


@pytest.mark.parametrize("speed", [1.0, 5.0])
def test_impulse_stops_the_momentum(speed: float, device: str) -> None:
    """The force over the impact sums to the momentum that it takes, gravity's share included."""
    mass = 2.0
    world = px.World(device=device)
    world.add_ground()
    robot = world.add_robot(rigid(SHAPES["sphere"], mass=mass), position=(0.0, 0.0, 0.13))
    robot.set_root_state(vel=[0.0, 0.0, -speed, 0.0, 0.0, 0.0])
    impulse = 0.0
    for _ in range(20):
        world.step()
        impulse += float(total_force(robot)[0, 2]) * world.dt
    assert impulse == pytest.approx(mass * (speed + GRAVITY * world.time), rel=1e-3)
