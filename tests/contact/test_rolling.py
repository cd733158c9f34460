"""Balls that roll, on what stands still and on what turns, against the solutions of textbooks."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, floor_mesh
from oracles import host

import phalanx as px

RADIUS = 0.1
UP = np.array([0.0, 0.0, 1.0])
BALL = px.Shape("sphere", (RADIUS,))


@pytest.mark.parametrize("surface", ["box", "mesh"])
def test_ball_rolls_down_and_slips_only_where_it_must(surface: str, device: str) -> None:
    """5/7 g sin(angle) below tan(angle) = 7/2 friction; above it g (sin - mu cos), turning at 5/2 mu g cos / R."""
    angle = np.radians([5.0, 20.0, 40.0, 55.0, 70.0])
    friction = 0.5
    world = px.World(5, device, dt=1 / 240)
    slope = px.Shape("box", (10.0, 2.0, 0.5)) if surface == "box" else floor_mesh(20.0, 4.0, 0.25)
    floor = world.add_rigid_object(slope, "slope", kind="static", friction=friction)
    ball = world.add_rigid_object(BALL, "ball", friction=friction)
    normal = np.stack([np.sin(angle), 0 * angle, np.cos(angle)], axis=1)
    down = np.stack([np.cos(angle), 0 * angle, -np.sin(angle)], axis=1)
    turn = np.array([about((0.0, 1.0, 0.0), a) for a in angle])
    floor.set_root_state(pose=np.hstack([-(0.5 if surface == "box" else 0.0) * normal, turn]))
    ball.set_root_state(pose=np.hstack([RADIUS * normal - 8.0 * down + [0.0, 0.03, 0.0], turn]))
    world.step(240)
    slips = np.tan(angle) > 3.5 * friction
    assert slips.any() and not slips.all()
    slide = GRAVITY * (np.sin(angle) - friction * np.cos(angle))
    velocity = host(ball.root_vel)
    expected = np.where(slips, slide, 5 / 7 * GRAVITY * np.sin(angle))
    np.testing.assert_allclose((velocity[:, :3] * down).sum(axis=1), expected, rtol=2e-3)
    turning = np.where(slips, 2.5 * friction * GRAVITY * np.cos(angle), expected) / RADIUS
    np.testing.assert_allclose(velocity[:, 4], turning, rtol=2e-3)
    assert np.abs(velocity[:, [1, 3, 5]]).max() < 0.01  # straight down, no bumps at the edges of triangles
    away = ((host(ball.root_pose)[:, :3]) * normal).sum(axis=1) - RADIUS
    assert np.abs(away).max() < 1e-3


@pytest.mark.parametrize("surface", ["plane", "box", "mesh"])
def test_thrown_balls_end_rolling(surface: str, device: str) -> None:
    """Sliding with any spin, a ball ends with 5/7 v + 2/7 R (spin x up), after 2/7 of its slip over mu g."""
    friction = np.array([0.2, 0.7, 0.2, 0.7, 0.4])
    v = np.array([[3.0, 0, 0], [3.0, 0, 0], [0, 0, 0], [1.0, 2.0, 0], [1.0, 0, 0]])
    spin = np.array([[0, 0, 0], [0, 0, 0], [0, 30.0, 0], [20.0, 10.0, 0], [0, -40.0, 5.0]])
    world = px.World(5, device, dt=1 / 240)
    if surface == "plane":
        world.add_ground(friction=0.0, friction_combine="max")
    elif surface == "box":
        world.add_rigid_object(
            px.Shape("box", (5.0, 5.0, 0.5), (0.0, 0.0, -0.5)), "floor", kind="static", friction=0.0,
            friction_combine="max",
        )  # fmt: skip
    else:
        world.add_rigid_object(
            floor_mesh(10.0, 10.0, 0.5), "floor", kind="static", friction=0.0, friction_combine="max"
        )
    ball = world.add_rigid_object(BALL, "ball", position=(0.03, 0.04, RADIUS), friction_combine="max")
    ball.set_material(static_friction=friction[:, None], dynamic_friction=friction[:, None])
    ball.set_root_state(vel=np.hstack([v, spin]))
    slip = v + RADIUS * np.cross(UP, spin)  # of the lowest point
    ends = 2 / 7 * np.linalg.norm(slip, axis=1) / (friction * GRAVITY)
    world.step(12)
    early = 12 * world.dt < ends
    slowed = v - friction[:, None] * GRAVITY * 12 * world.dt * slip / np.linalg.norm(slip, axis=1, keepdims=True)
    assert early.sum() >= 4
    np.testing.assert_allclose(host(ball.root_vel)[early, :3], slowed[early], atol=0.02)
    world.step(228)
    final = v - 2 / 7 * slip
    velocity = host(ball.root_vel)
    np.testing.assert_allclose(velocity[:, :3], final, atol=0.01)
    np.testing.assert_allclose(velocity[:, 3:5], np.cross(UP, final)[:, :2] / RADIUS, atol=0.1)
    np.testing.assert_allclose(velocity[:, 5], spin[:, 2], atol=0.05)  # a point contact does not brake spinning


@pytest.mark.parametrize("table", ["kinematic", "conveyor"])
def test_ball_on_a_turntable_goes_in_circles(table: str, device: str) -> None:
    """A ball that rolls on a table turning at W about a vertical axis goes in a circle, at 2/7 W."""
    rate = np.array([1.0, 2.0, 4.0, -3.0])
    world = px.World(4, device, dt=1 / 240)
    kind = "kinematic" if table == "kinematic" else "static"
    disc = world.add_rigid_object(px.Shape("cylinder", (3.0, 0.1)), "disc", kind=kind)
    ball = world.add_rigid_object(BALL, "ball", position=(0.5, 0.0, 0.2))
    if table == "kinematic":
        disc.set_root_state(vel=np.outer(rate, [0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    else:
        disc.set_surface_velocity(angular=np.outer(rate, UP))
    start, v = np.array([0.5, 0.0, 0.0]), np.array([0.0, 0.3, 0.0])
    # Rolling: v - R spin x up = W up x r.
    spin = np.cross(UP, v - rate[:, None] * np.cross(UP, start)) / RADIUS
    ball.set_root_state(vel=np.hstack([np.tile(v, (4, 1)), spin]))
    circling = 2 / 7 * rate
    for _ in range(8):
        world.step(30)
        turned = circling * world.time
        x = start[0] + 0.3 * (np.cos(turned) - 1) / circling
        y = 0.3 * np.sin(turned) / circling
        pose = host(ball.root_pose)
        np.testing.assert_allclose(pose[:, :2], np.stack([x, y], axis=1), atol=1e-3)
        np.testing.assert_allclose(pose[:, 2], 0.2, atol=1e-4)


def test_spin_about_the_normal_does_not_turn_a_ball(device: str) -> None:
    """On a slope, thrown across it: it keeps that velocity and its spin, and gains 5/7 g sin down the slope alone."""
    angle = np.radians(10.0)
    world = px.World(4, device, dt=1 / 240, gravity=(GRAVITY * np.sin(angle), 0.0, -GRAVITY * np.cos(angle)))
    world.add_rigid_object(px.Shape("box", (10.0, 5.0, 0.5), (0.0, 0.0, -0.5)), "floor", kind="static")
    ball = world.add_rigid_object(BALL, "ball", position=(0.0, 0.0, RADIUS))
    spin = np.array([0.0, 10.0, -40.0, 100.0])
    vel = np.zeros((4, 6))
    vel[:, 1], vel[:, 3], vel[:, 5] = 0.5, -0.5 / RADIUS, spin
    ball.set_root_state(vel=vel)
    world.step(240)
    velocity = host(ball.root_vel)
    expected = 5 / 7 * GRAVITY * np.sin(angle)
    np.testing.assert_allclose(velocity[:, :2], np.tile([expected, 0.5], (4, 1)), rtol=5e-3)
    np.testing.assert_allclose(velocity[:, 5], spin, atol=0.1)
