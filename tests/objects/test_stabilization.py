"""Stabilization: what is slow and touches something is damped, nothing else is; towers that rock come to rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracles import host

import phalanx as px

DT = 1 / 240
RATE = 2.0  # 1/s, as documented
THRESHOLD = np.array([0.0, 0.01])
SLOW, FAST = 0.05, 0.5  # m/s; with rolling 1.4 / 2 v^2 = 0.0018 and 0.18 m^2/s^2


def test_slow_rolling_is_damped(device: str) -> None:
    """As 1 / (1 + rate dt) a step, spin and all; what is fast, and what flies, goes on."""
    world = px.World(len(THRESHOLD), device, dt=DT)
    world.add_ground()
    ball = px.Shape("sphere", (0.1,))
    starts = {"slow": (0.1, SLOW), "fast": (0.1, FAST), "flying": (1.0, SLOW)}
    for y, (name, (height, _)) in enumerate(starts.items()):
        world.add_rigid_object(ball, name, position=(0, y, height), disable_gravity=name == "flying")
    for name, (_, speed) in starts.items():
        world.objects[name].set_root_state(vel=[speed, 0, 0, 0, speed / 0.1, 0])
        world.objects[name].set_stabilization_threshold(THRESHOLD)
    world.step(120)
    kept = np.where(THRESHOLD > 0, (1 + RATE * DT) ** -120.0, 1.0)
    vel = {name: host(world.objects[name].root_vel) for name in starts}
    np.testing.assert_allclose(vel["slow"][:, 0], SLOW * kept, rtol=0.02)  # it is damped from its first touch on
    np.testing.assert_allclose(vel["slow"][:, 4] * 0.1, vel["slow"][:, 0], rtol=1e-3)
    np.testing.assert_allclose(vel["fast"][:, 0], FAST, rtol=1e-4)
    np.testing.assert_allclose(vel["flying"][:, 0], SLOW, rtol=1e-5)
    np.testing.assert_allclose(host(world.objects["slow"].stabilization_threshold), THRESHOLD)
    assert not any(host(thing.is_sleeping).any() for thing in world.objects.values())
    with pytest.raises(ValueError, match="'slow': stabilization threshold is negative"):
        world.objects["slow"].set_stabilization_threshold(-1.0)


def test_towers_come_to_rest(device: str) -> None:
    """Ten boxes up to 1 cm off the axis and turned by up to 0.3 rad: still after 6 s, and where they stood."""
    count, boxes, rng = 16, 10, np.random.default_rng(0)
    world = px.World(count, device, dt=1 / 120)
    world.add_ground()
    cube = px.Shape("box", (0.1, 0.1, 0.1))
    options: dict[str, Any] = {"mass": 1.0, "sleep_threshold": 5e-5, "stabilization_threshold": 0.05}
    for k in range(boxes):
        world.add_rigid_object(cube, f"box{k}", position=(0, 0, 0.1 + 0.2 * k), **options)
    starts = []
    for k, box in enumerate(world.objects.values()):
        pose = np.zeros((count, 7))
        pose[:, :2], pose[:, 2] = rng.uniform(-0.01, 0.01, (count, 2)), 0.1 + 0.2 * k
        turn = rng.uniform(-0.3, 0.3, count)
        pose[:, 3], pose[:, 6] = np.cos(turn / 2), np.sin(turn / 2)
        box.set_root_state(pose=pose)
        starts.append(pose)
    world.step(6 * 120)
    for start, box in zip(starts, world.objects.values(), strict=True):
        assert host(box.is_sleeping).all()
        np.testing.assert_allclose(host(box.root_pose)[:, :3], start[:, :3], atol=0.01)
