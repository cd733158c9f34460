"""What soft bodies have of momentum, alone and with rigid bodies."""

from __future__ import annotations

import numpy as np
import pytest
from deformable.scenes import momentum, spread, world

import phalanx as px


def thrown(**settings: object) -> tuple[px.World, px.SoftBody]:
    """A bar that spins, flies and wobbles, in two environments that differ."""
    made = world(num_envs=2, dt=0.005, **settings)
    bar = made.add_soft_body(
        px.Shape("box", (0.05, 0.05, 0.1)), resolution=4, youngs_modulus=2e4, position=(1.0, 2.0, 3.0)
    )
    made.build()
    arm = bar.default_node_pos - bar.default_node_pos.mean(axis=0)
    vel = np.cross((3.0, -5.0, 8.0), arm) + (1.0, 0.5, 2.0) + 0.3 * np.random.default_rng(0).normal(size=arm.shape)
    bar.set_node_state(vel=np.stack([vel, 0.2 * vel]))
    return made, bar


def test_in_free_flight_gravity_alone_changes_it() -> None:
    """However few sweeps there are; the centre of mass flies a parabola."""
    made, bar = thrown(deformable_sweeps=1)
    place, linear, angular = momentum(bar)
    spin = angular - np.cross(place, linear)
    weight = bar.node_mass.sum(axis=1)[:, None] * (0, 0, -9.81)
    made.step(100)
    now, later, turned = momentum(bar)
    time, step = made.time, made.dt / 8
    np.testing.assert_allclose(later, linear + weight * time, rtol=1e-12)
    np.testing.assert_allclose(turned - np.cross(now, later), spin, atol=1e-9 * spread(spin))
    mass = bar.node_mass.sum(axis=1)[:, None]
    np.testing.assert_allclose(now, place + (linear * time + weight * time * (time + step) / 2) / mass, atol=1e-9)


def test_in_float32_it_is_kept_to_rounding() -> None:
    made, bar = thrown(dtype="float32", gravity=(0, 0, 0))
    place, linear, angular = momentum(bar)
    spin = angular - np.cross(place, linear)
    made.step(100)
    now, later, turned = momentum(bar)
    np.testing.assert_allclose(later, linear, atol=3e-6 * spread(linear))
    np.testing.assert_allclose(turned - np.cross(now, later), spin, atol=1e-4 * spread(spin))


def test_damping_takes_as_much_as_it_says() -> None:
    """Of velocity, in small steps: 1 / (1 + d h) each."""
    made = world(dt=0.01, gravity=(0, 0, 0))
    ball = made.add_soft_body(px.Shape("sphere", (0.05,)), resolution=4, damping=3.0)
    made.build()
    ball.set_node_state(vel=(1.0, 0.0, -2.0))
    made.step(50)
    kept = (1 + 3.0 * made.dt / 8) ** (-8 * 50)
    mass = ball.node_mass.sum()
    np.testing.assert_allclose(momentum(ball)[1] / mass, [[kept, 0.0, -2.0 * kept]], atol=1e-9)


@pytest.mark.parametrize("heavy", [0.02, 0.2, 20.0])
def test_bodies_that_hit_each_other_exchange_it(heavy: float) -> None:
    """A rigid ball, lighter and heavier than the cube, that hits it off its middle, with spin and friction."""
    made = world(num_envs=1, dt=0.005, gravity=(0, 0, 0))
    cube = made.add_soft_body(px.Shape("box", (0.05, 0.05, 0.05)), resolution=5, youngs_modulus=5e4)
    ball = made.add_rigid_object(px.Shape("sphere", (0.03,)), mass=heavy, position=(0.01, 0.02, 0.1))
    made.build()
    ball.set_root_state(vel=(0.3, 0.0, -1.0, 0.0, 0.0, 5.0))

    def total() -> tuple[np.ndarray, np.ndarray]:
        _, linear, angular = momentum(cube)
        vel, pos = ball.root_vel, ball.root_pose[:, :3]
        own = (ball.inertia @ vel[:, 3:, None])[..., 0]
        return linear + heavy * vel[:, :3], angular + np.cross(pos, heavy * vel[:, :3]) + own

    linear, angular = total()
    made.step(30)
    assert spread(momentum(cube)[1]) > 0.1 * min(heavy, 1.0)  # they have met
    gap = np.linalg.norm(cube.node_pos[0] - ball.root_pose[0, :3], axis=1).min() - 0.03
    assert gap > -1e-3
    later, turned = total()
    np.testing.assert_allclose(later, linear, atol=1e-12 * spread(linear))
    np.testing.assert_allclose(turned, angular, atol=2e-3 * spread(angular))
