"""Rays against every kind of shape, compared with MuJoCo and formulas of other kinds."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from queries.ray_references import cone_rays, mujoco_rays, triangle_rays
from queries.scenes import SOLIDS, Scene, array, triangles

import phalanx as px

ENVS = 8
RAYS = 500
SIZE = 0.5
"""Of the shapes, about, m."""
UNIT = {"float32": 6e-8, "float64": 1.2e-16}


@cache
def scene(device: str, dtype: str) -> Scene:
    return Scene(ENVS, device, dtype)


def reference(name: str, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances and normals of rays (n, 3) in the shape's frame."""
    if name in ("mesh", "field", "hull"):
        return triangle_rays(*triangles(name), origins, directions)[:2]
    if name == "cone":
        return cone_rays(SOLIDS[name], origins, directions)
    return mujoco_rays(SOLIDS[name], origins, directions)


def random_rays(made: Scene, name: str, far: float, seed: int, count: int = RAYS) -> tuple[np.ndarray, np.ndarray]:
    """Rays (envs, m, 3) from a sphere about an object towards it and a little beside it."""
    rng = np.random.default_rng(seed)
    way = rng.normal(size=(ENVS, count, 3))
    origins = made.places[name][:, None] + far * way / np.linalg.norm(way, axis=2, keepdims=True)
    targets = made.places[name][:, None] + rng.uniform(-0.5, 0.5, (ENVS, count, 3))
    return origins, targets - origins


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", [*SOLIDS, "mesh", "field"])
def test_distance_and_normal(name: str, dtype: str, device: str) -> None:
    """Within 1e-4 of the size in float32, hits and misses differ only within that of the silhouette."""
    made = scene(device, dtype)
    origins, directions = (v.astype(dtype) for v in random_rays(made, name, 3.0, 5))
    hits = made.queries.raycast(origins, directions, only=name)
    unit = directions.astype(float)
    unit /= np.linalg.norm(unit, axis=2, keepdims=True)
    o = made.local(name, origins.astype(float)).reshape(-1, 3)
    d = made.local(name, unit, vectors=True).reshape(-1, 3)
    distance, normal = reference(name, o, d)
    found = array(hits.distance).reshape(-1).astype(float)
    close = 1e-4 * SIZE if dtype == "float32" else 1e-9
    wrong = np.isfinite(found) != np.isfinite(distance)
    off = np.isfinite(found) & np.isfinite(distance)
    wrong[off] = np.abs(found[off] - distance[off]) > close
    # What differs must be next to an edge as seen by the ray: beside it there is something else.
    side = np.cross(d[wrong], [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(d[wrong], side)
    beside = [
        reference(name, o[wrong] + close * v, d[wrong])[0]
        for v in (side, -side, other, -other, side + other, side - other)
    ]
    spread = np.max(beside, axis=0) > np.min(beside, axis=0) + 10 * close
    assert spread.all(), f"{np.count_nonzero(~spread)} of {len(found)} wrong"
    assert wrong.mean() < 2e-3
    assert 0.2 < np.isfinite(found).mean() < 0.99
    good = off & ~wrong
    turned = made.outside(name, normal.reshape(ENVS, RAYS, 3), vectors=True).reshape(-1, 3)
    angle = np.linalg.norm(array(hits.normal).reshape(-1, 3) - turned, axis=1)
    assert (angle[good] > 1e-2).mean() < 2e-3, "but at edges"
    assert np.median(angle[good]) < (1e-5 if dtype == "float32" else 1e-6)
    place = origins.reshape(-1, 3) + np.where(good, found, 0.0)[:, None] * unit.reshape(-1, 3)
    assert np.abs(array(hits.position).reshape(-1, 3)[good] - place[good]).max() < close


@pytest.mark.parametrize("name", [*SOLIDS, "mesh", "field"])
def test_far_away(name: str, device: str) -> None:
    """From 1000 m, hits are those of a ray displaced by the bound that the documentation gives."""
    made = scene(device, "float32")
    origins, directions = (v.astype("float32") for v in random_rays(made, name, 1000.0, 6, 100))
    hits = made.queries.raycast(origins, directions, only=name)
    unit = directions.astype(float)
    unit /= np.linalg.norm(unit, axis=2, keepdims=True)
    bound = UNIT["float32"] * (4 * (1000.0 + SIZE) + 1000.0)
    # Go on from 1 m before the hit in float64: what is hit there lies at that distance, or beside by the bound.
    back = np.where(array(hits.hit), array(hits.distance), 1000.0).astype(float) - 1.0
    o = made.local(name, origins.astype(float) + back[..., None] * unit).reshape(-1, 3)
    d = made.local(name, unit, vectors=True).reshape(-1, 3)
    side = np.cross(d, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(d, side)
    beside = [reference(name, o + bound * v, d)[0] for v in (0 * side, side, -side, other, -other)]
    low, high = np.min(beside, axis=0), np.max(beside, axis=0)
    hit = array(hits.hit).reshape(-1)
    wrong = np.where(hit, (low > 1.0 + bound) | (high < 1.0 - bound), high < np.inf)
    assert hit.mean() > 0.2
    assert wrong.mean() < 1e-3, f"{wrong.sum()} of {wrong.size}"


def test_no_gaps_between_triangles(device: str) -> None:
    """Rays at the edges and vertices of a closed mesh, and of a height field from above, never pass."""
    made = scene(device, "float32")
    rng = np.random.default_rng(7)
    for name in ("mesh", "field"):
        vertices, faces = triangles(name)
        corners = vertices[faces[rng.integers(len(faces), size=(ENVS, 2000))]]
        weight = rng.uniform(size=(ENVS, 2000, 1)) * rng.integers(0, 2, size=(ENVS, 2000, 1))
        targets = corners[:, :, 0] * (1 - weight) + corners[:, :, 1] * weight
        if name == "field":  # not on its border
            inside = np.abs(targets[..., :2]).max(axis=2) < 0.55
            targets = np.where(inside[..., None], targets, vertices[58])
        normal = np.cross(corners[:, :, 1] - corners[:, :, 0], corners[:, :, 2] - corners[:, :, 0])
        if name == "field":
            normal[...] = [0.0, 0.0, 1.0]
        normal /= np.linalg.norm(normal, axis=2, keepdims=True)
        tilt = 0.3 if name == "mesh" else 0.02  # less than the slopes, or rays may pass peaks
        directions = tilt * rng.uniform(-1, 1, targets.shape) - normal
        directions /= np.linalg.norm(directions, axis=2, keepdims=True)
        origins = made.outside(name, targets - 2.0 * directions)
        hits = made.queries.raycast(origins, made.outside(name, directions, vectors=True), only=name)
        assert array(hits.hit).all(), name


def test_axis_parallel_rays_through_vertices(device: str) -> None:
    """Rays along an axis, exactly through vertices and edges of a box, a mesh and a height field."""
    world = px.World(num_envs=1, device=device)
    grid = np.zeros((5, 5))
    world.add_rigid_object(px.Shape("height_field", (1.0, 1.0), heights=grid), name="field", kind="static")
    box = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    faces = np.array(
        [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
    )  # fmt: skip
    mesh = px.Shape("mesh", vertices=box, faces=faces, approximation="triangle_mesh")
    world.add_rigid_object(mesh, name="mesh", kind="static")
    world.add_rigid_object(px.Shape("box", (1.0, 1.0, 1.0)), name="box", kind="static")
    x, y = (v.ravel() for v in np.meshgrid(np.linspace(-1.5, 1.5, 7), np.linspace(-1.5, 1.5, 7)))
    down = np.stack([x, y, np.full(len(x), 4.0)], axis=1)
    hits = world.queries.raycast(down, [0.0, 0.0, -1.0], only="field")
    assert np.array_equal(array(hits.distance)[0], np.full(len(x), 4.0))
    inside = (np.abs(x) <= 1) & (np.abs(y) <= 1)
    for name in ("mesh", "box"):
        for axis in range(3):
            for sign in (-1.0, 1.0):
                origins = np.roll(np.stack([x, y, np.full(len(x), -4.0 * sign)], axis=1), axis + 1, axis=1)
                hits = world.queries.raycast(origins, np.roll([0.0, 0.0, sign], axis + 1), only=name)
                assert np.array_equal(array(hits.hit)[0], inside), (name, axis, sign)
                assert np.array_equal(array(hits.distance)[0][inside], np.full(inside.sum(), 3.0))


def test_starting_inside(device: str) -> None:
    """Solids are hit at once, against the ray; so is what is below a plane. Surfaces are passed from behind."""
    made = scene(device, "float32")
    way = np.random.default_rng(8).normal(size=(ENVS, 20, 3))
    way /= np.linalg.norm(way, axis=2, keepdims=True)
    for name in SOLIDS:
        centre = np.repeat(made.places[name][:, None], 20, axis=1)
        hits = made.queries.raycast(centre, way, only=name)
        assert array(hits.hit).all() and not array(hits.distance).any()
        np.testing.assert_allclose(array(hits.normal), -way, atol=1e-6)
    hits = made.queries.raycast([[0.0, 0.0, -6.0]], [0.0, 0.0, 1.0], only="ground")
    assert array(hits.hit).all() and not array(hits.distance).any()
    centre = np.repeat(made.places["mesh"][:, None], 20, axis=1)
    assert not array(made.queries.raycast(centre, way, only="mesh").hit).any()
    hits = made.queries.raycast(centre, way, only="mesh", both_sides=True)
    o, d = made.local("mesh", centre).reshape(-1, 3), made.local("mesh", way, vectors=True).reshape(-1, 3)
    distance, _, faces = triangle_rays(*triangles("mesh"), o, d, both_sides=True)
    np.testing.assert_allclose(array(hits.distance).ravel(), distance, atol=1e-5)
    assert np.array_equal(array(hits.face).ravel(), faces)
    assert ((array(hits.normal) * way).sum(axis=2) < 0).all(), "towards the ray's origin"


def test_faces_are_the_users(device: str) -> None:
    """Faces are counted as in the mesh that was given, and as grid_triangles counts those of a height field."""
    made = scene(device, "float32")
    for name in ("mesh", "field"):
        origins, directions = random_rays(made, name, 3.0, 9)
        hits = made.queries.raycast(origins, directions, only=name)
        o, d = made.local(name, origins).reshape(-1, 3), made.local(name, directions, vectors=True).reshape(-1, 3)
        face = triangle_rays(*triangles(name), o, d)[2]
        assert (array(hits.face).ravel() != face).mean() < 2e-3
    assert (array(made.queries.raycast(*random_rays(made, "box", 3.0, 9), only="box").face) == -1).all()


def test_many_triangles(device: str) -> None:
    """A mesh of 20,000 triangles: against its analytic surface, a sphere."""
    import trimesh

    ball = trimesh.creation.icosphere(subdivisions=5)
    world = px.World(num_envs=1, device=device)
    shape = px.Shape("mesh", vertices=ball.vertices, faces=np.asarray(ball.faces), approximation="triangle_mesh")
    world.add_rigid_object(shape, name="ball", kind="static")
    rng = np.random.default_rng(1)
    way = rng.normal(size=(5000, 3))
    origins = 3.0 * way / np.linalg.norm(way, axis=1, keepdims=True)
    hits = world.queries.raycast(origins, 0.5 * rng.uniform(-1, 1, (5000, 3)) - origins)
    radius = np.linalg.norm(array(hits.position)[0], axis=1)
    assert array(hits.hit).all()
    assert radius.min() > 0.999 and radius.max() < 1.00001
    position, normal = array(hits.position)[0], array(hits.normal)[0]
    assert (normal * position).sum(axis=1).min() > 0.998
