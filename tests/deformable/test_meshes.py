"""Tetrahedra of primitives, and how nodes are coloured."""

from __future__ import annotations

import math

import numpy as np
import pytest
import trimesh
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from phalanx.models.meshes.fill import fill_surface
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.world.layout.colours import colours, mesh_edges

VOLUMES = {
    "box": ((0.1, 0.2, 0.05), 0.008),
    "sphere": ((0.1,), 4 / 3 * math.pi * 1e-3),
    "capsule": ((0.1, 0.2), math.pi * 4e-3 + 4 / 3 * math.pi * 1e-3),
    "cylinder": ((0.1, 0.2), math.pi * 4e-3),
    "cone": ((0.1, 0.2), math.pi * 4e-3 / 3),
}


@pytest.mark.parametrize("kind", VOLUMES)
@pytest.mark.parametrize("resolution", [1, 4, 18])
def test_shapes_are_filled(kind: str, resolution: int) -> None:
    """Closed, of one piece, inside the shape, with elements that are no slivers."""
    size, volume = VOLUMES[kind]
    mesh = tet_shape(px.Shape(kind, size), resolution)
    edges = np.concatenate([mesh.surface[:, k] for k in ([0, 1], [1, 2], [2, 0])])
    assert len({*map(tuple, edges.tolist())}) == len(edges)  # each edge once in each direction
    assert {(b, a) for a, b in edges.tolist()} == {*map(tuple, edges.tolist())}
    corners, sides = len(np.unique(mesh.surface)), len(edges) // 2
    assert corners - sides + len(mesh.surface) == 2
    assert mesh.volumes.sum() <= volume * (1 + 1e-9)
    if resolution == 18:
        assert mesh.volumes.sum() > 0.89 * volume
        assert mesh.quality.min() > (0.1 if kind == "cone" else 0.4)
    a, b, c = (mesh.nodes[mesh.surface[:, k]] for k in range(3))
    outward = np.cross(b - a, c - a)
    assert (outward * mesh.nodes[mesh.surface[:, 0]]).sum() == pytest.approx(6 * mesh.volumes.sum())


def test_finer_meshes_come_nearer_to_round_shapes() -> None:
    for kind, (size, volume) in VOLUMES.items():
        missing = [1 - tet_shape(px.Shape(kind, size), n).volumes.sum() / volume for n in (6, 12)]
        assert missing[1] <= 0.5 * missing[0] + 1e-9, kind


@given(st.integers(4, 30), st.integers(1, 60), st.integers(0, 2**31))
def test_no_element_has_two_nodes_of_one_colour(nodes: int, elements: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    tets = np.array([random.choice(nodes, 4, replace=False) for _ in range(elements)])
    edges = mesh_edges(tets)
    colour = colours(nodes, edges)
    assert (colour >= 0).all()
    assert (colour[edges[:, 0]] != colour[edges[:, 1]]).all()
    degree = np.bincount(edges.ravel(), minlength=nodes)
    assert colour.max() <= degree.max()


def test_boxes_have_few_colours() -> None:
    mesh = tet_shape(px.Shape("box", (1, 1, 1)), 6)
    assert colours(len(mesh.nodes), mesh_edges(mesh.tets)).max() < 5


@pytest.mark.parametrize("kind", ["cylinder", "torus", "two balls"])
def test_closed_surfaces_are_filled(kind: str) -> None:
    """Closed, with elements that are no slivers, and nearly the volume; boxes exactly."""
    made = {
        "cylinder": trimesh.creation.cylinder(radius=0.1, height=0.2),
        "torus": trimesh.creation.torus(0.1, 0.04),
        "two balls": trimesh.util.concatenate(
            [trimesh.creation.icosphere(3, 0.1), trimesh.creation.icosphere(3, 0.1).apply_translation((0.3, 0, 0))]
        ),
    }[kind]
    mesh = fill_surface(made.vertices, made.faces, 14)
    edges = np.concatenate([mesh.surface[:, k] for k in ([0, 1], [1, 2], [2, 0])])
    assert {(b, a) for a, b in edges.tolist()} == {*map(tuple, edges.tolist())}
    assert 0.9 < mesh.volumes.sum() / made.volume <= 1.01 and mesh.quality.min() > 0.1
    corners = len(np.unique(mesh.surface)) - len(edges) // 2 + len(mesh.surface)
    assert corners == {"cylinder": 2, "torus": 0, "two balls": 4}[kind]


@pytest.mark.parametrize("height", [0.08, 0.29, 0.001])
def test_flat_surfaces_are_one_cell_thick(height: float) -> None:
    """Discs as of trampolines, which are thinner than a cell: from face to face, closed, with nearly their volume."""
    disc = trimesh.creation.cylinder(radius=1.5, height=height)
    for axis in np.eye(3):
        turn = np.asarray(trimesh.geometry.align_vectors([0, 0, 1], axis))[:3, :3]
        mesh = fill_surface(disc.vertices @ turn.T + [1, 2, 3], disc.faces, 10)
        edges = np.concatenate([mesh.surface[:, k] for k in ([0, 1], [1, 2], [2, 0])])
        assert {(b, a) for a, b in edges.tolist()} == {*map(tuple, edges.tolist())}
        assert len(np.unique(mesh.surface)) - len(edges) // 2 + len(mesh.surface) == 2
        assert 0.9 < mesh.volumes.sum() / disc.volume < 1.0
        np.testing.assert_allclose(np.abs((mesh.nodes - [1, 2, 3]) @ axis).max(), height / 2)


def test_boxes_are_filled_exactly_and_open_surfaces_refused() -> None:
    box = trimesh.creation.box((0.2, 0.1, 0.3)).apply_translation((1, 2, 3))
    mesh = fill_surface(box.vertices, box.faces, 6)
    assert mesh.volumes.sum() == pytest.approx(0.006) and len(mesh.tets) == 4 * 2 * 6 * 5
    np.testing.assert_allclose(mesh.nodes.mean(axis=0), (1, 2, 3))
    with pytest.raises(px.LoadError, match=r"jar: cannot be filled"):
        fill_surface(np.random.default_rng(0).normal(size=(30, 3)), np.array([[0, 1, 2], [3, 4, 5]]), 3, "jar")
