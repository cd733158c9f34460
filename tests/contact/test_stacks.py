"""Bodies on bodies: towers, pyramids, card houses and arches stay where they are, and carry what is above them."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh
from contact.scenes import about
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Shape

FRICTION = 0.8
CUBE = Shape("box", (0.1, 0.1, 0.1))
Placed = tuple[Shape, tuple[float, float, float], tuple[float, float, float, float]]
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def hull(points: np.ndarray) -> Shape:
    """The convex hull of points."""
    solid = trimesh.convex.convex_hull(points)
    return Shape("mesh", vertices=np.array(solid.vertices), faces=np.array(solid.faces))


def block(x: float, y: float, z: float) -> Shape:
    """A box as a hull, of half lengths x, y, z."""
    return hull(np.array([[i * x, j * y, k * z] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]))


def tower(count: int) -> list[Placed]:
    """Cubes on each other."""
    return [(CUBE, (0.0, 0.0, 0.1 + 0.2 * i), UPRIGHT) for i in range(count)]


def pyramid(rows: int) -> list[Placed]:
    """Rows of cubes side by side, each row with one less."""
    return [
        (CUBE, (0.2 * (j - (rows - 1 - i) / 2), 0.0, 0.1 + 0.2 * i), UPRIGHT)
        for i in range(rows)
        for j in range(rows - i)
    ]


def card_house(storeys: int, length: float = 0.2, thickness: float = 0.005, lean: float = 0.35) -> list[Placed]:
    """Pairs of cards that lean on each other, with flat cards from pair to pair that carry the next storey."""
    leaning = block(thickness / 2, 0.075, length / 2)
    half_height = (length * np.cos(lean) + thickness * np.sin(lean)) / 2
    half_width = (length * np.sin(lean) + thickness * np.cos(lean)) / 2
    pitch = 4 * half_width
    flat = block(0.495 * pitch, 0.075, thickness / 2)
    placed: list[Placed] = []
    floor = 0.0
    for count in range(storeys, 0, -1):
        for x in pitch * (np.arange(count) - (count - 1) / 2):
            for side in (-1.0, 1.0):
                at = (float(x + side * half_width), 0.0, floor + half_height)
                placed.append((leaning, at, about((0.0, 1.0, 0.0), -side * lean)))
        floor += 2 * half_height
        for x in pitch * (np.arange(count - 1) - (count - 2) / 2):
            placed.append((flat, (float(x), 0.0, floor + thickness / 2), UPRIGHT))
        floor += thickness
    return placed


def arch(count: int, radius: float = 1.0, thickness: float = 0.3, depth: float = 0.3) -> list[Placed]:
    """A half circle of wedges that carry each other and nothing else; the two at the ends stand on the ground."""
    placed: list[Placed] = []
    for i in range(count):
        corners = np.array(
            [
                [r * np.cos(angle), y, r * np.sin(angle)]
                for r in (radius - thickness / 2, radius + thickness / 2)
                for angle in (np.pi * i / count, np.pi * (i + 1) / count)
                for y in (-depth / 2, depth / 2)
            ]
        )
        middle = corners.mean(axis=0)
        x, y, z = middle
        placed.append((hull(corners - middle), (float(x), float(y), float(z)), UPRIGHT))
    return placed


def build(
    device: str, placed: list[Placed], real: str = "float32", num_envs: int = 1
) -> tuple[px.World, list[px.RigidObject]]:
    """A world with default iterations at dt 1/120."""
    world = px.World(num_envs, device=device, dtype=real, dt=1 / 120)
    world.add_ground(friction=FRICTION)
    bodies = [
        world.add_rigid_object(shape, f"body{i}", mass=1.0, position=at, orientation=turn, friction=FRICTION)
        for i, (shape, at, turn) in enumerate(placed)
    ]
    world.build()
    return world, bodies


def places(bodies: list[px.RigidObject]) -> np.ndarray:
    """Where they are, (num_bodies, num_envs, 3)."""
    return np.array([host(body.root_pose)[:, :3] for body in bodies])


def fastest(bodies: list[px.RigidObject]) -> float:
    """Greatest component of any velocity, m/s or rad/s."""
    return max(float(np.abs(host(body.root_vel)).max()) for body in bodies)


@pytest.mark.parametrize(
    "placed",
    [tower(10), pyramid(10), card_house(3), arch(15)],
    ids=["tower of 10", "pyramid of 55", "card house", "arch of 15"],
)
@pytest.mark.parametrize("real", ["float32", "float64"])
def test_it_stands(placed: list[Placed], real: str, device: str) -> None:
    """10 s: nothing moves by a millimetre from the start, the loads being found at once; then rest."""
    world, bodies = build(device, placed, real)
    start = places(bodies)
    for _ in range(40):
        world.step(30)
        assert np.abs(places(bodies) - start).max() < 1e-3
    assert fastest(bodies) < 1e-3
    carried = sum(host(body.net_contact_force).sum(axis=1) for body in bodies)
    np.testing.assert_allclose(carried, [[0.0, 0.0, 9.81 * len(bodies)]], atol=0.02 * 9.81 * len(bodies))


@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_crooked_tower_stands(turn: float, device: str) -> None:
    """Ten cubes, each off the axis by up to a centimetre and turned about it: 10 s, drift after two below 1 mm."""
    count, envs = 10, 16
    world, bodies = build(device, tower(count), num_envs=envs)
    random = np.random.default_rng(1)
    off = random.uniform(-0.01, 0.01, (count, envs, 2))
    yaw = random.uniform(-turn, turn, (count, envs))
    for body, shift, angle in zip(bodies, off, yaw, strict=True):
        pose = host(body.root_pose)
        pose[:, :2] += shift
        pose[:, 3], pose[:, 6] = np.cos(angle / 2), np.sin(angle / 2)
        body.set_root_state(pose=pose)
    world.step(240)
    settled = places(bodies)
    world.step(960)
    assert np.abs(places(bodies) - settled).max() < 1e-3
    assert fastest(bodies) < 5e-3


def test_a_tower_carries_its_weight(device: str) -> None:
    """Each interface of a tower of 4 carries what is above it, within 0.5 %."""
    world, bodies = build(device, tower(4))
    world.step(600)
    force = np.array([host(body.net_contact_force)[0, 0, 2] for body in bodies])
    np.testing.assert_allclose(force, 9.81, rtol=5e-3)


def test_a_box_falls_on_a_fixed_box_and_stays(device: str) -> None:
    world = px.World(num_envs=2, device=device, dt=1 / 120)
    world.add_rigid_object(Shape("box", (0.5, 0.5, 0.1)), name="table", kind="static")
    box = world.add_rigid_object(Shape("box", (0.1, 0.1, 0.1)), name="box", mass=2.0, position=(0.0, 0.0, 0.3))
    world.step(240)
    assert np.abs(host(box.root_pose)[:, 2] - 0.2).max() < 1e-3
    np.testing.assert_allclose(host(box.net_contact_force)[:, 0, 2], 2.0 * 9.81, rtol=5e-3)
