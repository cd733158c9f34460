"""Shapes at rest on the ground: at the right height, carried by the right force, deep overlaps pushed out gently."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY, about, cube, lowest, rigid, total_force
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

TETRAHEDRON = 0.2 * np.array([[1.0, 0.0, -0.3], [-0.5, 0.8, -0.3], [-0.5, -0.8, -0.3], [0.0, 0.0, 0.9]])
LYING = about((1.0, 0.0, 0.0), np.pi / 2)

RESTING = {  # shape, orientation, height of its origin above the ground
    "sphere": (Shape("sphere", (0.1,)), (1.0, 0.0, 0.0, 0.0), 0.1),
    "box": (Shape("box", (0.1, 0.2, 0.05)), (1.0, 0.0, 0.0, 0.0), 0.05),
    "box on its side": (Shape("box", (0.1, 0.2, 0.05)), about((0.0, 1.0, 0.0), np.pi / 2), 0.1),
    "capsule lying": (Shape("capsule", (0.06, 0.2)), LYING, 0.06),
    "cylinder upright": (Shape("cylinder", (0.1, 0.15)), (1.0, 0.0, 0.0, 0.0), 0.15),
    "cylinder upside down": (Shape("cylinder", (0.1, 0.15)), about((1.0, 0.0, 0.0), np.pi), 0.15),
    "cylinder lying": (Shape("cylinder", (0.1, 0.15)), LYING, 0.1),
    "tetrahedron": (Shape("mesh", vertices=TETRAHEDRON), (1.0, 0.0, 0.0, 0.0), 0.06),
    "cube of a mesh": (Shape("mesh", vertices=cube(0.1)), (1.0, 0.0, 0.0, 0.0), 0.1),
    "shape off the origin": (
        Shape("box", (0.1, 0.1, 0.1), position=(0.0, 0.0, -0.2), orientation=about((0.0, 1.0, 0.0), np.pi / 2)),
        (1.0, 0.0, 0.0, 0.0),
        0.3,
    ),
}


@pytest.mark.parametrize("height", [0.0, -1.5])
@pytest.mark.parametrize("name", RESTING)
def test_shape_comes_to_rest_at_its_height(name: str, height: float, device: str) -> None:
    """Dropped from 5 mm, after 2 s: height to 0.2 mm, force to 0.1 %, stillness to 0.1 mm/s."""
    shape, orientation, resting = RESTING[name]
    world = px.World(device=device)
    world.add_ground(height=height)
    robot = world.add_robot(
        rigid(shape, mass=3.0, inertia=0.02), position=(0.0, 0.0, height + resting + 0.005), orientation=orientation
    )
    world.build()
    assert lowest(robot)[0] - height == pytest.approx(0.005, abs=1e-6)  # the expectation is the shape's own
    world.step(400)
    assert host(robot.root_pose)[0, 2] - height == pytest.approx(resting, abs=2e-4)
    assert lowest(robot)[0] - height == pytest.approx(0.0, abs=2e-4)
    np.testing.assert_allclose(total_force(robot)[0], [0.0, 0.0, 3.0 * GRAVITY], atol=3e-3 * GRAVITY)
    assert np.abs(host(robot.root_vel)).max() < 1e-4


def test_tumbling_shapes_end_flat(device: str) -> None:
    """Boxes thrown with spin, 16 different ways, end at rest on one of their faces, and never sink 5 mm on the way."""
    rng = np.random.default_rng(0)
    half = np.array([0.1, 0.14, 0.2])
    world = px.World(num_envs=16, device=device)
    world.add_ground()
    robot = world.add_robot(rigid(Shape("box", tuple(half)), mass=2.0))
    turn = rng.normal(size=(16, 4))
    position = np.tile([0.0, 0.0, 0.6], (16, 1))
    robot.set_root_state(pose=np.hstack((position, turn)), vel=rng.normal(size=(16, 6)) * [1, 1, 0, 5, 5, 5])
    for _ in range(120):
        world.step(5)
        assert lowest(robot).min() > -5e-3
    height = host(robot.root_pose)[:, 2]
    assert np.abs(height[:, None] - half).min(axis=1).max() < 5e-4, height
    assert np.abs(host(robot.root_vel)).max() < 1e-3
    np.testing.assert_allclose(total_force(robot)[:, 2], 2.0 * GRAVITY, rtol=1e-3)


@pytest.mark.parametrize("depth", [0.02, 0.09, 0.5])
@pytest.mark.parametrize("most", [0.5, 3.0])
def test_overlap_is_pushed_out_without_a_kick(depth: float, most: float, device: str) -> None:
    """However deep it starts, a box leaves no faster than the cap, and keeps no speed: it does not hop at the end."""
    world = px.World(device=device, max_depenetration_velocity=most)
    world.add_ground()
    robot = world.add_robot(rigid(Shape("box", (0.1, 0.1, 0.1))), position=(0.0, 0.0, 0.1 - depth))
    world.build()
    height = 0.1 - depth
    fastest, deep = 0.0, 0.0
    for _ in range(300):
        world.step()
        deep += world.dt if height < 0.0 else 0.0
        now = float(host(robot.root_pose)[0, 2])
        fastest = max(fastest, (now - height) / world.dt)
        height = now
        speed = float(host(robot.root_vel)[0, 2])
        assert -0.3 < speed < 0.03
        assert height < 0.1 + 3e-3
    assert fastest <= most * 1.01
    assert deep * most < 1.25 * depth  # what is deeper than it is large leaves at about the cap, too
    assert height == pytest.approx(0.1, abs=2e-4)


def test_weight_goes_to_the_bodies_that_touch(device: str) -> None:
    """A beam on two posts of different distance: the law of the lever, per body, fixed joints merged or not."""
    post = Shape("sphere", (0.05,), position=(0.0, 0.0, -0.15))
    bodies = [
        Body("beam", 6.0, inertia=np.diag([0.1, 0.1, 0.1])),
        Body("left", 0.0, collisions=[post]),
        Body("right", 0.0, collisions=[post]),
    ]
    joints = [
        Joint("l", "fixed", "beam", "left", (-0.2, 0.0, 0.0)),
        Joint("r", "fixed", "beam", "right", (0.6, 0.0, 0.0)),
    ]
    world = px.World(device=device)
    world.add_ground(friction=0.0)
    robot = world.add_robot(RobotModel("beam", bodies, joints), position=(0.0, 0.0, 0.2), friction=0.0)
    world.step(200)
    force = host(robot.net_contact_force)[0]
    assert robot.body_names == ["beam", "left", "right"]
    np.testing.assert_allclose(force[:, 2], [0.0, 0.75 * 6 * GRAVITY, 0.25 * 6 * GRAVITY], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-3)


def test_nothing_touches_in_the_air(device: str) -> None:
    """No force above the ground, free fall to rounding, and a contact that ends leaves no force behind."""
    world = px.World(device=device, dtype="float64")
    world.add_ground()
    robot = world.add_robot(rigid(Shape("box", (0.1, 0.1, 0.1))), position=(0.0, 0.0, 0.1))
    world.step(50)
    assert total_force(robot)[0, 2] == pytest.approx(GRAVITY, rel=1e-6)
    robot.set_root_state(vel=[0.0, 0.0, 3.0, 0.0, 0.0, 0.0])
    world.step(50)
    assert not total_force(robot).any()
    assert host(robot.root_vel)[0, 2] == pytest.approx(3.0 - 50 * world.dt * GRAVITY, abs=1e-9)


def test_two_grounds_make_a_valley(device: str) -> None:
    """A ball between two slopes of 45 degrees rests in the middle, each carrying weight / (2 cos 45°)."""
    world = px.World(device=device)
    world.add_ground(normal=(1.0, 0.0, 1.0), friction=0.0)
    world.add_ground(normal=(-1.0, 0.0, 1.0), friction=0.0)
    robot = world.add_robot(rigid(Shape("sphere", (0.1,)), mass=2.0), position=(0.0, 0.0, 0.15), friction=0.0)
    world.step(200)
    np.testing.assert_allclose(host(robot.root_pose)[0, :3], [0.0, 0.0, 0.1 * np.sqrt(2)], atol=2e-4)
    np.testing.assert_allclose(total_force(robot)[0], [0.0, 0.0, 2.0 * GRAVITY], atol=0.02)
    assert np.abs(host(robot.root_vel)).max() < 1e-4


def test_hulls_of_many_corners_come_to_rest(device: str) -> None:
    """Points of a patch are picked among those that can carry: not the rim of a ring, farther out but aloft."""
    rng = np.random.default_rng(0)
    around, across = np.meshgrid(np.linspace(0, 2 * np.pi, 32, False), np.linspace(0, 2 * np.pi, 16, False))
    reach = 0.05 + 0.015 * np.cos(across)
    ring = np.stack([reach * np.cos(around), reach * np.sin(around), 0.015 * np.sin(across)], axis=-1).reshape(-1, 3)
    ball = rng.normal(size=(400, 3))
    ball *= 0.05 / np.linalg.norm(ball, axis=1, keepdims=True)
    world = px.World(num_envs=4, device=device, dt=1 / 120)
    world.add_ground()
    lens = ball * [1.2, 1.2, 0.4]
    bodies = [
        world.add_rigid_object(px.Shape("mesh", vertices=points), f"hull{k}", mass=0.1, position=(0.3 * k, 0.0, 0.08))
        for k, points in enumerate((ring, ball, lens))
    ]
    for body in bodies:
        pose = host(body.root_pose)
        pose[:, 4:] += rng.normal(0.0, 0.05, (4, 3))
        body.set_root_state(pose=pose)
    world.step(480)
    before = [host(body.root_pose) for body in bodies]
    world.step(120)
    for body, pose in zip(bodies, before, strict=True):
        assert np.abs(host(body.root_vel)).max() < 1e-3
        np.testing.assert_allclose(host(body.root_pose), pose, atol=1e-5)
