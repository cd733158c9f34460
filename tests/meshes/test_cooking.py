"""Hulls and mass properties against invariants and trimesh; what cannot be cooked is refused."""

from __future__ import annotations

import weakref

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes import mass_properties
from phalanx.models.meshes.cooking import cook
from phalanx.models.meshes.hulls import hull
from phalanx.models.meshes.kept_files import mesh_digest
from phalanx.models.meshes.triangle_mesh import triangle_mesh
from phalanx.models.robot_model import Shape


@settings(max_examples=60, deadline=None)
@given(st.integers(5, 300), st.integers(0, 2**32 - 1))
def test_a_hull_is_a_closed_convex_polyhedron(count: int, seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(count, 3))
    made = hull(points)
    size = np.ptp(made.vertices, axis=0).max()
    assert 4 <= len(made.vertices) <= 64
    assert (made.normals @ made.vertices.T <= made.offsets[:, None] + 1e-12 * size).all()
    for face, normal, offset in zip(made.faces, made.normals, made.offsets, strict=True):
        np.testing.assert_allclose(made.vertices[face] @ normal, offset, atol=1e-4 * size)
    edges = sum(len(face) for face in made.faces) / 2
    assert len(made.vertices) - edges + len(made.faces) == 2


def test_the_sides_of_a_box_are_whole() -> None:
    assert [len(face) for face in hull(trimesh.creation.box((1, 2, 3)).subdivide().vertices).faces] == [4] * 6


def test_mass_properties_of_a_mesh_are_those_of_trimesh() -> None:
    ring = trimesh.creation.annulus(0.1, 0.3, 0.4)
    ring.density = 700.0
    shape = Shape("mesh", vertices=ring.vertices, faces=ring.faces, approximation="convex_decomposition")
    found = mass_properties.of([shape], density=700.0)
    assert found.mass == pytest.approx(ring.mass)
    np.testing.assert_allclose(found.inertia, ring.moment_inertia, atol=1e-9)


def test_vertices_of_a_triangle_mesh_know_those_that_they_share_an_edge_with() -> None:
    ring = trimesh.creation.annulus(0.1, 0.3, 0.4)
    mesh = triangle_mesh(ring.vertices, ring.faces[:-7])
    for vertex in range(len(mesh.vertices)):
        around = mesh.triangles[(mesh.triangles == vertex).any(axis=1)]
        found = mesh.neighbours[mesh.first_neighbour[vertex] : mesh.first_neighbour[vertex + 1]]
        assert found.tolist() == sorted({*around.ravel().tolist()} - {vertex})


def test_triangles_are_prepared_once_for_all_who_have_them() -> None:
    ring = trimesh.creation.annulus(0.1, 0.3, 0.4)
    vertices, faces = np.array(ring.vertices), np.array(ring.faces)
    mesh = triangle_mesh(vertices, faces)
    assert triangle_mesh(vertices.copy(), faces.copy()) is mesh
    assert triangle_mesh(vertices, faces, double_sided=True) is not mesh
    assert triangle_mesh(vertices, faces[:-1]) is not mesh
    moved = vertices.copy()
    moved[0, 2] = np.nextafter(moved[0, 2], 9.0)
    assert triangle_mesh(moved, faces) is not mesh
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertices[0] = 0.0
    vertices[0] += 0.0  # what was given stays the caller's
    gone = weakref.ref(mesh)
    del mesh
    assert gone() is None


@pytest.mark.parametrize(
    ("vertices", "approximation", "words"),
    [
        ([[0, 0, 0], [1, 0, 0], [2, 0, 0]], "convex_hull", "lie on a line"),
        ([[0, 0, 0], [1, 0, 0], [0, np.nan, 0]], "convex_hull", "not finite"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangle_mesh", "moves freely"),
        ([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "nonsense", "is not known"),
    ],
)
def test_what_cannot_be_cooked_is_refused(vertices: list[list[float]], approximation: str, words: str) -> None:
    shape = Shape("mesh", vertices=np.array(vertices), faces=np.array([[0, 1, 2]]), approximation=approximation)
    with pytest.raises(LoadError, match=words):
        cook(shape)


def test_digests_tell_meshes_and_what_is_made_of_them_apart() -> None:
    vertices, faces = np.eye(3), np.array([[0, 1, 2]])
    first = mesh_digest("field", vertices, faces)
    assert first == mesh_digest("field", vertices.copy(), faces.copy()) and len(first) == 32
    others = [mesh_digest("hull", vertices, faces), mesh_digest("field", np.nextafter(vertices, 2), faces)]
    assert len({first, *others, mesh_digest("field", vertices, faces[:, ::-1])}) == 4
