"""Loose bodies on and against kinematic bodies that move: they ride along, are carried and are pushed as at rest.

MuJoCo 3 with elliptic cones, on a platform of 1e7 kg on slides that a force accelerates by 0.2, 0.3 and 0.45 g: the box
slips 0.8, 1.3 and 2.2 mm in 1 s at dt 1/60, 0.5, 0.8 and 1.5 mm at 1/200 and 1/1000, with ``impratio=10`` a seventh of
that. An elevator at 2 m/s^2 feels 0.988 to 1.012 of m (g + a).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from oracles import host

import phalanx as px

GRAVITY = 9.81
CUBE = px.Shape("box", (0.1, 0.1, 0.1))
STEPS = pytest.mark.parametrize(
    ("rate", "real"),
    [
        pytest.param(rate, real, marks=[pytest.mark.slow] if real == "float64" and rate != 200 else [])
        for rate in (60, 200, 1000)
        for real in ("float32", "float64")
    ],
)


def tower(
    device: str, real: str, rate: int, count: int, num_envs: int, friction: float = 0.8
) -> tuple[px.World, px.RigidObject, list[px.RigidObject]]:
    """Cubes of 1 kg on each other on a kinematic platform, whose upper face is at z = 0.1."""
    world = px.World(num_envs, device=device, dtype=real, dt=1 / rate)
    shape = px.Shape("box", (5.0, 5.0, 0.1))
    platform = world.add_rigid_object(shape, "platform", kind="kinematic", friction=friction)
    cubes = [
        world.add_rigid_object(CUBE, f"cube{i}", mass=1.0, position=(0.0, 0.0, 0.2 + 0.2 * i), friction=friction)
        for i in range(count)
    ]
    world.build()
    return world, platform, cubes


def ride(
    world: px.World, platform: px.RigidObject, cubes: Sequence[px.RigidObject], path: Iterator[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Lead the platform to the places of a path, (num_envs, 3) each, one a step.

    Returns:
        (num_envs,): the farthest that any cube was, along any axis, from where it began on the platform, m; and
        (steps, num_envs, 3): the contact force on the platform.
    """
    start = [host(cube.root_pose)[:, :3] - host(platform.root_pose)[:, :3] for cube in cubes]
    worst, forces = np.zeros(world.num_envs), []
    pose = host(platform.root_pose)
    for place in path:
        pose[:, :3] = place
        platform.set_kinematic_target(pose)
        world.step()
        base = host(platform.root_pose)[:, :3]
        for cube, begin in zip(cubes, start, strict=True):
            worst = np.maximum(worst, np.abs(host(cube.root_pose)[:, :3] - base - begin).max(axis=1))
        forces.append(host(platform.net_contact_force)[:, 0])
    return worst, np.array(forces)


@STEPS
def test_an_accelerating_platform_takes_a_box_along(rate: int, real: str, device: str) -> None:
    """0.2, 0.3 and 0.45 g for 1 s with a friction coefficient of 0.6: less than 0.2 mm of slip."""
    world, platform, cubes = tower(device, real, rate, 1, 3, friction=0.6)
    world.step(rate // 5)
    speed = np.array([0.2, 0.3, 0.45]) * GRAVITY / rate

    def path() -> Iterator[np.ndarray]:
        x = np.zeros(3)
        for i in range(rate):
            x += speed * (i + 1) / rate
            yield np.stack([x, 0 * x, 0 * x], axis=1)

    worst, _ = ride(world, platform, cubes, path())
    assert worst.max() < 0.2e-3


@STEPS
def test_an_elevator_carries_mass_times_gravity_and_acceleration(rate: int, real: str, device: str) -> None:
    """Up and down at 2 m/s^2: from 0.2 s on the force is m (g + a) within 1 % in every step, and nothing lifts off."""
    world, platform, cubes = tower(device, real, rate, 1, 2)
    world.step(rate // 5)
    acceleration = np.array([2.0, -2.0])

    def path() -> Iterator[np.ndarray]:
        z = np.zeros(2)
        for i in range(rate // 2):
            z += acceleration * (i + 1) / rate**2
            yield np.stack([0 * z, 0 * z, z], axis=1)

    worst, force = ride(world, platform, cubes, path())
    np.testing.assert_allclose(
        force[rate // 5 :, :, 2], np.broadcast_to(-(GRAVITY + acceleration), force[rate // 5 :, :, 2].shape), rtol=0.01
    )
    assert worst.max() < 0.05e-3


VELOCITIES = np.array([[2.0, 0.0, 0.0], [1.0, -0.5, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.3, 0.2]])


@pytest.mark.parametrize("count", [1, 3])
@STEPS
def test_riding_at_a_constant_velocity_is_as_rest(count: int, rate: int, real: str, device: str) -> None:
    """Along, up, down, askew for 1 s: the platform bears the weight within 1 %, a tower of three stays within 1 mm."""
    world, platform, cubes = tower(device, real, rate, count, len(VELOCITIES))
    for body in (platform, *cubes):
        body.set_root_state(vel=np.hstack([VELOCITIES, np.zeros_like(VELOCITIES)]))
    for i in range(rate):
        world.step()
        if i >= rate // 5:
            force = host(platform.net_contact_force)[:, 0] / (count * GRAVITY)
            np.testing.assert_allclose(force, np.tile([0.0, 0.0, -1.0], (len(VELOCITIES), 1)), atol=0.01)
    base = host(platform.root_pose)[:, :3]
    for level, cube in enumerate(cubes):
        off = host(cube.root_pose)[:, :3] - base - [0.0, 0.0, 0.2 + 0.2 * level]
        assert np.abs(off).max() < 1e-3


@pytest.mark.parametrize("count", [1, 3])
@STEPS
def test_riding_to_targets(count: int, rate: int, real: str, device: str) -> None:
    """The same to a target in every step.

    In float32 targets are rounded, so the platform does shake: by one spacing of its coordinates in a step squared,
    which is 1.2 % of g at 1 ms from 1 m on, and less than 0.1 % at 1/200 s. The force may differ by as much, no more.
    """
    world, platform, cubes = tower(device, real, rate, count, len(VELOCITIES))
    for cube in cubes:
        cube.set_root_state(vel=np.hstack([VELOCITIES, np.zeros_like(VELOCITIES)]))
    worst, force = ride(world, platform, cubes, (VELOCITIES * (i + 1) / rate for i in range(rate)))
    late = force[rate // 5 :] / (count * GRAVITY)
    farthest = np.nextafter(np.abs(VELOCITIES).max(axis=1), 0.0).astype(real)
    shaken = 1.1 * np.spacing(farthest) * rate**2 / GRAVITY
    excess = np.abs(late - [0.0, 0.0, -1.0]).max(axis=(0, 2)) - np.maximum(shaken, 0.01)
    assert excess.max() < 0.0, "the force is not that of rest, nor of what rounding shakes"
    assert worst.max() < 1e-3


@STEPS
def test_a_pusher_feels_sliding_friction(rate: int, real: str, device: str) -> None:
    """A plate without friction pushes a box over the ground at 1 m/s: mu m g, within 1 % in every step after 0.2 s."""
    world = px.World(1, device=device, dtype=real, dt=1 / rate)
    world.add_ground(friction=0.5)
    plate = px.Shape("box", (0.05, 0.5, 0.5))
    material = px.Material(0.0, 0.0, friction_combine="min")
    pusher = world.add_rigid_object(plate, "pusher", kind="kinematic", position=(0, 0, 0.51), material=material)
    world.add_rigid_object(CUBE, "box", mass=2.0, position=(0.15, 0.0, 0.1), friction=0.5)
    world.step(rate // 5)
    pusher.set_root_state(vel=[[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]])
    for i in range(rate):
        world.step()
        if i >= rate // 5:
            force = host(pusher.net_contact_force)[0, 0] / (0.5 * 2.0 * GRAVITY)
            np.testing.assert_allclose(force, [-1.0, 0.0, 0.0], atol=0.01)


@STEPS
def test_a_tower_stands_on_a_shaker(rate: int, real: str, device: str) -> None:
    """Five cubes, shaken by 0.1 g at 1, 2 and 5 Hz for 1 s, from a jerk at the start: each stays within 1 mm."""
    world, platform, cubes = tower(device, real, rate, 5, 3)
    turn = 2 * np.pi * np.array([1.0, 2.0, 5.0])
    reach = 0.1 * GRAVITY / turn**2

    def path() -> Iterator[np.ndarray]:
        for i in range(rate):
            x = reach * (1 - np.cos(turn * (i + 1) / rate))
            yield np.stack([x, 0 * x, 0 * x], axis=1)

    worst, _ = ride(world, platform, cubes, path())
    assert worst.max() < 1e-3
