"""Signed distance fields against what is known of a box, a sphere and a torus; what cannot be one is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes import signed_distance
from phalanx.models.meshes.cooking import cook
from phalanx.models.meshes.signed_distance import DistanceField, distance_field
from phalanx.models.meshes.surface_points import surface_points
from phalanx.models.robot_model import Shape
from phalanx.models.sdf_options import SdfOptions
from phalanx.systems.collision.sdf_contact.field import field_at, field_bound

Distance = Callable[[np.ndarray], np.ndarray]


def to_box(points: np.ndarray) -> np.ndarray:
    q = np.abs(points) - [0.05, 0.1, 0.03]
    return np.linalg.norm(np.maximum(q, 0.0), axis=-1) + np.minimum(q.max(axis=-1), 0.0)


def to_sphere(points: np.ndarray) -> np.ndarray:
    return np.linalg.norm(points, axis=-1) - 0.05


def to_torus(points: np.ndarray) -> np.ndarray:
    return np.hypot(np.hypot(points[..., 0], points[..., 1]) - 0.05, points[..., 2]) - 0.015


MESHES: dict[str, tuple[trimesh.Trimesh, Distance]] = {
    "box": (trimesh.creation.box((0.1, 0.2, 0.06)), to_box),
    "sphere": (trimesh.creation.icosphere(4, 0.05), to_sphere),
    "torus": (trimesh.creation.torus(0.05, 0.015, major_sections=96, minor_sections=48), to_torus),
}


def off_the_mesh(mesh: trimesh.Trimesh, exact: Distance) -> float:
    """How far the mesh lies from the surface that it stands for, m."""
    corners = mesh.vertices[mesh.faces]
    return float(
        np.abs(exact(np.concatenate([mesh.vertices, corners.mean(axis=1), corners[:, :2].mean(axis=1)]))).max()
    )


def cooked(mesh: trimesh.Trimesh, **options: Any) -> DistanceField:
    return distance_field(mesh.vertices, mesh.faces, SdfOptions(**options))


@pytest.mark.parametrize("resolution", [32, 64])
@pytest.mark.parametrize("name", MESHES)
def test_nodes_have_the_distance_of_the_mesh(name: str, resolution: int) -> None:
    mesh, exact = MESHES[name]
    field = cooked(mesh, resolution=resolution)
    index = np.stack(np.meshgrid(*map(np.arange, field.distances.shape), indexing="ij"), axis=-1)
    error = field.distances - exact(field.corner + field.cell * index)
    assert np.abs(error).max() <= off_the_mesh(mesh, exact) + 1e-8
    assert field.cell == pytest.approx(np.ptp(mesh.vertices, axis=0).max() / resolution)
    assert (field.corner <= mesh.vertices.min(axis=0) - 2 * field.cell + 1e-9).all()


@pytest.mark.parametrize("name", MESHES)
def test_distance_and_normal_between_the_nodes_and_beyond_the_grid(name: str) -> None:
    """Near the surface and on up to half the size away from it; where no edge or middle is within a cell."""
    mesh, exact = MESHES[name]
    field = cooked(mesh)
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.6, 1.6, (800, 3)) * field.corner
    dims, grid = [0, *field.distances.shape], [*field.corner.tolist(), field.cell]
    table = field.distances.reshape(-1, 1).astype(float)
    found = np.array([field_at(table, dims, grid, *p) for p in points])
    bound = np.array([field_bound(table, dims, grid, *p) for p in points])
    true = exact(points)
    assert (bound <= true + 1e-4).all()  # and the mesh lies a little inside of round things
    steps = 1e-6 * np.eye(3)
    normal = np.stack([(exact(points + s) - exact(points - s)) / 2e-6 for s in steps], axis=-1)
    kinks = np.stack([exact(points + 2 * field.cell * d) for d in np.concatenate([np.eye(3), -np.eye(3)])])
    smooth = np.abs(kinks[:3] + kinks[3:] - 2 * true).max(axis=0) < 0.8 * field.cell  # bends little
    inner = (np.abs(points) < -field.corner).all(axis=1)
    for part, most, turn in ((inner & smooth, 0.1 * field.cell, 0.15), (~inner, 0.06 * np.abs(true), 0.3)):
        assert part.sum() > 20
        limit = np.broadcast_to(most, len(points))
        assert (np.abs(found[:, 0] - true) <= limit + off_the_mesh(mesh, exact))[part].all()
        assert (np.linalg.norm(found[:, 1:] - normal, axis=1) < turn)[part].all()


def test_parts_may_overlap_and_be_inside_out() -> None:
    """Two boxes that overlap, and one with all faces turned round."""
    one, other = trimesh.creation.box((0.1, 0.1, 0.1)), trimesh.creation.box((0.1, 0.05, 0.05))
    other.apply_translation([0.06, 0.0, 0.0])
    both: Any = trimesh.util.concatenate([one, other])
    field = cooked(both, resolution=40)
    at = np.round((np.array([[0.03, 0, 0], [0.09, 0, 0], [0.09, 0.04, 0]]) - field.centre - field.corner) / field.cell)
    signs = np.sign(field.distances[tuple(at.astype(int).T)])
    np.testing.assert_array_equal(signs, [-1, -1, 1])
    turned = distance_field(one.vertices, one.faces[:, ::-1])
    np.testing.assert_array_equal(turned.distances, cooked(one).distances)
    np.testing.assert_allclose(turned.mesh.normals, -one.face_normals[turned.mesh.source] * -1.0, atol=1e-9)


def test_points_lie_on_the_surface_and_are_spread_over_it() -> None:
    for name, (mesh, _) in MESHES.items():
        for most in (300, 2048):
            made = surface_points(mesh.vertices, mesh.faces, most, 0.0)
            assert 0.5 * most < len(made.points) <= most, name
            _, distance, face = trimesh.proximity.closest_point_naive(mesh, made.points[:200])
            np.testing.assert_allclose(distance, 0.0, atol=1e-9, err_msg=name)
            flat = made.limits[:200] < -0.825  # points on a face look its way
            np.testing.assert_allclose(made.normals[:200][flat], mesh.face_normals[face][flat], atol=1e-6)
            samples = trimesh.sample.sample_surface(mesh, 500, seed=0)[0]
            gap = np.linalg.norm(samples[:, None] - made.points, axis=2).min(axis=1)
            assert gap.max() < 1.6 * np.sqrt(mesh.area / most), name


def test_cooked_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time from memory, the third from disk; with other options anew."""
    monkeypatch.setenv("PHALANX_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(signed_distance, "_known", {})
    mesh = MESHES["box"][0]
    first = cooked(mesh, resolution=20)
    assert cooked(mesh, resolution=20) is first
    monkeypatch.setattr(signed_distance, "_known", {})
    again = cooked(mesh, resolution=20)
    assert again is not first
    np.testing.assert_array_equal(again.distances, first.distances)
    assert len(list(tmp_path.glob("distance_field_*"))) == 1
    assert cooked(mesh, resolution=21).distances.shape != first.distances.shape
    assert len(list(tmp_path.glob("distance_field_*"))) == 2


def shape(mesh: trimesh.Trimesh, **options: Any) -> Shape:
    sdf = SdfOptions(**options)
    return Shape("mesh", vertices=mesh.vertices, faces=mesh.faces, approximation="sdf", sdf=sdf, name="it")


def test_what_makes_no_field_is_refused() -> None:
    box = MESHES["box"][0]
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-1], process=False)
    plate = trimesh.creation.box((0.1, 0.1, 0.0005))
    for made, words in (
        (shape(open_box), r"mesh 'it': the mesh is open \(3 edges .*close it"),
        (shape(box, resolution=4), r"resolution=4: must be a whole number .* at least 8"),
        (shape(box, resolution=20.5), "must be a whole number"),
        (shape(box, resolution=2000), r"takes \d+\.\d GB; lower its resolution"),
        (shape(box, points=3), "points=3: must be"),
        (shape(box, margin=-0.1), "margin=-0.1: must be"),
        (shape(plate), r"walls are thinner than a cell \(0.0016 m\); raise the resolution"),
    ):
        with pytest.raises(LoadError, match=words):
            cook(made)


def test_thin_walls_are_told() -> None:
    with pytest.warns(
        UserWarning, match=r"thinner than a cell of its distance field \(0.0063 m\).*raise the resolution"
    ):
        cook(shape(trimesh.creation.annulus(0.045, 0.05, 0.1), resolution=16))


def test_shapes_keep_their_options_in_files() -> None:
    from phalanx.models.robot_model import Body, RobotModel

    model = RobotModel("m", [Body("b", collisions=[shape(MESHES["box"][0], resolution=33)])], [])
    assert RobotModel.from_dict(model.to_dict()).bodies[0].collisions[0].sdf == SdfOptions(resolution=33)
