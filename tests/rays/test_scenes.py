"""Instances that move, are scaled, hidden, grouped and shared; patterns; and rays that make no sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rays.ray_scenes import add_others, cast, meshes, rays_at

from phalanx.maths.arrays import rotate
from phalanx.rays import RayHits, RayScene, mesh_geometry, primitive_geometry
from phalanx.rays.mesh_tree import build_mesh_tree

ENVS, BODIES = 3, 4


def poses(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Positions (ENVS, BODIES, 3) and orientations (ENVS, BODIES, 4)."""
    rng = np.random.default_rng(seed)
    orientation = rng.standard_normal((ENVS, BODIES, 4))
    orientation /= np.linalg.norm(orientation, axis=-1, keepdims=True)
    return rng.uniform(-2, 2, (ENVS, BODIES, 3)).astype(np.float32), orientation.astype(np.float32)


def place(scene: RayScene, position: np.ndarray, orientation: np.ndarray, shown: np.ndarray | None = None) -> None:
    xp = scene.device.xp
    scene.place(xp.asarray(position), xp.asarray(orientation), None if shown is None else xp.asarray(shown))


def matrix(q: np.ndarray) -> np.ndarray:
    return np.stack([rotate(q, axis) for axis in np.eye(3)], axis=-1)


MOUNTS = [
    ("torus", 0, (0.1, 0.2, 0.3), (0.5, 0.5, -0.5, 0.5), (0.5, 0.5, 0.5)),
    ("box", 1, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (1.0, -0.4, 2.0)),
    ("torus", 2, (0.0, 1.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.3, 0.7, 1.1)),
    ("ring", None, (0.5, 0.0, -1.0), (0.8, 0.6, 0.0, 0.0), (2.0, 2.0, 2.0)),
]


def mounted(device: str) -> RayScene:
    scene = RayScene(ENVS, device)
    made = {name: mesh_geometry(meshes()[name].vertices, meshes()[name].faces) for name in ("torus", "box", "ring")}
    for k, (name, body, position, orientation, scale) in enumerate(MOUNTS):
        scene.add(
            made[name], body=body, position=position, orientation=orientation, scale=scale, object=10 + k, groups=1 << k
        )
    return scene


def rays(count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    found = [rays_at([[-2, -2, -2], [2, 2, 2]], count, seed) for seed in range(ENVS)]
    return np.concatenate([o for o, _ in found]), np.concatenate([d for _, d in found])


def world_mesh(k: int, position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """Triangles (n, 3, 3) of instance k in an environment's world, in float64."""
    name, body, offset, turn, scale = MOUNTS[k]
    corners = meshes()[name].triangles * scale @ matrix(np.array(turn)).T + offset
    if body is None:
        return corners
    return corners @ matrix(orientation[body].astype(float)).T + position[body]


def test_moving_and_scaled_instances(device: str) -> None:
    """As one mesh of all instances' triangles, by every environment's own poses and twice, after they moved."""
    scene = mounted(device)
    origins, directions = rays()
    for seed in range(2):
        position, orientation = poses(seed)
        place(scene, position, orientation)
        hits = cast(scene, origins, directions)
        for e in range(ENVS):
            parts = [world_mesh(k, position[e], orientation[e]) for k in range(len(MOUNTS))]
            owner = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
            first = np.cumsum([0, *(len(p) for p in parts)])
            corners = np.concatenate(parts)
            whole = RayScene(1, device)
            whole.add(mesh_geometry(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)))
            other = cast(whole, origins[e : e + 1], directions[e : e + 1])
            hit = np.isfinite(hits.distance[e])
            both = hit & np.isfinite(other.distance[0])
            assert both.mean() > 0.3 and (hit != np.isfinite(other.distance[0])).sum() <= 2
            error = np.abs(hits.distance[e][both] - other.distance[0][both])
            assert np.quantile(error, 0.999) < 2e-5
            same = both & (hits.face[e] == other.face[0] - first[owner[other.face[0]]])
            assert same.sum() > 0.998 * both.sum()
            assert (hits.instance[e][same] == owner[other.face[0][same]]).all()
            assert (hits.object[e][both] == 10 + hits.instance[e][both]).all()
            # Normals turn and stretch with the shape; a mirrored one shows its other side.
            mirrored = np.where(hits.instance[e] == 1, -1.0, 1.0)[:, None]
            np.testing.assert_allclose((hits.normal[e] * mirrored)[same], other.normal[0][same], atol=2e-3)


def test_casts_again_see_what_changed(device: str) -> None:
    """The same arrays with other numbers, other arrays in their place, and something added in between."""
    scene = mounted(device)
    xp = scene.device.xp
    origins, directions = (xp.asarray(a) for a in rays(200))
    position, orientation = (xp.asarray(a) for a in poses())
    hits = scene.hits(200)
    found = []
    for change in (None, "rays", "poses", "limit", "added", "other"):
        if change == "rays":
            directions += 0.3
        if change == "poses":
            position += 0.5
        if change == "added":
            scene.add(mesh_geometry(meshes()["ball"].vertices, meshes()["ball"].faces))
        if change == "other":
            origins = origins + 0.25
        scene.place(position, orientation)
        for _ in range(3):
            scene.cast(origins, directions, hits, limit=2.0 if change == "limit" else 9.0)
        fresh = scene.hits(200)
        scene.cast(origins.copy(), directions.copy(), fresh, limit=2.0 if change == "limit" else 9.0)
        np.testing.assert_array_equal(scene.device.to_host(hits.distance), scene.device.to_host(fresh.distance))
        found.append(scene.device.to_host(hits.distance))
    assert all((a != b).any() for k, a in enumerate(found) for b in found[:k])


def test_many_instances(device: str) -> None:
    """Forty boxes that move in three environments, some hidden: as one mesh of them all, near ones first or last."""
    count, rng = 40, np.random.default_rng(4)
    scene = RayScene(ENVS, device)
    cube = meshes()["box"]
    geometry = mesh_geometry(cube.vertices, cube.faces)
    for k in range(count):
        scene.add(geometry, body=k, scale=0.3)
    position = rng.uniform(-2, 2, (ENVS, count, 3)).astype(np.float32)
    orientation = rng.standard_normal((ENVS, count, 4)).astype(np.float32)
    orientation /= np.linalg.norm(orientation, axis=-1, keepdims=True)
    shown = (rng.random((ENVS, count)) < 0.8).astype(np.int32)
    shown[0, 8:16] = 0  # a whole group
    place(scene, position, orientation, shown)
    origins, directions = rays()
    hits = cast(scene, origins, directions)
    for e in range(ENVS):
        seen = np.flatnonzero(shown[e])
        parts = [0.3 * cube.triangles @ matrix(orientation[e, k].astype(float)).T + position[e, k] for k in seen]
        whole = RayScene(1, device)
        corners = np.concatenate(parts).reshape(-1, 3)
        whole.add(mesh_geometry(corners, np.arange(len(corners)).reshape(-1, 3)))
        other = cast(whole, origins[e : e + 1], directions[e : e + 1])
        hit = np.isfinite(hits.distance[e])
        both = hit & np.isfinite(other.distance[0])
        assert both.mean() > 0.15 and (hit != np.isfinite(other.distance[0])).sum() <= 2
        assert np.quantile(np.abs(hits.distance[e][both] - other.distance[0][both]), 0.999) < 1e-5
        same = hits.instance[e][both] == seen[other.face[0][both] // len(cube.faces)]
        assert same.mean() > 0.999


def test_groups_and_hidden_bodies(device: str) -> None:
    """What is not seen is not there; a pose that is not finite hides, too."""
    scene = mounted(device)
    origins, directions = rays()
    position, orientation = poses()
    place(scene, position, orientation)
    everything = cast(scene, origins, directions)
    assert set(np.unique(everything.instance)) == {-1, 0, 1, 2, 3}
    some = cast(scene, origins, directions, groups=0b1010)
    assert set(np.unique(some.instance)) == {-1, 1, 3}
    shown = np.ones((ENVS, BODIES), np.int32)
    shown[1, 0] = shown[1, 2] = 0
    place(scene, position, orientation, shown)
    hidden = cast(scene, origins, directions)
    assert set(np.unique(hidden.instance[1])) == {-1, 1, 3}
    lost = position.copy()
    lost[1, 0] = np.nan
    turned = orientation.copy()
    turned[1, 2] = 0.0
    place(scene, lost, turned)
    broken = cast(scene, origins, directions)
    np.testing.assert_array_equal(broken.distance, hidden.distance)
    np.testing.assert_array_equal(hidden.distance[[0, 2]], everything.distance[[0, 2]])
    seen = np.isin(everything.instance[1], [-1, 1, 3])
    np.testing.assert_array_equal(everything.distance[1][seen], hidden.distance[1][seen])
    np.testing.assert_array_equal(some.distance[1], hidden.distance[1])


def test_any_hit_and_limits(device: str) -> None:
    scene = mounted(device)
    origins, directions = rays()
    place(scene, *poses())
    nearest = cast(scene, origins, directions)
    some = cast(scene, origins, directions, any_hit=True)
    np.testing.assert_array_equal(np.isfinite(nearest.distance), np.isfinite(some.distance))
    hit = np.isfinite(nearest.distance)
    assert (some.distance[hit] >= nearest.distance[hit]).all() and (some.distance[hit] > nearest.distance[hit]).any()
    limits = np.where(hit, nearest.distance, 1.0) * np.where(np.arange(hit.size).reshape(hit.shape) % 2, 1.001, 0.999)
    close = cast(scene, origins, directions, limits=limits)
    np.testing.assert_array_equal(np.isfinite(close.distance), hit & (limits > nearest.distance))
    near = cast(scene, origins, directions, limit=2.0)
    np.testing.assert_array_equal(near.distance, np.where(nearest.distance <= 2.0, nearest.distance, np.inf))


def test_patterns_are_rays(device: str) -> None:
    """A pattern from sensors gives what its rays give one by one; an image in tiles, too."""
    scene = mounted(device)
    place(scene, *poses())
    xp = scene.device.xp
    width, height = 24, 12
    u, v = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    directions = np.stack([(u - 12) / 20, (v - 6) / 20, np.ones_like(u)], axis=-1).reshape(-1, 3).astype(np.float32)
    starts = np.random.default_rng(0).uniform(-0.2, 0.2, directions.shape).astype(np.float32)
    position, orientation = (a[:, 0] for a in poses(5))
    eye = np.ascontiguousarray(position), np.ascontiguousarray(orientation)
    turns = np.stack([matrix(q.astype(float)) for q in orientation])
    ways = np.einsum("eij,rj->eri", turns, directions)
    for offsets in (None, starts):
        begin = np.broadcast_to(position[:, None], ways.shape)
        begin = begin if offsets is None else begin + np.einsum("eij,rj->eri", turns, offsets)
        expected = cast(scene, begin, ways)
        for columns, each in ((0, False), (width, False), (0, True)):
            hits = scene.hits(width * height, ids=True)
            given = np.broadcast_to(directions, ways.shape) if each else directions
            origin = offsets if offsets is None or not each else np.broadcast_to(offsets, ways.shape)
            scene.cast_pattern(
                xp.asarray(np.ascontiguousarray(given)),
                xp.asarray(eye[0]),
                xp.asarray(eye[1]),
                hits,
                starts=None if origin is None else xp.asarray(np.ascontiguousarray(origin)),
                width=columns,
            )
            distance = scene.device.to_host(hits.distance)
            hit = np.isfinite(distance)
            assert hit.mean() > 0.1 and (hit != np.isfinite(expected.distance)).sum() <= 2
            both = hit & np.isfinite(expected.distance)
            close = np.abs(distance[both] - expected.distance[both]) < 2e-5
            assert close.mean() > 0.995
            assert (scene.device.to_host(hits.object) == expected.object).mean() > 0.995


def everything(device: str) -> RayScene:
    """All kinds of things about the origin."""
    scene = RayScene(1, device)
    add_others(scene, (0, 0, -1), groups=1)
    for kind, size in (("sphere", (0.2,)), ("capsule", (0.1, 0.2)), ("cylinder", (0.1, 0.2)), ("cone", (0.1, 0.2))):
        scene.add(primitive_geometry(kind, size), position=(0, 1.5, len(kind) / 10))
    return scene


NUMBER = st.floats(width=32, allow_nan=True, allow_infinity=True) | st.sampled_from(
    [0.0, -0.0, 1.0, -1.0, 0.5, 1e-30, 1e30]
)


def test_rays_that_make_no_sense(device: str) -> None:
    """Rays of any numbers end: what is not finite or has no direction hits nothing, all else something or nothing."""
    scene = everything(device)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(*[NUMBER] * 7), min_size=1, max_size=20))
    def check(numbers: list[tuple[float, ...]]) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            ray = np.array(numbers, np.float32)[None]
        hits = cast(scene, ray[..., :3], ray[..., 3:6], limits=ray[..., 6])
        bad = ~np.isfinite(ray[..., :6]).all(axis=-1) | (ray[..., 3:6] == 0).all(axis=-1) | ~(ray[..., 6] >= 0)
        assert not np.isfinite(hits.distance[bad]).any()
        hit = np.isfinite(hits.distance)
        assert (hits.distance[hit] >= 0).all() and (hits.distance[hit] <= ray[..., 6][hit]).all()
        assert (hits.instance[hit] >= 0).all() and (hits.instance[~hit] == -1).all()
        np.testing.assert_allclose(np.linalg.norm(hits.normal[hit], axis=-1), 1.0, atol=1e-5)

    check()


def test_rays_along_axes_and_grazing(device: str) -> None:
    """Exactly along axes, through faces, edges and corners of a box of triangles, from outside, inside and on it."""
    scene = RayScene(1, device)
    box = meshes()["box"]  # half lengths 0.5, 1, 0.25
    scene.add(mesh_geometry(box.vertices, box.faces))
    x, y, z = 0.5, 1.0, 0.25
    known = [
        ((-2, 0.1, 0.1), (1, 0, 0), 2 - x),  # a face
        ((-2, 0.0, 0.0), (1, 0, 0), 2 - x),  # its diagonal
        ((-2, y, 0.0), (1, 0, 0), 2 - x),  # along another face, in its plane: by its edge
        ((-2, y, z), (1, 0, 0), 2 - x),  # along an edge
        ((0, 0, 0), (0, 0, 3), z),  # from inside
        ((0, 0, 0), (0, -1, 0), y),
        ((x, 0.2, 0), (1, 0, 0), 0.0),  # from the surface
        ((-1, -1.5, 0.25), (1, 1, 0), np.sqrt(0.5)),  # at an edge, in the plane of a face
        ((-2, y + 1e-3, 0), (1, 0, 0), np.inf),  # beside it
        ((-2, 0, 0), (-1, 0, 0), np.inf),  # away
        ((1e4, 0, 0), (-1, 0, 0), 1e4 - x),  # far away
    ]
    origins, directions, distances = (np.array(list(a), float) for a in zip(*known, strict=True))
    hits = cast(scene, origins[None], directions[None])
    np.testing.assert_allclose(hits.distance[0], distances, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["ball", "torus"])
def test_no_gaps_between_triangles(name: str, device: str) -> None:
    """Rays from outside at vertices, at points of edges, and from inside, all hit: not one slips through a seam."""
    mesh = meshes()[name]
    scene = RayScene(1, device)
    scene.add(mesh_geometry(mesh.vertices, mesh.faces))
    rng = np.random.default_rng(2)
    vertices = mesh.vertices.astype(np.float32)
    edges = mesh.edges_unique[rng.permutation(len(mesh.edges_unique))[:20_000]]
    share = rng.random((len(edges), 1)).astype(np.float32)
    targets = np.concatenate([vertices, vertices[edges[:, 0]] * share + vertices[edges[:, 1]] * (1 - share)])
    inside = np.array([0, 0, 0] if name == "ball" else [1, 0, 0], np.float32)
    outward = np.broadcast_to(inside, targets.shape)
    hits = cast(scene, outward[None], (targets - outward)[None])
    assert np.isfinite(hits.distance).all()


def test_refit(device: str) -> None:
    """A mesh that was bent is hit where it is now, as by a tree that was built for it."""
    mesh = meshes()["torus"]
    geometry = mesh_geometry(mesh.vertices, mesh.faces)
    scene, fresh = RayScene(1, device), RayScene(1, device)
    scene.add(geometry, position=(0.1, 0, 0))
    origins, directions = rays_at(mesh.bounds * 1.5, 20_000)
    cast(scene, origins, directions)
    bent = np.array(mesh.vertices) * [1, 1.5, 1] + [0, 0, 0.5] * np.sin(2 * mesh.vertices[:, :1])
    scene.refit(geometry, bent, mesh.faces)
    fresh.add(mesh_geometry(bent, mesh.faces), position=(0.1, 0, 0))
    one, two = (cast(s, origins, directions) for s in (scene, fresh))
    np.testing.assert_allclose(one.distance, two.distance, rtol=1e-5, atol=1e-6)
    assert (one.face == two.face).mean() > 0.999
    with pytest.raises(ValueError, match="the tree was built for"):
        scene.refit(geometry, bent, mesh.faces[:-1])
    with pytest.raises(ValueError, match="no mesh"):
        scene.refit(primitive_geometry("plane"), bent, mesh.faces)


def test_an_empty_scene(device: str) -> None:
    hits = cast(RayScene(2, device), np.zeros((2, 3, 3)), np.ones((2, 3, 3)))
    assert np.isinf(hits.distance).all() and (hits.instance == -1).all()


def test_wrong_arrays(device: str) -> None:
    scene = mounted(device)
    xp = scene.device.xp
    hits = scene.hits(5)
    good = xp.ones((ENVS, 5, 3), np.float32)
    with pytest.raises(ValueError, match=r"call scene\.place"):
        scene.cast(good, good, hits)
    with pytest.raises(ValueError, match=r"\(3, bodies, 3\) with 3 bodies or more is needed"):
        scene.place(good[:, :2], good[:, :2])
    place(scene, *poses())
    with pytest.raises(ValueError, match=r"directions has shape \(3, 4, 3\), type float32; \(3, 5, 3\), float32"):
        scene.cast(good, xp.ones((ENVS, 4, 3), np.float32), hits)
    with pytest.raises(ValueError, match=r"origins has shape \(3, 5, 3\), type float64"):
        scene.cast(good.astype(np.float64), good, hits)
    with pytest.raises(ValueError, match="origins is not contiguous; pass a copy"):
        scene.cast(xp.ones((ENVS, 3, 5), np.float32).swapaxes(1, 2), good, hits)
    with pytest.raises(ValueError, match="origins is a list, no array on"):
        scene.cast([[0.0]], good, hits)
    with pytest.raises(ValueError, match="sides='back': must be one of both, front"):
        scene.cast(good, good, hits, sides="back")
    with pytest.raises(ValueError, match="make them with"):
        scene.cast(good, good, RayHits(xp.ones((1, 5), np.float32)))
    with pytest.raises(AttributeError, match="no ids"):
        _ = hits.face
    with pytest.raises(ValueError, match="num_envs=0"):
        RayScene(0)


@pytest.mark.parametrize(
    ("vertices", "faces", "message"),
    [
        (np.zeros((3, 3)), np.zeros((0, 3), int), "a mesh without faces has no tree"),
        (np.zeros((3, 2)), [[0, 1, 2]], r"vertices have shape \(3, 2\)"),
        (np.zeros((3, 3)), [[0.0, 1.0, 2.0]], "whole numbers"),
        (np.zeros((3, 3)), [[0, 1, 3]], r"faces name vertices 0\.\.3; there are 3"),
        (np.full((3, 3), np.nan), [[0, 1, 2]], "no face has finite coordinates"),
        (np.eye(3) * 1e15, [[0, 1, 2]], "no face has finite coordinates"),
    ],
)
def test_wrong_meshes(vertices: np.ndarray, faces: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mesh_geometry(vertices, faces)


def test_meshes_that_are_hard_to_split(device: str) -> None:
    """Equal triangles, sizes from 1e-9 to 1e9, and only one: hit where they are, by trees that are not too deep."""
    rng = np.random.default_rng(0)
    centres = {
        "one": np.zeros((1, 3)),
        "equal": np.zeros((3000, 3)),
        "growing": 10.0 ** rng.uniform(-9, 9, (3000, 1)) * rng.standard_normal((3000, 3)),
    }
    for name, places in centres.items():
        size = 0.3 * np.maximum(np.linalg.norm(places, axis=1), 1e-9)[:, None, None]
        shape = rng.standard_normal((1 if name == "equal" else len(places), 3, 3))
        corners = (places[:, None] + size * shape).astype(np.float32).astype(float)
        faces = np.arange(3 * len(corners)).reshape(-1, 3)
        assert build_mesh_tree(corners.reshape(-1, 3), faces).levels.max() < 40
        scene = RayScene(1, device)
        scene.add(mesh_geometry(corners.reshape(-1, 3), faces))
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.linalg.norm(normals, axis=1, keepdims=True)
        middle = corners.mean(axis=1)
        origins = middle + 0.05 * size[:, 0] * normals
        hits = cast(scene, origins[None], (middle - origins)[None])
        reach = np.linalg.norm(middle - origins.astype(np.float32), axis=1)
        near = np.linalg.norm(places, axis=1) > (
            1.0 if name == "growing" else -1.0
        )  # what float32 can tell of the rest
        assert near.sum() >= min(len(places), 500)
        assert (hits.distance[0][near] <= 1.01 * reach[near]).all(), name


def test_trees_are_kept_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One file a mesh, which is what would have been built."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    ball = meshes()["capsule"]
    first, again = (build_mesh_tree(ball.vertices, ball.faces, keep_file=True) for _ in range(2))
    assert len(list(tmp_path.glob("ray_tree_*.npz"))) == 1
    fresh = build_mesh_tree(ball.vertices, ball.faces)
    for tree in (again, fresh):
        for name, array in vars(first).items():
            np.testing.assert_array_equal(getattr(tree, name), array)
    build_mesh_tree(2 * ball.vertices, ball.faces, keep_file=True)
    assert len(list(tmp_path.glob("ray_tree_*.npz"))) == 2
