"""Tetrahedral meshes: what soft bodies are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.element_arrays import elements_array, points_array

FLAT = 1e-7
"""A tetrahedron whose volume is less than this part of that of a regular one with its edges is none, in float32."""

FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
"""Faces of a tetrahedron, each across from the corner of its number, counter-clockwise seen from outside."""


@dataclass
class TetMesh:
    """A solid, cut into tetrahedra.

    ``nodes`` (n, 3), m. ``tets`` (m, 4): their corners; the first three are counter-clockwise seen from the
    fourth. ``surface`` (k, 3): triangles of the boundary, counter-clockwise seen from outside.

    Args:
        nodes: points, m.
        tets: numbers of nodes. Tetrahedra that are turned over are turned back.
        source: where it comes from, for messages.

    Raises:
        LoadError: an element names a node that is not there, or has no volume; a node is no number, or belongs to
            no element; or elements overlap, as three at one face do, or two on the same side of it.
    """

    nodes: np.ndarray
    tets: np.ndarray
    source: str = "mesh"
    surface: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = points_array(self.nodes, self.source)
        self.tets = elements_array(self.tets, 4, len(self.nodes), "tetrahedron", self.source)
        self._check()
        turned = self._signed_volumes() < 0
        self.tets[turned] = self.tets[turned][:, [0, 2, 1, 3]]
        self.surface = self._boundary()

    @property
    def volumes(self) -> np.ndarray:
        """(m,): of the tetrahedra, m^3."""
        return self._signed_volumes()

    @property
    def quality(self) -> np.ndarray:
        """(m,): 1 for regular tetrahedra, towards 0 for flat ones: 6 sqrt(2) times the volume, by the cube of the root
        mean square of the edges.
        """
        return 6 * np.sqrt(2) * self.volumes / self._mean_edges() ** 3

    def _mean_edges(self) -> np.ndarray:
        p = self.nodes[self.tets]
        edges = [p[:, a] - p[:, b] for a in range(4) for b in range(a)]
        return np.sqrt(np.mean([np.square(edge).sum(axis=1) for edge in edges], axis=0))

    def _signed_volumes(self) -> np.ndarray:
        p = self.nodes[self.tets]
        return np.linalg.det(p[:, 1:] - p[:, :1]) / 6

    def _check(self) -> None:
        if not len(self.tets):
            raise LoadError(f"{self.source}: there are no tetrahedra; a soft body needs at least one")
        loose = np.setdiff1d(np.arange(len(self.nodes)), self.tets)
        if len(loose):
            raise LoadError(
                f"{self.source}: node {loose[0]} belongs to no tetrahedron, nor do {len(loose) - 1} others; a "
                "soft body has no loose nodes"
            )
        regular = np.square(self._mean_edges()) * self._mean_edges() / (6 * np.sqrt(2))
        flat = np.flatnonzero(np.abs(self._signed_volumes()) <= FLAT * regular)
        if len(flat):
            raise LoadError(
                f"{self.source}: tetrahedron {flat[0]}, corners {self.tets[flat[0]].tolist()}, is flat, and so are "
                f"{len(flat) - 1} others; mesh the surface again with better elements"
            )

    def _boundary(self) -> np.ndarray:
        """Faces that one tetrahedron has, and no other."""
        faces = self.tets[:, FACES].reshape(-1, 3)
        _, first, users = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        if users.max() > 2:
            worst = int(first[np.argmax(users)])
            raise LoadError(
                f"{self.source}: tetrahedron {worst // 4} shares the face {faces[worst].tolist()} with "
                f"{users.max() - 1} others; two at most meet at a face"
            )
        # seen from two tetrahedra on its sides, a face goes around in both ways
        low = faces.argmin(axis=1)[:, None]
        turned = np.take_along_axis(faces, (low + np.arange(3)) % 3, axis=1)
        _, same, seen = np.unique(turned, axis=0, return_index=True, return_counts=True)
        if (seen > 1).any():
            face = int(same[np.argmax(seen)])
            one, two = np.flatnonzero((turned == turned[face]).all(axis=1))[:2] // 4
            raise LoadError(
                f"{self.source}: tetrahedra {one} and {two} are on the same side of their face {faces[face].tolist()}, "
                "so they overlap; one of them may be there twice, or folded over"
            )
        return faces[np.sort(first[users == 1])]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"nodes": self.nodes.tolist(), "tets": self.tets.tolist(), "source": self.source}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> TetMesh:
        """What :meth:`to_dict` returned."""
        return cls(np.array(data["nodes"], float), np.array(data["tets"], np.int64), data["source"])
