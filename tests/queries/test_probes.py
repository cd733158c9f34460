"""Overlaps, sweeps and penetration of probes with every kind of shape, against MuJoCo, FCL and search."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from narrow.pairs import Solid, box, capsule, sphere
from narrow.references import best_direction, fcl_mesh, fcl_shape, has_mujoco, mujoco_distances, separation
from queries.scenes import SOLIDS, Scene, array, triangles
from scipy.spatial.transform import Rotation

import phalanx as px
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.world.queries.results import Hits, Touches

ENVS = 8
SIZE = 0.5
"""Of the shapes, about, m."""
PROBES: dict[str, Solid] = {"sphere": sphere(0.2), "box": box(0.1, 0.15, 0.2), "capsule": capsule(0.1, 0.2)}
TARGETS = [*SOLIDS, "mesh", "field"]


@cache
def scene(device: str) -> Scene:
    return Scene(ENVS, device)


class Placements:
    """Probes (envs, m) about an object, to a spread, as the world has them."""

    def __init__(self, made: Scene, name: str, probe: str, count: int, spread: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.made, self.name, self.probe = made, name, PROBES[probe]
        way = rng.normal(size=(ENVS, count, 3))
        way *= spread * rng.uniform(0.1, 1.0, (ENVS, count, 1)) / np.linalg.norm(way, axis=2, keepdims=True)
        self.positions = (made.places[name][:, None] + way).astype("float32")
        turns = Rotation.random(ENVS * count, rng)  # pyright: ignore[reportCallIssue]
        quats = np.roll(turns.as_quat(), 1, axis=1).astype("float32")
        if probe == "sphere":
            quats[:] = [1.0, 0.0, 0.0, 0.0]
        self.orientations = quats.reshape(ENVS, count, 4)
        self.turns = Rotation.from_quat(np.roll(quats, -1, axis=1)).as_matrix()
        self.target_turns = np.repeat(made.turns[name], count, axis=0)

    def between(self, moved: np.ndarray | float = 0.0) -> np.ndarray:
        """From the probe to the object (envs * m, 3), probes moved by world vectors."""
        return (self.made.places[self.name][:, None] - self.positions - moved).reshape(-1, 3)

    def distance(self, moved: np.ndarray | float = 0.0) -> np.ndarray:
        """Signed distances (envs * m,), or any number that is not positive for an overlap."""
        between = self.between(moved)
        if self.name in SOLIDS and has_mujoco(SOLIDS[self.name]):
            return mujoco_distances(self.probe, SOLIDS[self.name], self.turns, self.target_turns, between)[0]
        return _fcl_distances(self.probe, self.name, self.turns, self.target_turns, between)

    def separation(self, normals: np.ndarray, moved: np.ndarray | float = 0.0) -> np.ndarray:
        """How far probes and objects are apart along world normals (envs * m,)."""
        return separation(
            self.probe, SOLIDS[self.name], self.turns, self.target_turns, self.between(moved), normals.reshape(-1, 3)
        )


def _fcl_distances(
    probe: Solid, name: str, turns: np.ndarray, target_turns: np.ndarray, between: np.ndarray
) -> np.ndarray:
    """Distances (n,) by FCL, -1 for overlaps; of meshes and height fields those of their surfaces."""
    fcl = pytest.importorskip("fcl", reason="python-fcl is not installed")
    target = fcl_shape(SOLIDS[name]) if name in SOLIDS else fcl_mesh(*triangles(name))
    moving = fcl_shape(probe)
    found = np.zeros(len(between))
    for k in range(len(between)):
        one = fcl.CollisionObject(target, fcl.Transform(target_turns[k], between[k]))
        two = fcl.CollisionObject(moving, fcl.Transform(turns[k], np.zeros(3)))
        if fcl.collide(one, two, fcl.CollisionRequest(), fcl.CollisionResult()):
            found[k] = -1.0
        else:
            found[k] = fcl.distance(one, two, fcl.DistanceRequest(), fcl.DistanceResult())
    return found


def overlap(made: Scene, probe: str, at: Placements, **options: object) -> Touches:
    size, queries = PROBES[probe].size, made.queries
    if probe == "sphere":
        return queries.overlap_sphere(size[0], at.positions, **options)  # pyright: ignore[reportArgumentType]
    if probe == "box":
        return queries.overlap_box(size[:3], at.positions, at.orientations, **options)  # pyright: ignore[reportArgumentType]
    return queries.overlap_capsule(size[0], size[1], at.positions, at.orientations, **options)  # pyright: ignore[reportArgumentType]


def sweep(made: Scene, probe: str, at: Placements, directions: np.ndarray, length: float, **options: object) -> Hits:
    size, queries = PROBES[probe].size, made.queries
    rest = (at.positions, directions, length)
    if probe == "sphere":
        return queries.sweep_sphere(size[0], *rest, **options)  # pyright: ignore[reportArgumentType]
    if probe == "box":
        return queries.sweep_box(size[:3], *rest, at.orientations, **options)  # pyright: ignore[reportArgumentType]
    return queries.sweep_capsule(size[0], size[1], *rest, at.orientations, **options)  # pyright: ignore[reportArgumentType]


def probe_shape(probe: str) -> px.Shape:
    count = {"sphere": 1, "box": 3, "capsule": 2}[probe]
    return px.Shape(probe, tuple(float(s) for s in PROBES[probe].size[:count]))


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("probe", list(PROBES))
def test_overlap(probe: str, name: str, device: str) -> None:
    """As the sign of the distance says, but within 2e-5 of touching."""
    made = scene(device)
    at = Placements(made, name, probe, 60, 0.8, 11)
    hits = overlap(made, probe, at, only=name)
    distance = at.distance()
    found = array(hits.total).ravel() == 1
    clear = (distance < 0.0) | (distance > 2e-5)
    if name in SOLIDS and has_mujoco(SOLIDS[name]):
        clear = np.abs(distance) > 2e-5
    assert np.array_equal(found[clear], distance[clear] < 0.0)
    assert clear.mean() > 0.99 and 0.1 < found.mean() < 0.98
    assert np.array_equal(array(hits.hit)[..., 0].ravel(), found)
    some = overlap(made, probe, at, only=name, mode="any")
    assert np.array_equal(array(some.hit).ravel(), found)


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.parametrize("probe", list(PROBES))
def test_sweep(probe: str, name: str, device: str) -> None:
    """Until then there is a distance, which is then gone to 1e-4 of the size; who misses never comes near."""
    made = scene(device)
    count, length = 20, 3.6
    at = Placements(made, name, probe, count, 1.0, 12)
    rng = np.random.default_rng(13)
    way = rng.normal(size=(ENVS, count, 3))
    way /= np.linalg.norm(way, axis=2, keepdims=True)
    at.positions = (at.positions - 2.2 * way).astype("float32")
    hits = sweep(made, probe, at, way, length, only=name, both_sides=name == "field")
    t = np.where(array(hits.hit), array(hits.distance), length).astype(float)[..., None]
    hit = array(hits.hit).ravel()
    assert 0.2 < hit.mean() < 0.98
    close = (1e-4 if name != "cone" else 3e-4) * SIZE  # FCL's tolerance
    least = np.full(ENVS * count, np.inf)
    for part in np.linspace(0.0, 1.0, 25):
        least = np.minimum(least, at.distance(part * np.maximum(t - close, 0.0) * way))
    assert least.min() > -1e-5, "nothing before"
    before = at.distance((t - close) * way)[hit]
    assert before.max() < 2 * close, "there it is"
    normal = array(hits.normal).astype(float)
    assert ((normal * way).sum(axis=2).ravel()[hit] < 0).all()
    np.testing.assert_allclose(np.linalg.norm(normal, axis=2).ravel()[hit], 1.0, atol=1e-5)
    if name in SOLIDS:
        assert at.separation(normal, t * way)[hit].min() > -2 * close, "the normal tells them apart"
    point = Placements(made, name, "sphere", count, 0.6, 12)
    point.probe, point.positions = sphere(1e-6), np.where(hit.reshape(ENVS, count, 1), array(hits.position), 0.0)
    assert np.abs(point.distance()[hit]).max() < 4 * close or name in ("cone", "mesh", "field")
    local = np.einsum("nji,nj->ni", at.turns, (point.positions - at.positions - t * way).reshape(-1, 3))[hit]
    length_ = np.linalg.norm(local, axis=1)
    assert (length_ < at.probe.support(local / length_[:, None]) + 4 * close).all(), "and on the probe"


@pytest.mark.parametrize("name", list(SOLIDS))
@pytest.mark.parametrize("probe", list(PROBES))
def test_penetration(probe: str, name: str, device: str) -> None:
    """The depth frees the two along the normal, and no direction needs less, to 1e-4 of the size."""
    made = scene(device)
    at = Placements(made, name, probe, 30, 0.8, 14)
    shape = probe_shape(probe)
    hits = made.queries.penetration(shape, at.positions, at.orientations, only=name)
    hit = array(hits.hit).ravel()
    depth = array(hits.depth).ravel().astype(float)
    assert 0.3 < hit.mean() < 1.0 and (depth[hit] >= 0).all() and not depth[~hit].any()
    along = at.separation(array(hits.normal).astype(float))
    np.testing.assert_allclose(along[hit], -depth[hit], atol=1e-5)
    best = best_direction(at.probe, SOLIDS[name], at.turns, at.target_turns, at.between(), rounds=30)
    assert (best[hit] + depth[hit]).max() < 1e-4 * SIZE
    assert at.distance()[~hit].min() > -2e-5
    free = made.queries.overlap(
        shape,
        array(at.positions) + (array(hits.depth) + 1e-4)[..., None] * array(hits.normal),
        at.orientations,
        only=name,
        mode="any",
    )
    assert not array(free.hit).any()


def test_probes_of_other_kinds(device: str) -> None:
    """Cylinders, cones and hulls, with frames of their own, touch a box as a box of their bounds does on its faces."""
    world = px.World(num_envs=2, device=device)
    world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.5)), name="box", kind="static")
    corners = np.array([(x, y, z) for x in (0.0, 0.4) for y in (0.0, 0.6) for z in (-0.3, 0.3)])
    probes = [
        px.Shape("cylinder", (0.2, 0.3)),
        px.Shape("cone", (0.2, 0.3)),
        px.Shape("mesh", vertices=corners),
        px.Shape("cylinder", (0.2, 0.1), position=(0.0, 0.0, -0.2)),
        px.Shape("cylinder", (0.3, 0.1), orientation=(0.5**0.5, 0.5**0.5, 0.0, 0.0)),
    ]
    height = np.array([[0.0, 0.05, 0.79], [0.0, 0.05, 0.81], [0.0, 0.05, 1.5]])
    for probe in probes:
        hit = array(world.queries.overlap(probe, height, mode="any").hit)
        assert hit.tolist() == [[True, False, False]] * 2, probe.kind
        hits = world.queries.sweep(probe, height[1:], [0.0, 0.0, -2.0])
        np.testing.assert_allclose(array(hits.distance), [[0.01, 0.7]] * 2, atol=1e-5)
        hits = world.queries.penetration(probe, height)
        np.testing.assert_allclose(array(hits.depth), [[0.01, 0.0, 0.0]] * 2, atol=1e-5)
        np.testing.assert_allclose(array(hits.normal)[:, 0], [[0.0, 0.0, 1.0]] * 2, atol=1e-4)


def test_floors(device: str) -> None:
    """On planes, flat meshes and height fields the depth is that below the floor, wherever edges of triangles are."""
    world = px.World(num_envs=1, device=device)
    vertices, faces = grid_triangles(np.zeros((9, 9)), (0.25, 0.25))
    floor = px.Shape("mesh", vertices=vertices, faces=faces, approximation="triangle_mesh")
    world.add_ground(collision_group=2)
    world.add_rigid_object(floor, name="mesh", kind="static")
    field = px.Shape("height_field", (0.25, 0.25), heights=np.zeros((9, 9)))
    world.add_rigid_object(field, name="field", kind="static")
    rng = np.random.default_rng(2)
    place = np.column_stack([rng.uniform(-0.6, 0.6, (200, 2)), rng.uniform(0.1, 0.3, 200)])
    turns = Rotation.random(200, rng)  # pyright: ignore[reportCallIssue]
    quats = np.roll(turns.as_quat(), 1, axis=1)
    for probe, solid in PROBES.items():
        lowest = place[:, 2] - solid.support(np.einsum("nji,j->ni", turns.as_matrix(), [0.0, 0.0, -1.0]))
        for name in ("ground", "mesh", "field"):
            hits = world.queries.penetration(probe_shape(probe), place, quats, only=name)
            assert np.array_equal(array(hits.hit)[0], lowest <= 0), name
            np.testing.assert_allclose(array(hits.depth)[0], np.maximum(-lowest, 0), atol=1e-5)
            np.testing.assert_allclose(array(hits.normal)[0][lowest < 0], [[0, 0, 1]] * (lowest < 0).sum(), atol=1e-3)
            above = place + [0.0, 0.0, 1.0]
            hits = world.queries.sweep(probe_shape(probe), above, [0.0, 0.0, -1.0], 5.0, quats, only=name)
            np.testing.assert_allclose(array(hits.distance)[0], lowest + 1.0, atol=1e-5)
            np.testing.assert_allclose(array(hits.position)[0][:, 2], 0.0, atol=1e-5)
    behind = world.queries.sweep_sphere(0.1, place - [0, 0, 1.0], [0.0, 0.0, 1.0], only=["mesh", "field"])
    assert not array(behind.hit).any(), "from behind"
    behind = world.queries.sweep_sphere(0.1, place - [0, 0, 1.0], [0, 0, 1.0], only=["mesh", "field"], both_sides=True)
    np.testing.assert_allclose(array(behind.distance)[0], 0.9 - place[:, 2], atol=1e-5)


def test_start_in_overlap_and_in_touch(device: str) -> None:
    """A sweep that starts in an overlap hits at once, against its direction; one along a floor that it touches, not."""
    world = px.World(num_envs=1, device=device)
    world.add_ground()
    world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.5)), name="box", kind="static", position=(0, 0, 0.5))
    way = np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0.6, -0.8]])
    for positions in (np.full((3, 3), 0.4), np.array([[3.0, 0, 0.1]] * 3)):
        hits = world.queries.sweep_sphere(0.2, positions, way)
        assert array(hits.hit).all() and not array(hits.distance).any()
        np.testing.assert_allclose(array(hits.normal)[0], -way, atol=1e-6)
        np.testing.assert_allclose(array(hits.position)[0], positions, atol=1e-6)
    hits = world.queries.sweep_sphere(0.25, [[3.0, 0.0, 0.25]] * 3, way, 1.0)
    assert array(hits.hit)[0].tolist() == [False, False, True]
    assert array(hits.distance)[0][2] < 1e-6
    on_top = world.queries.sweep_box([0.1, 0.1, 0.1], [[0.0, 0.0, 1.1]] * 3, way, 0.3)
    assert array(on_top.hit)[0].tolist() == [False, False, True]


def test_far_sweep(device: str) -> None:
    """A sweep from 200 m away still hits to float32's rounding of that distance."""
    made = scene(device)
    for name in ("box", "sphere", "mesh"):
        way = np.random.default_rng(3).normal(size=(ENVS, 20, 3))
        way /= np.linalg.norm(way, axis=2, keepdims=True)
        near = made.places[name][:, None] - 2.0 * way
        far = made.places[name][:, None] - 200.0 * way
        one = made.queries.sweep_sphere(0.1, near, way, only=name)
        two = made.queries.sweep_sphere(0.1, far, way, only=name)
        assert array(one.hit).all() and array(two.hit).all()
        np.testing.assert_allclose(array(two.distance) - 198.0, array(one.distance), atol=2e-4)


def test_between_actors(device: str) -> None:
    """Depth of two boxes, of which one is turned, in each environment; of a robot's body and an object."""
    world = px.World(num_envs=3, device=device)
    a = world.add_rigid_object(px.Shape("box", (0.5, 0.5, 0.5)), name="a")
    b = world.add_rigid_object([px.Shape("sphere", (0.3,)), px.Shape("sphere", (0.3,), position=(0, 0, 2))], name="b")
    world.add_robot("cartpole", name="robot", position=(0.0, 0.0, 20.0))
    b.set_root_state(np.array([[0.0, 0.1, 0.7, 1, 0, 0, 0], [0.75, 0, 0, 1, 0, 0, 0], [3.0, 0, 0, 1, 0, 0, 0]]))
    hits = world.queries.penetration_between(b, "a")
    assert array(hits.hit).tolist() == [True, True, False]
    np.testing.assert_allclose(array(hits.depth), [0.1, 0.05, 0.0], atol=1e-6)
    np.testing.assert_allclose(array(hits.normal), [[0, 0, 1], [1, 0, 0], [0, 0, 0]], atol=1e-5)
    back = world.queries.penetration_between(a, b, env_ids=[1])
    np.testing.assert_allclose(array(back.normal), [[-1, 0, 0]], atol=1e-5)
    body = next(n for n in world.robots["robot"].body_names if "pole" in n.lower())
    assert not array(world.queries.penetration_between("robot", "a", body_a=body).hit).any()
    with pytest.raises(KeyError, match="has no body"):
        world.queries.penetration_between(a, b, body_a="nose")
