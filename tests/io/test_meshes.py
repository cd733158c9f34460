"""Meshes of every format become the same triangles; hulls are convex, small and repeatable."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.mesh_files import convex_hull, count_flat_triangles, load_mesh


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Signed volume; positive when the faces are counter-clockwise seen from outside."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def depths(points: np.ndarray, vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """How far each point sticks out of the hull; negative inside."""
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    return (points @ normals.T - np.einsum("ij,ij->i", normals, a)).max(axis=1)


def write_box(path: Path) -> Path:
    """A box of 1 x 2 x 3 m around the origin, in the format of the file's suffix."""
    trimesh.creation.box(extents=(1, 2, 3)).export(path)
    return path


# -- reading ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["box.stl", "box.STL", "box.obj", "box.dae", "box.ply", "box.glb"])
def test_every_format_gives_the_same_box(tmp_path: Path, name: str) -> None:
    vertices, faces = load_mesh(write_box(tmp_path / name))
    expected = [[x, y, z] for x in (-0.5, 0.5) for y in (-1, 1) for z in (-1.5, 1.5)]
    np.testing.assert_allclose(vertices, expected, atol=1e-7)
    assert faces.shape == (12, 3)
    assert (vertices.dtype, faces.dtype) == (np.float64, np.int64)
    assert volume(vertices, faces) == pytest.approx(6.0)


def test_scale_and_mirroring_keep_the_outside_outside(tmp_path: Path) -> None:
    path = write_box(tmp_path / "box.stl")
    vertices, faces = load_mesh(path, 2.0)
    assert volume(vertices, faces) == pytest.approx(48.0)
    vertices, faces = load_mesh(path, (1.0, -1.0, 0.5))
    assert volume(vertices, faces) == pytest.approx(3.0)


def test_parts_of_a_scene_are_placed_and_joined(tmp_path: Path) -> None:
    scene = trimesh.Scene()
    scene.add_geometry(
        trimesh.creation.box(extents=(1, 1, 1)), transform=trimesh.transformations.translation_matrix((5, 0, 0))
    )
    mirror = np.diag([1.0, 1.0, -1.0, 1.0])
    mirror[2, 3] = 3.0
    scene.add_geometry(trimesh.creation.box(extents=(1, 1, 1)), transform=mirror)
    scene.export(tmp_path / "two.glb")
    vertices, faces = load_mesh(tmp_path / "two.glb")
    assert (len(vertices), len(faces)) == (16, 24)
    np.testing.assert_allclose([vertices.min(0), vertices.max(0)], [[-0.5, -0.5, -0.5], [5.5, 0.5, 3.5]], atol=1e-6)
    assert volume(vertices, faces) == pytest.approx(2.0)


def collada(folder: Path, asset: str) -> Path:
    write_box(folder / "plain.dae")
    text = (folder / "plain.dae").read_text()
    start, stop = text.index("<asset"), text.index("</asset>") + len("</asset>")
    path = folder / "other.dae"
    path.write_text(text[:start] + f"<asset>{asset}</asset>" + text[stop:])
    return path


def test_collada_unit_counts_and_up_axis_does_not(tmp_path: Path) -> None:
    path = collada(tmp_path, '<unit name="millimeter" meter="0.001"/><up_axis>Y_UP</up_axis>')
    np.testing.assert_allclose(np.ptp(load_mesh(path)[0], axis=0), (1e-3, 2e-3, 3e-3))


@pytest.mark.parametrize("unit", ['<unit meter="0"/>', '<unit meter="-1"/>', '<unit meter="nan"/>'])
def test_collada_unit_that_makes_no_sense_is_taken_as_metres(tmp_path: Path, unit: str) -> None:
    np.testing.assert_allclose(np.ptp(load_mesh(collada(tmp_path, unit))[0], axis=0), (1, 2, 3))


@pytest.mark.parametrize(
    "name",
    [
        "anymal_b_simple_description/meshes/foot/anymal_foot.dae",  # its textures are broken
        "hyq_description/meshes/leg/lowerleg.dae",  # Y_UP
        "anymal_c_simple_description/meshes/base.dae",
        "go2_description/visuals/base.dae",
        "g1_description/meshes/pelvis.STL",
    ],
)
def test_real_meshes_have_the_extent_that_pinocchio_sees(robot_path: Callable[[str], Path], name: str) -> None:
    coal = pytest.importorskip("coal")
    path = robot_path(name)
    mesh = coal.MeshLoader().load(str(path), np.ones(3))
    expected = np.asarray(mesh.vertices())
    vertices, _ = load_mesh(path)
    np.testing.assert_allclose(vertices.min(0), expected.min(0), atol=1e-6)
    np.testing.assert_allclose(vertices.max(0), expected.max(0), atol=1e-6)


def test_a_file_is_parsed_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_box(tmp_path / "box.stl")
    first, _ = load_mesh(path)
    first[:] = 0.0  # the caller's own copy
    with monkeypatch.context() as patched:
        patched.setattr(trimesh, "load_scene", lambda *_, **__: pytest.fail("parsed again"))
        assert np.ptp(load_mesh(path)[0]) == 3.0
    trimesh.creation.box(extents=(4, 4, 4)).export(path)
    os.utime(path, ns=(1, 1))
    assert np.ptp(load_mesh(path)[0]) == 4.0


def test_flat_triangles_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "part.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 1 3\nf 1 2 5\n")
    assert count_flat_triangles(path) == 2
    assert count_flat_triangles(write_box(tmp_path / "box.obj")) == 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("part.step", b"x", "meshes are read from stl, obj, dae, ply, glb files; convert it"),
        ("part", b"x", "meshes are read from"),
        ("part.stl", b"", "the file is empty"),
        ("part.stl", b"not a mesh at all", "not a readable stl file|holds no triangles"),
        ("part.glb", b"glTF\x02\x00\x00\x00", "this is not a readable glb file"),
        ("part.dae", b"<COLLADA><asset>", "the file ends too early"),
        ("part.dae", b"<html/>", "this is not a readable dae file"),
        ("part.obj", b"v 0 0 0\nv 1 0 0\n", "holds no triangles|not a readable obj file"),
        ("part.obj", b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", "coordinates that are not finite"),
        ("part.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "not a readable obj file"),
    ],
)
def test_bad_meshes_are_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(LoadError, match=words) as caught:
        load_mesh(path)
    assert str(path) in str(caught.value)


def test_missing_mesh_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match=r"gone\.stl: cannot be read: No such file"):
        load_mesh(tmp_path / "gone.stl")


# -- hulls -----------------------------------------------------------------------------------------------------

clouds = hnp.arrays(
    np.float64, st.tuples(st.integers(1, 120), st.just(3)), elements=st.floats(-10, 10, width=32) | st.integers(-2, 2)
)


@given(clouds, st.integers(4, 64))
@settings(max_examples=100, deadline=None)
def test_any_points_give_a_hull_of_some_of_them(points: np.ndarray, limit: int) -> None:
    vertices, faces = convex_hull(points, limit)
    assert 1 <= len(vertices) <= limit
    assert {tuple(v) for v in vertices} <= {tuple(p) for p in points}
    if len(faces):
        assert faces.min() >= 0 and faces.max() < len(vertices)
        edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
        ways = Counter((int(a), int(b)) for a, b in edges)
        assert all(ways[b, a] == count for (a, b), count in ways.items())  # closed and consistently turned
        assert np.unique(edges).tolist() == list(range(len(vertices)))
        assert volume(vertices, faces) >= -1e-9


def test_a_cube_keeps_its_corners() -> None:
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 3), axis=-1).reshape(-1, 3)
    vertices, faces = convex_hull(grid)
    assert len(vertices) == 8
    assert len(faces) == 12
    assert volume(vertices, faces) == pytest.approx(8.0)


def test_a_ball_is_reduced_within_the_stated_error() -> None:
    points = np.random.default_rng(0).normal(size=(3000, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    vertices, faces = convex_hull(points)
    assert len(vertices) == 64
    assert len(faces) == 2 * 64 - 4
    assert depths(points, vertices, faces).max() < 0.03 * 2.0
    assert depths(vertices, vertices, faces).max() < 1e-12


def test_the_order_of_the_points_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(500, 3))
    one, other = convex_hull(points, 20), convex_hull(rng.permutation(points), 20)
    assert (one[0] == other[0]).all()
    assert (one[1] == other[1]).all()


def test_a_reduced_hull_keeps_the_ends() -> None:
    rng = np.random.default_rng(2)
    points = np.concatenate([rng.normal(size=(2000, 3)), [[9, 0, 0], [-9, 0, 0], [0, 8, 0], [0, 0, -7]]])
    vertices, _ = convex_hull(points, 12)
    np.testing.assert_array_equal(vertices.max(0)[:2], [9, 8])
    np.testing.assert_array_equal(vertices.min(0)[[0, 2]], [-9, -7])


@pytest.mark.parametrize("tilt", [np.eye(3), np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]])
def test_flat_points_give_a_two_sided_polygon(tilt: np.ndarray) -> None:
    points = np.random.default_rng(4).uniform(-1, 1, size=(200, 3)) * (1, 1, 0)
    square = np.array([[2, 2, 0], [-2, 2, 0], [-2, -2, 0], [2, -2, 0]])
    vertices, faces = convex_hull(np.concatenate([points, square]) @ tilt.T)
    assert len(vertices) == 4
    assert len(faces) == 4
    assert volume(vertices, faces) == pytest.approx(0.0, abs=1e-12)
    circle = np.stack([np.cos(np.arange(300)), np.sin(np.arange(300)), np.zeros(300)], axis=1)
    assert len(convex_hull(circle @ tilt.T)[0]) == 64


def test_points_on_a_line_give_its_ends_and_one_point_itself() -> None:
    line = np.outer(np.linspace(-1, 3, 50), (1.0, 2.0, 3.0))
    vertices, faces = convex_hull(line)
    assert {tuple(v) for v in vertices} == {tuple(line[0]), tuple(line[-1])}
    assert faces.shape == (0, 3)
    vertices, faces = convex_hull(np.ones((5, 3)))
    assert vertices.tolist() == [[1, 1, 1]]
    assert faces.shape == (0, 3)


def test_hull_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one point"):
        convex_hull(np.empty((0, 3)))
    with pytest.raises(ValueError, match="finite"):
        convex_hull(np.array([[0.0, np.nan, 0.0]]))
    with pytest.raises(ValueError, match="limit=3 is too small"):
        convex_hull(np.eye(3), 3)
