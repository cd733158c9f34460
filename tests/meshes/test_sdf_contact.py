"""Contacts of meshes with distance fields against what is known of the solids that they stand for."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
import trimesh
from meshes.placements import Contacts, Scene, grid_mesh
from oracles.needed import package
from scipy.spatial.transform import Rotation

from phalanx.models.robot_model import Shape
from phalanx.models.sdf_options import SdfOptions

if TYPE_CHECKING:
    import fcl  # pyright: ignore[reportMissingImports]
else:
    fcl = package("fcl", "python-fcl")

COUNT, REACH = 400, 0.02
RADIUS = 0.05
RING, TUBE = 0.05, 0.015
_POINTS = np.random.default_rng(1).normal(size=(40, 3))
SOLIDS = {
    "sphere": Shape("sphere", (0.03,)),
    "capsule": Shape("capsule", (0.02, 0.04)),
    "box": Shape("box", (0.04, 0.03, 0.05)),
    "cylinder": Shape("cylinder", (0.03, 0.04)),
    "cone": Shape("cone", (0.03, 0.04)),
    "hull": Shape("mesh", vertices=0.04 * _POINTS / np.linalg.norm(_POINTS, axis=1)[:, None]),
}


def sdf(mesh: trimesh.Trimesh, **options: int) -> Shape:
    return Shape("mesh", vertices=mesh.vertices, faces=mesh.faces, approximation="sdf", sdf=SdfOptions(**options))


@cache
def ball() -> Shape:
    return sdf(trimesh.creation.icosphere(4, RADIUS))


@cache
def torus() -> Shape:
    return sdf(trimesh.creation.torus(RING, TUBE, major_sections=64, minor_sections=32))


def turns(rng: np.random.Generator) -> np.ndarray:
    return Rotation.random(COUNT, rng).as_matrix()  # pyright: ignore[reportCallIssue]


def directions(rng: np.random.Generator) -> np.ndarray:
    found = rng.normal(size=(COUNT, 3))
    return found / np.linalg.norm(found, axis=1)[:, None]


def to_point(shape: Shape, points: np.ndarray) -> np.ndarray:
    """Distance of points outside of a shape, in the frame in which it was given: by FCL, of a hull by trimesh."""
    if shape.kind == "mesh":
        return trimesh.proximity.closest_point_naive(trimesh.Trimesh(shape.vertices).convex_hull, points)[1]
    if shape.kind == "box":
        geometry = fcl.Box(*(2 * np.array(shape.size)))
    elif shape.kind == "sphere":
        geometry = fcl.Sphere(shape.size[0])
    else:
        make = {"capsule": fcl.Capsule, "cylinder": fcl.Cylinder, "cone": fcl.Cone}[shape.kind]
        geometry = make(shape.size[0], 2 * shape.size[1])
    solid, dot = fcl.CollisionObject(geometry), fcl.Sphere(1e-6)
    result = [
        fcl.distance(solid, fcl.CollisionObject(dot, fcl.Transform(point)), fcl.DistanceRequest(), fcl.DistanceResult())
        for point in points
    ]
    return np.array(result) + 1e-6


def deepest_normal(found: Contacts) -> np.ndarray:
    at = np.where(found.held, found.separation, np.inf).argmin(axis=1)
    return found.normal[np.arange(len(at)), at]


@pytest.mark.parametrize(("name", "real"), [*((name, "float32") for name in SOLIDS), ("box", "float64")])
def test_a_round_mesh_touches_where_a_ball_would(name: str, real: str, device: str) -> None:
    """Gaps and overlaps of up to 3 mm, against the distance of the ball's centre."""
    rng = np.random.default_rng(2)
    solid = SOLIDS[name]
    scene = Scene(solid, ball(), COUNT, device, real)
    origin = scene.pieces[0].position
    start = 0.2 * directions(rng)
    low, high = np.zeros(COUNT), np.ones(COUNT)
    depth = rng.uniform(-0.003, 0.003, COUNT)
    for _ in range(24):  # along a line to the solid, to where the ball's surface is so deep
        middle = 0.5 * (low + high)
        near = to_point(solid, start * (1.0 - middle)[:, None]) - RADIUS > depth
        low, high = np.where(near, middle, low), np.where(near, high, middle)
    centre = start * (1.0 - 0.5 * (low + high))[:, None] - origin
    world, own = turns(rng), turns(rng)
    found = scene.collide(world, world @ own, np.einsum("nij,nj->ni", world, centre), reach=REACH)
    assert (found.count > 0).all() and (found.count <= 8).all()
    error = found.deepest - depth
    steps = 1e-5 * np.eye(3)
    away = np.stack(
        [to_point(solid, centre + origin + s) - to_point(solid, centre + origin - s) for s in steps], axis=-1
    )
    away /= -np.linalg.norm(away, axis=1)[:, None]  # from the ball to the solid
    cosine = np.einsum("ni,nij,nj->n", away, world.transpose(0, 2, 1), deepest_normal(found))
    assert np.median(np.abs(error)) < 5e-5  # the mesh itself is off by up to 6e-5
    assert np.abs(error).max() < (6e-4 if name == "cone" else 3e-4)
    assert np.median(cosine) > 0.999 and (cosine > 0.98).mean() > 0.98
    # Midway between the surfaces: as far from the ball's surface as half of the separation.
    place = found.position - np.einsum("nij,nj->ni", world, centre)[:, None]
    out = np.linalg.norm(place, axis=2) - RADIUS
    np.testing.assert_allclose(out[found.held], 0.5 * found.separation[found.held], atol=1.2e-3)


def test_balls_on_a_ring(device: str) -> None:
    """Concave places, too: the hole of a torus."""
    rng = np.random.default_rng(3)
    solid = SOLIDS["sphere"]
    scene = Scene(solid, torus(), COUNT, device)
    angle, around = rng.uniform(0, 2 * np.pi, (2, COUNT))
    gap = rng.uniform(-0.005, 0.005, COUNT)
    small = 0.012
    scene = Scene(Shape("sphere", (small,)), torus(), COUNT, device)
    far = TUBE + small + gap
    spoke = np.stack([np.cos(around), np.sin(around), np.zeros(COUNT)], axis=1)
    normal = np.cos(angle)[:, None] * spoke + np.sin(angle)[:, None] * [0, 0, 1]
    centre = RING * spoke + far[:, None] * normal
    nearest = np.abs(np.hypot(np.hypot(*centre.T[:2]) - RING, centre[:, 2]) - far)
    assert nearest.max() < 1e-12
    world = turns(rng)
    found = scene.collide(np.eye(3), world, -np.einsum("nij,nj->ni", world, centre), reach=REACH)
    error = found.deepest - gap
    assert (found.count > 0).all() and np.abs(error).max() < 6e-4 and np.median(np.abs(error)) < 2e-4
    cosine = np.einsum("nij,nj,ni->n", world, normal, deepest_normal(found))
    assert cosine.min() > 0.99


def test_two_round_meshes(device: str) -> None:
    """A ball and a torus, both by their fields."""
    rng = np.random.default_rng(4)
    scene = Scene(torus(), ball(), COUNT, device)
    angle, around = rng.uniform(-1.0, 1.0, COUNT), rng.uniform(0, 2 * np.pi, COUNT)  # outside of the hole
    gap = rng.uniform(-0.005, 0.005, COUNT)
    spoke = np.stack([np.cos(around), np.sin(around), np.zeros(COUNT)], axis=1)
    normal = np.cos(angle)[:, None] * spoke + np.sin(angle)[:, None] * [0, 0, 1]
    centre = RING * spoke + (TUBE + RADIUS + gap)[:, None] * normal
    world, own = turns(rng), turns(rng)
    found = scene.collide(world, world @ own, np.einsum("nij,nj->ni", world, centre), reach=REACH)
    error = found.deepest - gap
    assert (found.count > 0).all() and np.abs(error).max() < 6e-4 and np.median(np.abs(error)) < 2e-4
    assert -np.einsum("nij,nj,ni->n", world, normal, deepest_normal(found)).max() > 0.98


FLOORS = {
    "grid": grid_mesh(24, 0.05),
    "two triangles": grid_mesh(1, 1.2),
    "height_field": Shape("height_field", (0.05, 0.05), heights=np.zeros((25, 25))),
}


@pytest.mark.parametrize("floor", FLOORS)
@pytest.mark.parametrize("name", ["torus", "box"])
def test_flat_floors_touch_the_lowest_point(name: str, floor: str, device: str) -> None:
    rng = np.random.default_rng(5)
    made = torus() if name == "torus" else sdf(trimesh.creation.box((0.1, 0.06, 0.08)))
    assert made.vertices is not None
    scene = Scene(made, FLOORS[floor], COUNT, device)
    turn, world = turns(rng), turns(rng)
    depth = rng.uniform(-0.01, 0.005, COUNT)
    lowest = np.einsum("ni,vi->nv", turn[:, 2], made.vertices).min(axis=1)
    place = np.column_stack([rng.uniform(-0.3, 0.3, (COUNT, 2)), -lowest - depth])
    found = scene.collide(world @ turn, world, -np.einsum("nij,nj->ni", world, place), reach=REACH)
    assert (found.count > 0).all()
    np.testing.assert_allclose(found.deepest, -depth, atol=5e-6)
    up = np.einsum("nji,npj->npi", world, found.normal)[found.held]
    np.testing.assert_allclose(up, np.broadcast_to([0.0, 0.0, 1.0], up.shape), atol=1e-5)


def test_edges_of_a_triangle_mesh_push_a_face_out(device: str) -> None:
    """A box by its field, face down on a ridge; the ridge has no corner below the box."""
    ridge = Shape(
        "mesh",
        vertices=np.array([[-1, 0, 0], [1, 0, 0], [-1, -1, -1], [1, -1, -1], [-1, 1, -1], [1, 1, -1]], float),
        faces=np.array([[0, 2, 3], [0, 3, 1], [0, 1, 5], [0, 5, 4]]),
        approximation="triangle_mesh",
    )
    scene = Scene(sdf(trimesh.creation.box((0.1, 0.1, 0.1))), ridge, COUNT, device)
    rng = np.random.default_rng(6)
    depth = rng.uniform(-0.004, 0.004, COUNT)
    tilt = rng.uniform(-0.2, 0.2, COUNT)
    spin = Rotation.from_euler("z", rng.uniform(0, 6, COUNT)[:, None]).as_matrix()
    lean = Rotation.from_euler("x", tilt[:, None]).as_matrix() @ spin
    place = np.column_stack([rng.uniform(-0.5, 0.5, COUNT), np.zeros(COUNT), 0.05 / np.cos(tilt) - depth])
    found = scene.collide(lean, np.eye(3), -place, reach=REACH)
    assert (found.count >= 2).all()
    np.testing.assert_allclose(found.deepest, -depth * np.cos(tilt), atol=2e-5)
    np.testing.assert_allclose(deepest_normal(found), lean[:, :, 2], atol=1e-3)


def test_not_a_number_gives_no_contact(device: str) -> None:
    for scene in (Scene(SOLIDS["box"], ball(), 4, device), Scene(torus(), FLOORS["grid"], 4, device)):
        for turn, between in ((np.eye(3), np.full((4, 3), np.nan)), (np.full((3, 3), np.nan), np.zeros((4, 3)))):
            found = scene.collide(turn, np.eye(3), between, reach=REACH)
            assert (found.count == 0).all()
