"""Two kinematic plates too close for what is between them press it: N = m d / (4 ms)^2, and friction holds it.

MuJoCo 3 presses the box of the first test with 155 N by default (solref 0.02 1), and it creeps down at 1.5 mm/s.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from oracles import host

import phalanx as px

GRAVITY, HALF, SLOP = 9.81, 0.05, 1e-4
STEPS = pytest.mark.parametrize("rate", [60, 200, 1000])
REALS = pytest.mark.parametrize("real", ["float32", "float64"])


def force(mass: float, close: float) -> float:
    """N of plates that are ``close`` (m) too close."""
    return mass * (close - 2 * SLOP) / 0.004**2


def held(
    device: str, real: str, rate: int, count: int, shape: px.Shape | Sequence[px.Shape], close: float, friction: float
) -> tuple[px.World, list[px.RigidObject], px.RigidObject]:
    """1 kg between two kinematic plates across x, high above the ground."""
    world = px.World(count, device=device, dtype=real, dt=1 / rate)
    plate = px.Shape("box", (0.1, 0.2, 0.2))
    at = HALF + 0.1 - close / 2
    plates = [
        world.add_rigid_object(plate, name, kind="kinematic", position=(x, 0.0, 1.0), friction=friction)
        for name, x in (("left", -at), ("right", at))
    ]
    thing = world.add_rigid_object(shape, "thing", mass=1.0, position=(0.0, 0.0, 1.0), friction=friction)
    return world, plates, thing


BOX = px.Shape("box", (HALF, HALF, HALF))
SHAPES = {
    "box": BOX,
    "ball": px.Shape("sphere", (HALF,)),
    "two boxes": [px.Shape("box", (HALF, HALF, 0.02), position=(0.0, 0.0, z)) for z in (-0.03, 0.05)],
}


@pytest.mark.parametrize("shape", SHAPES)
@STEPS
@REALS
def test_plates_hold_by_friction(real: str, rate: int, shape: str, device: str) -> None:
    """What is pulled by less than 2 mu N stays, by more it slides as friction lets it; and plates feel N."""
    close, friction = 0.5e-3, 0.5
    load = np.array([0.2, 0.9, 0.97, 1.05, 1.5]) * 2 * friction * force(1.0, close)
    world, plates, thing = held(device, real, rate, len(load), SHAPES[shape], close, friction)
    pull = np.zeros((len(load), 3))
    pull[:, 2] = GRAVITY - load
    thing.set_external_wrench(force=pull)
    before, steps = rate // 20, rate // 10
    world.step(before)
    speed = host(thing.root_vel)[3:, 2]
    world.step(steps)
    moved = host(thing.root_pose)[:3, :3] - [0.0, 0.0, 1.0]
    assert np.abs(moved).max() < 0.2e-3
    gained = (2 * friction * force(1.0, close) - load[3:]) * steps / rate
    friction_then = 2 * friction * force(1.0, close) * steps / rate
    np.testing.assert_allclose(host(thing.root_vel)[3:, 2] - speed, gained, atol=0.02 * friction_then)
    left, right = (host(plate.net_contact_force)[:3, 0] for plate in plates)
    np.testing.assert_allclose(left[:, 0], -force(1.0, close), rtol=0.02)
    np.testing.assert_allclose(right[:, 0], force(1.0, close), rtol=0.02)
    np.testing.assert_allclose(left[:, 2] + right[:, 2], -load[:3], rtol=0.01)


@STEPS
def test_plates_lift_and_let_go(rate: int, device: str) -> None:
    """Lifted at 2 m/s^2 a box comes along; once the plates are farther apart than it is wide it falls freely."""
    world, plates, thing = held(device, "float32", rate, 1, BOX, 0.6e-3, 0.8)
    poses = [host(plate.root_pose) for plate in plates]
    for i in range(rate // 2):
        for plate, pose in zip(plates, poses, strict=True):
            pose[:, 2] = 1.0 + ((i + 1) / rate) ** 2
            plate.set_kinematic_target(pose)
        world.step()
    np.testing.assert_allclose(host(thing.root_pose)[0, :3], [0.0, 0.0, 1.25], atol=1e-3)
    for plate, pose, side in zip(plates, poses, (-1.0, 1.0), strict=True):
        pose[:, 0] += 1e-3 * side
        plate.set_kinematic_target(pose)
    world.step()
    speed = host(thing.root_vel)[0, 2]
    world.step(rate // 5)
    assert host(thing.root_vel)[0, 2] - speed == pytest.approx(-GRAVITY * (rate // 5) / rate, rel=0.02)


@STEPS
def test_what_fits_is_not_held(rate: int, device: str) -> None:
    """Between plates that are as far apart as it is wide, or nearer by the slop, it falls."""
    world, _, thing = held(device, "float64", rate, 1, BOX, SLOP, 0.8)
    world.step(rate // 5)
    assert host(thing.root_vel)[0, 2] == pytest.approx(-GRAVITY / 5, rel=0.02)


def test_alone_as_among_many(device: str) -> None:
    """Bitwise: what is squeezed, what gives way and what stands on four legs, alone and as the last of 37."""
    found = []
    for count in (1, 37):
        world = px.World(count, device=device, dt=1 / 200)
        world.add_ground()
        for name, x in (("left", -0.14975), ("right", 0.14975)):
            world.add_rigid_object(px.Shape("box", (0.1, 0.2, 0.2)), name, kind="kinematic", position=(x, 0.0, 1.0))
        things = [
            world.add_rigid_object(BOX, "held", mass=1.0, position=(0.0, 0.0, 1.0)),
            world.add_rigid_object(BOX, "soft", mass=1.0, position=(1.0, 0.0, 0.06), contact_stiffness=2e3),
            world.add_rigid_object(
                [px.Shape("box", (0.02, 0.02, 0.05), position=(x, y, 0.05)) for x in (-0.2, 0.2) for y in (-0.1, 0.1)],
                "legs", mass=1.0, position=(2.0, 0.0, 0.001),
            ),
        ]  # fmt: skip
        spread = np.linspace(1.0, 0.0, count)[:, None] if count > 1 else np.zeros((1, 1))  # the others move otherwise
        for thing in things:
            thing.set_root_state(vel=spread * [0.3, -0.2, 0.1, 0.5, 1.0, -2.0])
        world.step(100)
        found.append([host(each)[-1].copy() for thing in things for each in (thing.root_pose, thing.net_contact_force)])
    for alone, among in zip(*found, strict=True):
        np.testing.assert_array_equal(alone, among)


@STEPS
def test_what_is_pressed_against_a_wall_is_not_thrown(rate: int, device: str) -> None:
    """A plate that stops only 20 mm after things touch the wall, at 0.5 and 3 m/s: one ball, two, or two boxes askew.

    Nothing is faster than the plate, and nothing rises by 10 mm. Two balls left at 29 to 433 m/s, one rose by 108 mm.
    MuJoCo 4.0 (elliptic, impratio 10): as fast as the plate, and up by 0.3 to 25 mm.
    """
    world = px.World(2, device=device, dt=1 / rate)
    world.add_ground(friction=0.5)
    plate = px.Shape("box", (0.1, 2.0, 0.4))
    pusher = world.add_rigid_object(plate, "pusher", kind="kinematic", position=(-0.4, 0.0, 0.4001), friction=0.5)
    world.add_rigid_object(plate, "wall", kind="static", position=(0.6, 0.0, 0.4), friction=0.5)
    ball, box = px.Shape("sphere", (0.1,)), px.Shape("box", (0.1, 0.1, 0.1))
    places = ((ball, 0.2, 0.0), (ball, 0.2, 1.0), (ball, 0.4, 1.01), (box, 0.2, -1.0), (box, 0.4, -0.99))
    things = [
        world.add_rigid_object(shape, f"thing {n}", mass=1.0, position=(x, y, 0.1), friction=0.5)
        for n, (shape, x, y) in enumerate(places)
    ]
    speeds = np.array([0.5, 3.0])
    pose, fastest, highest = host(pusher.root_pose), np.zeros(2), np.zeros(2)
    for i in range(rate):
        pose[:, 0] = np.minimum(-0.4 + speeds * (i + 1) / rate, 0.02)  # two things fill the room at 0
        pusher.set_kinematic_target(pose)
        world.step()
        fastest = np.maximum(fastest, [np.linalg.norm(host(t.root_vel)[:, :3], axis=1) for t in things]).max(axis=0)
        highest = np.maximum(highest, [host(t.root_pose)[:, 2] - 0.1 for t in things]).max(axis=0)
    assert (fastest < 1.1 * speeds).all()
    assert highest.max() < 0.01  # a ball that rolls at 3 m/s has the energy to climb by 0.18 m
