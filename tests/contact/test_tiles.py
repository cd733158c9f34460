"""What slides and rolls from tile to tile goes on as on one piece: tiles are bodies of their own, or pieces of one."""

from __future__ import annotations

import numpy as np
import pytest
from contact.scenes import GRAVITY
from oracles import host

import phalanx as px
from phalanx.models.robot_model import Body, RobotModel, Shape

FRICTION = 0.5
TILE = 0.25
COUNT = 16
SPEEDS = {
    "box": np.array([0.7, 1.5, 3.0, 3.0]),
    "pair": np.array([0.7, 1.5, 3.0, 3.0]),
    "ball": np.array([0.5, 1.0, 2.0, 3.0]),
}
HALF = 0.05
CORNERS = np.array([[x, y, z] for x in (-TILE / 2, TILE / 2) for y in (-1.0, 1.0) for z in (-0.1, 0.0)])
SIDES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""Of a tile whose top is at z = 0."""

STEPS = pytest.mark.parametrize("dt", [1 / 60, 1 / 200, pytest.param(1 / 1000, marks=pytest.mark.slow)])


def tile(kind: str, x: float, top: float) -> Shape:
    """A tile about x; ``kind``: box, uneven (a box), hull or mesh."""
    if kind in ("box", "uneven"):
        return Shape("box", (TILE / 2, 1.0, 0.05), position=(x, 0.0, top - 0.05))
    if kind == "hull":
        return Shape("mesh", vertices=CORNERS, position=(x, 0.0, top))
    return Shape("mesh", vertices=CORNERS, faces=SIDES, approximation="triangle_mesh", position=(x, 0.0, top))


def lay(world: px.World, kind: str) -> None:
    """Tiles from x = -0.125 m on, side by side; "platform", "meshes": of one body."""
    rng = np.random.default_rng(0)
    heights = rng.choice([0.0, 1e-4], COUNT) if kind == "uneven" else np.zeros(COUNT)
    shapes = [tile({"platform": "box", "meshes": "mesh"}.get(kind, kind), TILE * i, z) for i, z in enumerate(heights)]
    if kind in ("platform", "meshes"):
        model = RobotModel("floor", [Body("floor", 1.0, inertia=np.eye(3), collisions=shapes)], [])
        world.add_robot(model, "floor", fixed_base=True, friction=FRICTION)
        return
    for i, shape in enumerate(shapes):
        place = tuple(float(v) for v in shape.position)
        plain = Shape(
            shape.kind, shape.size, vertices=shape.vertices, faces=shape.faces, approximation=shape.approximation
        )
        world.add_rigid_object(plain, f"tile {i}", kind="static", position=place, friction=FRICTION)


def mover(what: str) -> RobotModel:
    """A box, a body of two boxes, or a ball, of 1 kg."""
    if what == "ball":
        shapes, inertia = [Shape("sphere", (HALF,))], 0.4 * HALF**2
    elif what == "box":
        shapes, inertia = [Shape("box", (0.1, 0.1, HALF))], 0.004
    else:
        shapes, inertia = [Shape("box", (0.05, 0.1, HALF), position=(x, 0.0, 0.0)) for x in (-0.05, 0.05)], 0.004
    return RobotModel(what, [Body("body", 1.0, inertia=np.diag([inertia] * 3), collisions=shapes)], [])


@STEPS
@pytest.mark.parametrize(
    ("kind", "what"),
    [("box", "box"), ("box", "ball"), ("box", "pair"), ("uneven", "box"), ("uneven", "ball"), ("platform", "box"),
     ("meshes", "box"), ("hull", "box"), ("hull", "ball"), ("mesh", "box"), ("mesh", "ball")],
)  # fmt: skip
def test_seams_stop_nothing(kind: str, what: str, dt: float, device: str) -> None:
    """Boxes at 0.7 to 3 m/s, straight and turned, stop after v²/2µg less half a step's way, within 1 %; balls keep
    their speed; both rise by less than 1 mm. A tile in two, at random, is 0.1 mm higher where they are uneven.
    """
    speeds = SPEEDS[what]
    world = px.World(4, device, dt=dt)
    lay(world, kind)
    body = world.add_robot(mover(what), friction=FRICTION)
    pose, velocity = np.zeros((4, 7)), np.zeros((4, 6))
    pose[:, 1:4] = np.column_stack(
        [0.1 * np.arange(4), np.full(4, HALF + (1e-4 if kind == "uneven" else 0.0)), np.ones(4)]
    )
    velocity[:, 0] = speeds
    if what == "ball":
        velocity[:, 4] = speeds / HALF
    else:
        pose[3, 3:] = np.cos(0.3), 0.0, 0.0, np.sin(0.3)
    body.set_root_state(pose=pose, vel=velocity)
    highest = np.zeros(4)
    for _ in range(round(1.0 / dt)):
        world.step()
        highest = np.maximum(highest, host(body.root_pose)[:, 2])
    assert (highest - pose[:, 2]).max() < 1e-3
    if what == "ball":
        np.testing.assert_allclose(host(body.root_vel)[:, 0], speeds, rtol=0.01)
    else:
        braked = speeds**2 / (2.0 * FRICTION * GRAVITY) - 0.5 * speeds * dt
        np.testing.assert_allclose(host(body.root_pose)[:, 0], braked, rtol=0.01)


@pytest.mark.parametrize("rate", [60, 200])
@pytest.mark.parametrize("what", ["box", "ball"])
def test_seams_at_corners_of_four_tiles(what: str, rate: int, device: str) -> None:
    """Square tiles laid at 37 degrees, so that paths lead over their corners: as along the rows.

    A tile that the path passes, by less than the body sinks in the step, was kept as what a blow may turn it to. The
    blow was on seams. At 1/200, 14 of 256 balls were thrown up, by up to 27 mm, and boxes stopped on the spot.
    """
    count, angle = 128, np.radians(37.0)
    rng = np.random.default_rng(1)
    world = px.World(count, device, dt=1 / rate)
    shape = Shape("box", (TILE / 2, TILE / 2, 0.05))
    turn = (float(np.cos(angle / 2)), 0.0, 0.0, float(np.sin(angle / 2)))
    rows = TILE * np.stack(np.meshgrid(np.arange(-8, 12), np.arange(-12, 8), indexing="ij"), axis=-1).reshape(-1, 2)
    spots = rows @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    for i, (x, y) in enumerate(spots[(spots[:, 0] > -0.4) & (spots[:, 0] < 2.2) & (np.abs(spots[:, 1]) < 0.45)]):
        place = (float(x), float(y), -0.05)
        world.add_rigid_object(shape, f"tile {i}", kind="static", position=place, orientation=turn, friction=FRICTION)
    body = world.add_robot(mover(what), friction=FRICTION)
    pose, velocity = np.zeros((count, 7)), np.zeros((count, 6))
    pose[:, :2] = rng.uniform([0.0, -0.12], [0.25, 0.12], (count, 2))
    pose[:, 2:4] = HALF, 1.0
    speeds = rng.uniform(0.5, 3.0, count)
    velocity[:, 0] = speeds
    velocity[:, 4] = speeds / HALF if what == "ball" else 0.0
    body.set_root_state(pose=pose, vel=velocity)
    highest = np.zeros(count)
    for _ in range(rate * 3 // 5):
        world.step()
        highest = np.maximum(highest, host(body.root_pose)[:, 2])
    assert (highest - HALF).max() < 1e-3
    if what == "ball":
        np.testing.assert_allclose(host(body.root_vel)[:, 0], speeds, rtol=0.01)
    else:
        braked = speeds**2 / (2.0 * FRICTION * GRAVITY) - 0.5 * speeds / rate
        np.testing.assert_allclose(host(body.root_pose)[:, 0] - pose[:, 0], braked, rtol=0.01, atol=1e-4)


SIDEWAYS = (float(np.sqrt(0.5)), float(np.sqrt(0.5)), 0.0, 0.0)
ROUND = {
    "ball": (Shape("sphere", (HALF,)), (0.001, 0.001, 0.001)),
    "cylinder": (Shape("cylinder", (HALF, 0.05), orientation=SIDEWAYS), (0.0015, 0.00125, 0.0015)),
    "capsule": (Shape("capsule", (HALF, 0.05), orientation=SIDEWAYS), (0.0025, 0.00115, 0.0025)),
    "box": (Shape("box", (0.1, 0.1, HALF)), (0.0042, 0.0042, 0.0067)),
}
"""Shapes of 1 kg, with their moments."""


@pytest.mark.parametrize(
    ("tiles", "what", "rate"),
    [("prisms", "ball", 60), ("uneven", "cylinder", 60), ("uneven", "capsule", 60), ("meshes", "box", 200)],
)
def test_seams_of_square_tiles_of_other_sorts(tiles: str, what: str, rate: int, device: str) -> None:
    """Tiles of two prisms each, such that differ by 0.1 mm, and meshes, laid at 37 degrees: 256 bodies at 0.5 to 3 m/s.

    Of the balls 3 rose by up to 30 mm and 33 sank by 2.7 mm, of the cylinders 16 rose by up to 9 mm and 86 sank; three
    boxes stopped up to 73 % too early.

    A ball that was a hair above the floor, and had risen, was expected to rise on: no contact held it when it did not.
    Cylinders lie tilted on uneven tiles, by so little that it is one floor, but with their normals the next tile was
    not below it. And where a box came past the corner of a mesh it met the tile's side, which was not on its way.
    """
    count, angle = 256, np.radians(37.0)
    rng, levels = np.random.default_rng(1), np.random.default_rng(3)
    half, turn = TILE / 2, (float(np.cos(angle / 2)), 0.0, 0.0, float(np.sin(angle / 2)))
    square = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    pieces = [Shape("box", (half, half, 0.05))]
    if tiles == "prisms":
        pieces = [
            Shape("mesh", vertices=np.array([[*square[k], z] for z in (-0.05, 0.05) for k in corners]))
            for corners in ((0, 1, 2), (0, 2, 3))
        ]
    elif tiles == "meshes":
        corners = np.array([[x, y, z] for x in (-half, half) for y in (-half, half) for z in (-0.05, 0.05)])
        pieces = [Shape("mesh", vertices=corners, faces=SIDES, approximation="triangle_mesh")]
    world = px.World(count, device, dt=1 / rate)
    rows = TILE * np.stack(np.meshgrid(np.arange(-12, 16), np.arange(-12, 16), indexing="ij"), axis=-1).reshape(-1, 2)
    spots = rows @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    for i, (x, y) in enumerate(spots[(spots[:, 0] > -0.4) & (spots[:, 0] < 2.2) & (np.abs(spots[:, 1]) < 0.45)]):
        place = (float(x), float(y), -0.05 + (1e-4 * float(levels.integers(2)) if tiles == "uneven" else 0.0))
        for k, piece in enumerate(pieces):
            world.add_rigid_object(
                piece, f"tile {i} {k}", kind="static", position=place, orientation=turn, friction=FRICTION
            )
    shape, moments = ROUND[what]
    body = world.add_robot(RobotModel(what, [Body("body", 1.0, inertia=np.diag(moments), collisions=[shape])], []),
                           friction=FRICTION)  # fmt: skip
    speeds = rng.uniform(0.5, 3.0, count)
    pose, velocity = np.zeros((count, 7)), np.zeros((count, 6))
    pose[:, 0], pose[:, 1] = rng.uniform(0.0, 0.25, count), rng.uniform(-0.12, 0.12, count)
    top = HALF + (1e-4 if tiles == "uneven" else 0.0)
    pose[:, 2], pose[:, 3] = top, 1.0
    velocity[:, 0] = speeds
    velocity[:, 4] = 0.0 if what == "box" else speeds / HALF
    body.set_root_state(pose=pose, vel=velocity)
    heights = []
    for _ in range(rate // 2):
        world.step()
        heights.append(host(body.root_pose)[:, 2])
    assert np.max(heights) - top < 1e-3
    assert np.min(heights) - top > -1e-3
    left = speeds if what != "box" else np.maximum(speeds - FRICTION * GRAVITY * 0.5, 0.0)
    np.testing.assert_allclose(host(body.root_vel)[:, 0], left, rtol=0.01, atol=2e-3)


@pytest.mark.parametrize("rate", [60, 200])
def test_turned_boxes_slide_on_however_loads_may_be_shared(rate: int, device: str) -> None:
    """Boxes at about 3 m/s, turned, over triangle meshes: up to nine contacts, of which some are in one place.

    Their loads can change in many ways that hardly move the box, and rounding must not say how far. Before, one box of
    a hundred was thrown up by 1 to 26 mm; the differences between the boxes here stand for other roundings.
    """
    count = 512
    rng = np.random.default_rng(1)
    world = px.World(count, device, dt=1 / rate)
    lay(world, "mesh")
    body = world.add_robot(mover("box"), friction=FRICTION)
    pose, velocity = np.zeros((count, 7)), np.zeros((count, 6))
    pose[:, :2] = rng.uniform(-1e-3, 1e-3, (count, 2)) + [0.0, 0.3]
    pose[:, 2] = HALF
    angle = 0.3 + rng.uniform(-5e-4, 5e-4, count)
    pose[:, 3], pose[:, 6] = np.cos(angle), np.sin(angle)
    velocity[:, 0] = rng.uniform(2.95, 3.05, count)
    body.set_root_state(pose=pose, vel=velocity)
    highest = np.zeros(count)
    for _ in range(rate):
        world.step()
        highest = np.maximum(highest, host(body.root_pose)[:, 2])
    assert (highest - HALF).max() < 2e-4
    braked = velocity[:, 0] ** 2 / (2.0 * FRICTION * GRAVITY) - 0.5 * velocity[:, 0] / rate
    np.testing.assert_allclose(host(body.root_pose)[:, 0] - pose[:, 0], braked, rtol=0.005)


@STEPS
@pytest.mark.parametrize("what", ["box", "ball"])
@pytest.mark.parametrize("kind", ["box", "mesh"])
@pytest.mark.parametrize("bed", ["ground", "kinematic"])
def test_seams_with_the_ground_and_between_bodies_that_move(
    bed: str, kind: str, what: str, dt: float, device: str
) -> None:
    """Every other tile level with a ground plane; and kinematic tiles, each a body, that all move at 0.5 m/s."""
    speeds, moves = SPEEDS[what], 0.5 if bed == "kinematic" else 0.0
    world = px.World(4, device, dt=dt)
    if bed == "ground":
        world.add_ground(friction=FRICTION)
    plain = tile(kind, 0.0, 0.0)
    shape = Shape(plain.kind, plain.size, vertices=plain.vertices, faces=plain.faces, approximation=plain.approximation)
    tiles = [
        world.add_rigid_object(
            shape, f"tile {i}", kind="static" if bed == "ground" else "kinematic", friction=FRICTION,
            position=(TILE * i, 0.0, float(plain.position[2])),
        )
        for i in range(0, COUNT, 2 if bed == "ground" else 1)
    ]  # fmt: skip
    body = world.add_robot(mover(what), friction=FRICTION)
    pose, velocity = np.zeros((4, 7)), np.zeros((4, 6))
    pose[:, 1:4] = np.column_stack([0.1 * np.arange(4), np.full(4, HALF), np.ones(4)])
    velocity[:, 0] = speeds + moves
    if what == "ball":
        velocity[:, 4] = speeds / HALF
    else:
        pose[3, 3:] = np.cos(0.3), 0.0, 0.0, np.sin(0.3)
    body.set_root_state(pose=pose, vel=velocity)
    for each in tiles if moves else []:
        each.set_root_state(vel=np.tile([moves, 0.0, 0.0, 0.0, 0.0, 0.0], (4, 1)))
    highest = np.zeros(4)
    for _ in range(round(1.0 / dt)):
        world.step()
        highest = np.maximum(highest, host(body.root_pose)[:, 2])
    assert (highest - HALF).max() < 1e-3
    if what == "ball":
        np.testing.assert_allclose(host(body.root_vel)[:, 0] - moves, speeds, rtol=0.01)
    else:
        braked = speeds**2 / (2.0 * FRICTION * GRAVITY) - 0.5 * speeds * dt
        np.testing.assert_allclose(host(body.root_pose)[:, 0] - moves, braked, rtol=0.01)


@STEPS
@pytest.mark.parametrize("what", ["box", "ball"])
def test_seams_on_a_turntable_of_several_bodies(what: str, dt: float, device: str) -> None:
    """Without friction what slides over kinematic tiles that turn together goes straight on; tiles may also rise."""
    world = px.World(4, device, dt=dt)
    places = np.array([[x, y, -0.05] for x in (-0.75, -0.25, 0.25, 0.75) for y in (-0.5, 0.5)])
    tiles = [
        world.add_rigid_object(
            Shape("box", (0.25, 0.5, 0.05)), f"tile {i}", kind="kinematic", position=tuple(place), friction=0.0,
            friction_combine="min",
        )
        for i, place in enumerate(places.tolist())
    ]  # fmt: skip
    body = world.add_robot(mover(what), friction=0.0, friction_combine="min")
    spin, rise = np.array([0.5, -2.0, 4.0, 2.0]), np.array([0.0, 0.0, 0.0, 0.2])
    pose, velocity = np.zeros((4, 7)), np.zeros((4, 6))
    pose[:, :4] = [-0.6, 0.05, HALF, 1.0]
    velocity[:, 0], velocity[:, 2] = [1.0, 1.5, 2.0, 1.0], rise
    body.set_root_state(pose=pose, vel=velocity)
    for each, place in zip(tiles, places, strict=True):
        turning = np.zeros((4, 6))
        turning[:, 0], turning[:, 1], turning[:, 2], turning[:, 5] = -spin * place[1], spin * place[0], rise, spin
        each.set_root_state(vel=turning)
    worst = 0.0
    for i in range(1, round(0.5 / dt) + 1):
        for each, place in zip(tiles, places, strict=True):
            angle, target = spin * i * dt, np.zeros((4, 7))
            target[:, 0] = np.cos(angle) * place[0] - np.sin(angle) * place[1]
            target[:, 1] = np.sin(angle) * place[0] + np.cos(angle) * place[1]
            target[:, 2] = place[2] + rise * i * dt
            target[:, 3], target[:, 6] = np.cos(angle / 2), np.sin(angle / 2)
            each.set_kinematic_target(target)
        world.step()
        worst = max(worst, float(np.abs(host(body.root_pose)[:, 2] - HALF - rise * i * dt).max()))
    assert worst < 1e-3
    np.testing.assert_allclose(host(body.root_vel)[:, :2], velocity[:, :2], atol=0.01)


@pytest.mark.parametrize("kind", ["static", "kinematic"])
def test_a_tile_above_the_ground_or_the_next_one_is_struck(kind: str, device: str) -> None:
    """By 3 mm: of a static tile on the ground, and of a kinematic one beside another; and one that rises is struck."""
    world = px.World(3, device, dt=1 / 200)
    shape = Shape("box", (TILE / 2, 1.0, 0.05))
    if kind == "static":
        world.add_ground(friction=FRICTION)
    else:
        world.add_rigid_object(shape, "level", kind="kinematic", position=(0.0, 0.0, -0.05), friction=FRICTION)
    place = (TILE, 0.0, 0.003 - 0.05)
    world.add_rigid_object(shape, "tile", kind=kind, position=place, friction=FRICTION)
    body = world.add_robot(mover("box"), friction=FRICTION)
    pose, velocity = np.zeros((3, 7)), np.zeros((3, 6))
    pose[:, 2:4] = HALF, 1.0
    velocity[:, 0] = 1.0, 2.0, 3.0
    body.set_root_state(pose=pose, vel=velocity)
    for _ in range(12):
        world.step()
    assert np.abs(host(body.root_vel)[:, 0]).max() < 0.7


def test_a_lift_level_with_the_ground_takes_along_what_stands_on_its_edge(device: str) -> None:
    """It rises at 0.2 m/s from the ground: its side is the ground's no more, and the box is not left behind."""
    world = px.World(1, device, dt=1 / 200)
    world.add_ground(friction=FRICTION)
    lift = world.add_rigid_object(
        Shape("box", (0.5, 0.5, 0.05)), "lift", kind="kinematic", position=(0.0, 0.0, -0.05), friction=FRICTION
    )
    body = world.add_robot(mover("box"), friction=FRICTION)
    body.set_root_state(pose=np.array([[0.43, 0.0, HALF, 1.0, 0.0, 0.0, 0.0]]))
    world.step(20)
    lift.set_root_state(vel=[[0.0, 0.0, 0.2, 0.0, 0.0, 0.0]])
    world.step(100)
    np.testing.assert_allclose(host(body.root_pose)[:, 2], HALF + 0.1, atol=5e-4)


def test_a_step_stops_what_a_seam_does_not(device: str) -> None:
    """A tile that is 3 mm higher is struck."""
    world = px.World(3, device, dt=1 / 200)
    for i, top in enumerate((0.0, 0.003, 0.003)):
        shape = Shape("box", (TILE / 2, 1.0, 0.05))
        world.add_rigid_object(
            shape, f"tile {i}", kind="static", position=(TILE * i, 0.0, top - 0.05), friction=FRICTION
        )
    body = world.add_robot(mover("box"), friction=FRICTION)
    pose, velocity = np.zeros((3, 7)), np.zeros((3, 6))
    pose[:, 2:4] = HALF, 1.0
    velocity[:, 0] = 1.0, 2.0, 3.0
    body.set_root_state(pose=pose, vel=velocity)
    for _ in range(12):
        world.step()
    assert np.abs(host(body.root_vel)[:, 0]).max() < 0.7
