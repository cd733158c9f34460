"""Friction against the textbook: where bodies start to slide, how fast they slide, how balls roll."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, rigid, total_force
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Shape

BOX = Shape("box", (0.2, 0.15, 0.1))


def inclined(
    device: str,
    shape: Shape,
    angle: float,
    azimuth: float = 0.0,
    friction: float = 0.8,
    dynamic_friction: float | None = None,
) -> tuple[px.World, px.Robot, np.ndarray]:
    """A body that lies on a slope; the world, the robot, and the unit vector that points down the slope."""
    axis = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    normal = np.array([np.sin(angle) * np.cos(azimuth), np.sin(angle) * np.sin(azimuth), np.cos(angle)])
    dynamic = friction if dynamic_friction is None else dynamic_friction
    world = px.World(device=device)
    world.add_ground(normal=tuple(normal), static_friction=friction, dynamic_friction=dynamic)
    robot = world.add_robot(
        rigid(shape, mass=2.0),
        position=tuple(shape.size[-1] * normal),
        orientation=about(axis, angle),
        static_friction=friction,
        dynamic_friction=dynamic,
    )
    return world, robot, np.cross(axis, normal)


def slid(device: str, degrees: float, friction: float, azimuth: float = 0.0) -> float:
    """How far a box slides down a slope within 2 s, m."""
    world, robot, down = inclined(device, BOX, np.radians(degrees), azimuth, friction)
    start = host(robot.root_pose)[0, :3]
    world.step(400)
    return float((host(robot.root_pose)[0, :3] - start) @ down)


@pytest.mark.parametrize("azimuth", [0.0, 0.7])
@pytest.mark.parametrize("friction", [0.1, 0.3, 0.5, 0.8, 1.0])
def test_box_slides_exactly_when_the_slope_beats_friction(friction: float, azimuth: float, device: str) -> None:
    """tan(angle) > friction: to 0.5 degrees either side."""
    critical = np.degrees(np.arctan(friction))
    assert slid(device, critical - 0.5, friction, azimuth) == pytest.approx(0.0, abs=1e-3)
    angle = np.radians(critical + 0.5)
    distance = 0.5 * GRAVITY * (np.sin(angle) - friction * np.cos(angle)) * 2.0**2
    assert distance > 0.1
    assert slid(device, critical + 0.5, friction, azimuth) == pytest.approx(distance, rel=0.02)


def test_static_friction_holds_what_dynamic_friction_would_not(device: str) -> None:
    """Between the two angles a box at rest stays, and a box in motion goes on, at g (sin - mu cos)."""
    angle, static, dynamic = np.radians(25.0), 0.6, 0.3
    world, robot, down = inclined(device, BOX, angle, 0.0, static, dynamic)
    start = host(robot.root_pose)[0, :3]
    world.step(200)
    assert np.abs(host(robot.root_pose)[0, :3] - start).max() < 1e-3
    robot.set_root_state(vel=[*(0.5 * down), 0.0, 0.0, 0.0])
    world.step(200)
    acceleration = GRAVITY * (np.sin(angle) - dynamic * np.cos(angle))
    assert host(robot.root_vel)[0, :3] @ down == pytest.approx(0.5 + acceleration, rel=0.01)


def test_flat_ground_is_the_same_as_tilted_gravity(device: str) -> None:
    """A box slides alike on a slope, and on flat ground under gravity that leans as much."""
    angle, friction = np.radians(30.0), 0.3
    world, robot, down = inclined(device, BOX, angle, 0.0, friction)
    start = host(robot.root_pose)[0, :3]
    world.step(100)
    leaning = px.World(device=device, gravity=(GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))
    leaning.add_ground(friction=friction)
    flat = leaning.add_robot(rigid(BOX, mass=2.0), position=(0.0, 0.0, 0.1), friction=friction)
    leaning.step(100)
    moved = (host(robot.root_pose)[0, :3] - start) @ down
    assert moved == pytest.approx(host(flat.root_pose)[0, 0], rel=1e-3)
    expected = 0.5 * GRAVITY * (np.sin(angle) - friction * np.cos(angle)) * 0.5**2
    assert moved == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("heading", [0.0, 0.5, 2.4])
def test_sliding_box_slows_at_friction_times_gravity(heading: float, device: str) -> None:
    """Coulomb's law, whatever the direction, until it stops, and then it stays."""
    friction, speed = 0.4, 2.0
    ways = np.array([np.cos(heading), np.sin(heading), 0.0])
    world = px.World(device=device, dt=0.0025)
    world.add_ground(friction=friction)
    robot = world.add_robot(rigid(Shape("box", (0.3, 0.3, 0.05))), position=(0.0, 0.0, 0.05), friction=friction)
    robot.set_root_state(vel=[*(speed * ways), 0.0, 0.0, 0.0])
    world.step(100)
    velocity = host(robot.root_vel)[0, :3]
    np.testing.assert_allclose(velocity, (speed - friction * GRAVITY * world.time) * ways, atol=0.01)
    force = total_force(robot)[0]
    np.testing.assert_allclose(force, [*(-friction * GRAVITY * ways[:2]), GRAVITY], atol=0.05)
    world.step(200)
    assert np.abs(host(robot.root_vel)).max() < 1e-5
    distance = speed**2 / (2 * friction * GRAVITY)
    assert host(robot.root_pose)[0, :3] @ ways == pytest.approx(distance, rel=0.01)
    stopped = host(robot.root_pose)[0, :2]
    world.step(200)
    np.testing.assert_allclose(host(robot.root_pose)[0, :2], stopped, atol=1e-5)


@pytest.mark.parametrize("degrees", [5.0, 20.0, 40.0])
def test_ball_rolls_down_a_slope(degrees: float, device: str) -> None:
    """Without slipping: 5/7 g sin(angle), and turns at speed over radius."""
    radius, angle = 0.1, np.radians(degrees)
    world, robot, down = inclined(device, Shape("sphere", (radius,)), angle, 0.3)
    start = host(robot.root_pose)[0, :3]
    world.step(200)
    expected = 5 / 7 * GRAVITY * np.sin(angle)
    velocity = host(robot.root_vel)[0]
    assert velocity[:3] @ down == pytest.approx(expected * world.time, rel=1e-3)
    assert (host(robot.root_pose)[0, :3] - start) @ down == pytest.approx(0.5 * expected * world.time**2, rel=0.01)
    assert np.linalg.norm(velocity[3:]) * radius == pytest.approx(velocity[:3] @ down, rel=1e-3)


def test_ball_slips_where_friction_cannot_turn_it(device: str) -> None:
    """Above tan(angle) = 7/2 friction a ball slips: g (sin - mu cos), and turns slower than it moves."""
    friction, angle = 0.1, np.radians(40.0)
    world, robot, down = inclined(device, Shape("sphere", (0.1,)), angle, 0.0, friction)
    world.step(200)
    velocity = host(robot.root_vel)[0]
    assert velocity[:3] @ down == pytest.approx(GRAVITY * (np.sin(angle) - friction * np.cos(angle)), rel=0.01)
    assert np.linalg.norm(velocity[3:]) == pytest.approx(2.5 * friction * GRAVITY * np.cos(angle) / 0.1, rel=0.01)


def test_thrown_ball_goes_from_sliding_to_rolling(device: str) -> None:
    """A bowled ball ends rolling at 5/7 of the speed it was thrown with, whatever the friction."""
    for friction in (0.2, 0.7):
        world = px.World(device=device)
        world.add_ground(friction=friction)
        robot = world.add_robot(rigid(Shape("sphere", (0.1,))), position=(0.0, 0.0, 0.1), friction=friction)
        robot.set_root_state(vel=[3.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        world.step(200)
        velocity = host(robot.root_vel)[0]
        assert velocity[0] == pytest.approx(5 / 7 * 3.0, rel=0.01)
        assert velocity[4] * 0.1 == pytest.approx(velocity[0], rel=1e-3)
