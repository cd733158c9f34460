"""Surfaces that go with the tetrahedra that they lie in."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import rotate
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Shape

NEAR = 32
"""Tetrahedra with the nearest middles, among which that of a vertex is looked for."""


class EmbeddedMesh:
    """A mesh of triangles whose vertices are weighted means of nodes of tetrahedra.

    A vertex belongs to the tetrahedron that it lies in; outside of all of them to the nearest one, beyond which it goes
    on as that one is strained.

    Args:
        shape: a mesh, in the frame of the tetrahedra.
        mesh: the tetrahedra.
        who, what: for messages: whose mesh, and what for.

    Raises:
        LoadError: the shape is no mesh, or its faces name vertices that it does not have.
    """

    def __init__(self, shape: Shape, mesh: TetMesh, who: str, what: str = "visual") -> None:
        if shape.kind != "mesh" or shape.vertices is None or shape.faces is None:
            done = {"visual": "is seen", "collision": "touches"}[what]
            raise LoadError(f"{who}: {what} is a {shape.kind}; what {done} must be a mesh with vertices and faces")
        own = np.asarray(shape.vertices, float).reshape(-1, 3)
        self.faces = np.asarray(shape.faces, np.int64).reshape(-1, 3)
        if not np.isfinite(own).all() or not len(self.faces):
            raise LoadError(f"{who}: {what} needs triangles, and vertices that are finite numbers")
        wrong = np.flatnonzero(((self.faces < 0) | (self.faces >= len(own))).any(axis=1))
        if len(wrong):
            raise LoadError(
                f"{who}: {what}: triangle {wrong[0]} names the vertices {self.faces[wrong[0]].tolist()}; there are "
                f"{len(own)}"
            )
        self.vertices = rotate(shape.orientation, own) + np.asarray(shape.position, float)
        self.color = shape.color
        self.nodes, self.weights = places(self.vertices, mesh)

    def at(self, nodes: np.ndarray) -> np.ndarray:
        """(k, vertices, 3), m, of (k, nodes, 3)."""
        return np.einsum("vc,kvci->kvi", self.weights.astype(nodes.dtype), nodes[:, self.nodes])

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        color = None if self.color is None else list(self.color)
        return {"vertices": self.vertices.tolist(), "faces": self.faces.tolist(), "color": color}


def shape_of(data: dict[str, Any]) -> Shape:
    """The shape that makes again what :meth:`EmbeddedMesh.to_dict` told of."""
    color = None if data["color"] is None else tuple(data["color"])
    return Shape("mesh", vertices=np.array(data["vertices"]), faces=np.array(data["faces"], np.int64), color=color)


def places(points: np.ndarray, mesh: TetMesh) -> tuple[np.ndarray, np.ndarray]:
    """The nodes (n, 4) of each point's tetrahedron, and their weights (n, 4)."""
    from scipy.spatial import KDTree  # which takes half a second

    corners = mesh.nodes[mesh.tets]
    inverse = np.linalg.inv((corners[:, 1:] - corners[:, :1]).swapaxes(1, 2))  # rows: gradients of the last three
    gradients = np.concatenate([-inverse.sum(axis=1, keepdims=True), inverse], axis=1)
    steep = np.linalg.norm(gradients, axis=2)
    near = KDTree(corners.mean(axis=1)).query(points, min(NEAR, len(corners)))[1].reshape(len(points), -1)
    best, found = np.full(len(points), -np.inf), np.zeros(len(points), np.int64)
    weights = np.zeros((len(points), 4))
    for tet in near.T:
        last = np.einsum("nij,nj->ni", inverse[tet], points - corners[tet, 0])
        shares = np.concatenate([1 - last.sum(axis=1, keepdims=True), last], axis=1)
        inside = (shares / steep[tet]).min(axis=1)  # how far within the nearest face, m
        cut = np.maximum(shares, 0.0)
        cut /= cut.sum(axis=1, keepdims=True)  # of a point of the tetrahedron that is near, if not the nearest
        away = np.linalg.norm(points - np.einsum("nc,nci->ni", cut, corners[tet]), axis=1)
        inside = np.where(inside < 0, -away, inside)
        better = inside > best
        best[better], found[better], weights[better] = inside[better], tet[better], shares[better]
    return mesh.tets[found], weights
