"""Soft bodies of stages among rigid bodies that would pass between their nodes: a finer surface touches."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.io.formats.usd import gaps
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.models.meshes.collision_mesh import CollisionMesh
from phalanx.models.meshes.fill import fill_surface
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Body, Shape

SIDE = 0.2


def soft(resolution: int) -> DeformableModel:
    """A cube."""
    corners = np.array(np.meshgrid(*[[0.0, SIDE]] * 3)).reshape(3, -1).T
    from scipy.spatial import ConvexHull

    hull = ConvexHull(corners)
    faces = np.array(
        [f if np.dot(np.cross(corners[f[1]] - corners[f[0]], corners[f[2]] - corners[f[0]]), e[:3]) > 0 else f[::-1]
         for f, e in zip(hull.simplices, hull.equations, strict=True)]
    )  # fmt: skip
    mesh = fill_surface(corners, faces, resolution, "cube")
    return DeformableModel("cube", "/cube", mesh, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), {})


def ball(radius: float) -> Body:
    return Body("ball", collisions=[Shape("sphere", (radius,))])


def area(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Of a closed surface: the sum of area vectors, and of their sizes; and the volume within."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    vectors = np.cross(b - a, c - a) / 2
    return np.array([*vectors.sum(axis=0), np.linalg.norm(vectors, axis=1).sum(), (a * vectors).sum() / 3])


def test_what_does_not_fit_through_changes_nothing() -> None:
    one = soft(4)
    assert gaps.close(one, [ball(SIDE / 4)], 4) == "" and one.arguments == {}
    assert gaps.close(one, [], 4) == "" and one.arguments == {}


@pytest.mark.parametrize("radius", [0.03, 0.02])
def test_a_finer_surface_is_the_same_one_with_smaller_holes(radius: float) -> None:
    one = soft(4)
    mesh = one.mesh
    assert isinstance(mesh, TetMesh) and gaps._gap(mesh) > radius
    said = gaps.close(one, [ball(0.1), ball(radius)], 4)
    made = one.arguments["collision"]
    assert f'"ball", {2 * radius:.2g} m, would pass' in said and f"{len(made.vertices)} points" in said
    np.testing.assert_allclose(area(made.vertices, made.faces), area(mesh.nodes, mesh.surface), atol=1e-12)
    a, b, c = (made.vertices[made.faces[:, k]] for k in range(3))
    sides = np.linalg.norm(np.stack([b - a, c - b, a - c]), axis=-1)
    through = sides.prod(axis=0) / (2 * np.linalg.norm(np.cross(b - a, c - a), axis=1))  # radius of the circle
    assert np.median(through) <= radius / 1.5 * (1 + 1e-9)
    carried = CollisionMesh(made, mesh, "cube")
    placed = (mesh.nodes[carried.nodes] * carried.weights[..., None]).sum(axis=1)
    np.testing.assert_allclose(placed, made.vertices, atol=1e-12)
    before = dict(one.arguments)
    assert gaps.close(one, [ball(radius)], 4) == "" and one.arguments == before  # what has one keeps it


def test_so_many_points_are_told_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "MOST_POINTS", 500)
    one = soft(4)
    said = gaps.close(one, [ball(0.005)], 4)
    assert gaps.BETWEEN in said and "simulationHexahedralResolution (4)" in said and one.arguments == {}
