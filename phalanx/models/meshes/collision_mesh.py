"""Surfaces that soft bodies collide with, carried by the tetrahedra that are simulated."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.embedded import EmbeddedMesh
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Shape

OUTSIDE = 1.0
"""How far a vertex may be outside of its tetrahedron, in heights of that."""


class SurfaceMesh(NamedTuple):
    """Points ``nodes`` (n, 3), m, and triangles ``surface`` (k, 3) of them."""

    nodes: np.ndarray
    surface: np.ndarray


class CollisionMesh:
    """A mesh whose surface touches other things in place of that of the tetrahedra that are simulated.

    Its vertices are weighted means of nodes of tetrahedra, see :class:`~phalanx.models.meshes.embedded.EmbeddedMesh`.

    Args:
        source: triangles, as a shape that is a mesh; or tetrahedra, whose surface touches. In the frame of ``mesh``.
        mesh: the tetrahedra that are simulated.
        who: for messages.

    Attributes:
        vertices: (n, 3), m, in the frame of the simulated tetrahedra.
        tets: (m, 4), vertices of its own tetrahedra; none where it is made of triangles.
        nodes, weights: (n, 4): the nodes that carry each vertex, and their weights, which add up to 1.
        points: (k,): the vertices on the surface, which touch.
        touching: those points, and the triangles between them.

    Raises:
        LoadError: the source is no mesh; a triangle has no area; or a vertex is far from all tetrahedra.
    """

    def __init__(self, source: Shape | TetMesh, mesh: TetMesh, who: str) -> None:
        self.tets = np.zeros((0, 4), np.int64)
        if isinstance(source, TetMesh):
            self.tets = source.tets
            source = Shape("mesh", vertices=source.nodes, faces=source.surface)
        embedded = EmbeddedMesh(source, mesh, who, "collision")
        self.vertices, self.nodes, self.weights = embedded.vertices, embedded.nodes, embedded.weights
        self._faces = embedded.faces
        self.points, renamed = np.unique(self._faces, return_inverse=True)
        self.touching = SurfaceMesh(self.vertices[self.points], renamed.reshape(-1, 3))
        p = self.vertices[self._faces]
        longest = np.max([np.linalg.norm(p[:, k] - p[:, k - 1], axis=1) for k in range(3)], axis=0)
        area = np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1)
        flat = np.flatnonzero(area <= 1e-7 * longest**2)
        if len(flat):
            raise LoadError(f"{who}: collision: triangle {flat[0]}, {self._faces[flat[0]].tolist()}, has no area")
        outside = -self.weights.min(axis=1)
        if outside.max() > OUTSIDE:
            worst = int(outside.argmax())
            raise LoadError(
                f"{who}: collision: vertex {worst} is {outside[worst]:.2g} heights of the nearest tetrahedron outside "
                f"of it; the tetrahedra must carry the mesh, so all of its vertices lie in them or near, at most "
                f"{OUTSIDE:g} away"
            )

    def masses(self, masses: Any) -> Any:
        """(..., points), kg: means of masses (..., nodes) of the nodes that carry points, by weight."""
        inside = np.maximum(self.weights[self.points], 0.0)
        return (inside * masses[..., self.nodes[self.points]]).sum(axis=-1)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"vertices": self.vertices.tolist(), "faces": self._faces.tolist(), "tets": self.tets.tolist()}


def source_of(data: dict[str, Any]) -> Shape | TetMesh:
    """What makes again the mesh that :meth:`CollisionMesh.to_dict` told of."""
    if len(data["tets"]):
        return TetMesh(np.array(data["vertices"]), np.array(data["tets"], np.int64), "collision mesh")
    return Shape("mesh", vertices=np.array(data["vertices"]), faces=np.array(data["faces"], np.int64))
