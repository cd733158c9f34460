"""Grains that turn: rolling down slopes, rolling resistance, what they do to what they roll on, and what may be set."""

from __future__ import annotations

import numpy as np
import pytest
from deformable.scenes import world

import phalanx as px

G, RADIUS = 9.81, 0.005


def test_a_ball_rolls_down_a_slope_as_rolling_resistance_says() -> None:
    """With 5/7 g (sin - mu_r cos), or it stays; where friction is too little it slides, with g (sin - mu cos)."""
    angle, mu = 0.3, np.array([0.5, 0.5, 0.5, 0.05])
    resists = np.array([0.0, 0.05, 0.4, 0.0])
    normal = np.array([np.sin(angle), 0.0, np.cos(angle)])
    made = world(num_envs=4)
    made.add_ground(normal=tuple(normal), friction=0.0)
    ball = made.add_particles([RADIUS * normal], friction=0.5, friction_combine="max", rolling_friction=0.0)
    made.build()
    ball.set_friction(mu)
    ball.set_rolling_friction(resists)
    made.step(30)
    speed = np.linalg.norm(ball.node_vel[:, 0], axis=1)
    drives = np.sin(angle) - resists * np.cos(angle)
    expected = 0.3 * G * 5 / 7 * np.maximum(drives, 0.0)
    expected[3] = 0.3 * G * (np.sin(angle) - 0.05 * np.cos(angle))
    np.testing.assert_allclose(speed, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(RADIUS * ball.spin[:3, 0, 1], speed[:3], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ball.spin[3, 0, 1] * RADIUS, 2.5 * 0.05 * np.cos(angle) * G * 0.3, rtol=1e-9)


def test_a_ball_that_is_thrown_on_a_plate_takes_it_along() -> None:
    """The plate is free to move on ice. Friction acts until the ball rolls on it; momentum is kept."""
    mass, heavy, speed = 0.01, 0.1, 0.5
    made = world()
    made.add_ground(friction=0.0)
    plate = made.add_rigid_object(
        px.Shape("box", (0.2, 0.05, 0.01)), "plate", mass=heavy, position=(0, 0, 0.01), friction=0.5,
        friction_combine="min",
    )  # fmt: skip
    ball = made.add_particles(
        [[-0.1, 0, 0.02 + RADIUS]], mass=mass, friction=0.5, friction_combine="min", rolling_friction=0.0
    )
    made.build()
    ball.set_node_state(vel=[[[speed, 0, 0]]])
    made.step(20)
    np.testing.assert_allclose(mass * ball.node_vel[0, 0, 0] + heavy * plate.root_vel[0, 0], mass * speed, rtol=1e-6)
    push = speed / (3.5 / mass + 1 / heavy)
    assert plate.root_vel[0, 0] == pytest.approx(push / heavy, rel=5e-3)
    assert ball.node_vel[0, 0, 0] == pytest.approx(speed - push / mass, rel=5e-3)
    assert ball.spin[0, 0, 1] == pytest.approx(2.5 * push / (mass * RADIUS), rel=5e-3)


def test_balls_that_meet_keep_momentum_and_spin() -> None:
    """Two in flight: linear momentum, and angular momentum with that of spins, to rounding."""
    made = world(gravity=(0, 0, 0))
    balls = made.add_particles([[0, 0, 0], [0.0102, 0.004, 0]], mass=0.01, friction=0.5, rolling_friction=0.1)
    made.build()
    balls.set_node_state(vel=[[[0.3, 0, 0], [-0.1, 0, 0]]])
    balls.set_spin([[[0, 0, 50.0], [5.0, 0, 20.0]]])

    def momentum() -> tuple[np.ndarray, np.ndarray]:
        pos, vel = balls.node_pos[0], balls.node_vel[0]
        spin = 0.4 * RADIUS**2 * balls.spin[0]
        return 0.01 * vel.sum(axis=0), 0.01 * (np.cross(pos, vel) + spin).sum(axis=0)

    before, turning = momentum()
    spins = balls.spin
    made.step(10)
    after, turned = momentum()
    assert np.abs(balls.spin - spins).max() > 1.0  # they did rub
    np.testing.assert_allclose(after, before, atol=1e-16)
    np.testing.assert_allclose(turned, turning, atol=1e-12 * np.abs(turning).max())


def test_spin_is_of_grains_that_turn_and_gone_after_a_reset() -> None:
    made = world(num_envs=2)
    ball = made.add_particles([[0.0, 0, 1]], "ball", rolling_friction=0.0)
    block = made.add_particles([[0.0, 1, 1]], "block")
    made.build()
    ball.set_spin(np.full((2, 1, 3), 7.0))
    made.reset([1])
    np.testing.assert_array_equal(ball.spin[:, 0, 0], [7, 0])
    with pytest.raises(ValueError, match="do not turn; give add_particles a rolling_friction"):
        block.set_spin(np.zeros((2, 1, 3)))
