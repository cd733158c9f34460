"""Triangle meshes that cloth is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.element_arrays import elements_array, points_array
from phalanx.models.meshes.point_set import PointSet
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh

FLAT = 1e-7
"""A triangle whose area is less than this part of that of a regular one with its edges is none, in float32."""


@dataclass
class ClothMesh:
    """A sheet, cut into triangles.

    ``nodes`` (n, 3), m. ``triangles`` (m, 3): numbers of their corners. ``edges`` (k, 2): each once.
    ``edge_triangles`` (k, 2): triangles at each edge, -1 for the second of a free edge.

    Raises:
        LoadError: a triangle names a node that is not there, or has no area; a node is no number, or belongs to no
            triangle; more than two triangles share an edge; or a triangle is there twice.
    """

    nodes: np.ndarray
    triangles: np.ndarray
    source: str = "cloth"
    edges: np.ndarray = field(init=False)
    edge_triangles: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = points_array(self.nodes, self.source)
        self.triangles = elements_array(self.triangles, 3, len(self.nodes), "triangle", self.source)
        self._check()
        self._find_edges()

    @classmethod
    def grid(cls, width: float, height: float, columns: int, rows: int) -> ClothMesh:
        """A rectangle in the xy plane about the origin, in columns by rows of squares, each of two triangles.

        Raises:
            ValueError: a side or a number of squares is not above 0.
        """
        if columns < 1 or rows < 1 or not (width > 0 and height > 0):
            raise ValueError(f"a grid of {columns} by {rows} squares, {width} by {height} m, is none")
        x, y = np.linspace(-width / 2, width / 2, columns + 1), np.linspace(-height / 2, height / 2, rows + 1)
        nodes = np.array([(a, b, 0.0) for b in y for a in x])
        i, j = (each.ravel() for each in np.meshgrid(np.arange(columns), np.arange(rows)))
        a = j * (columns + 1) + i
        b, c, d = a + 1, a + columns + 2, a + columns + 1
        first, second = np.stack([a, b, c], 1), np.stack([a, c, d], 1)
        return cls(nodes, np.concatenate([first, second]), "grid")

    @property
    def surface(self) -> np.ndarray:
        """(m, 3): its triangles; all nodes are on the surface."""
        return self.triangles

    @property
    def areas(self) -> np.ndarray:
        """(m,): of the triangles, m^2."""
        p = self.nodes[self.triangles]
        return np.linalg.norm(np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]), axis=1) / 2

    @property
    def least_height(self) -> float:
        """Least height of a triangle, m."""
        p = self.nodes[self.triangles]
        longest = np.max([np.linalg.norm(p[:, k] - p[:, k - 1], axis=1) for k in range(3)], axis=0)
        return float((2 * self.areas / longest).min())

    @property
    def quality(self) -> np.ndarray:
        """(m,): 1 for regular triangles, towards 0 for flat ones: 4 / sqrt(3) times the area by the mean square of the
        edges.
        """
        return 4 / np.sqrt(3) * self.areas / self._mean_squares()

    @property
    def closed(self) -> bool:
        """Whether it has no free edge, and triangles are counter-clockwise seen from one side."""
        return bool((self.edge_triangles[:, 1] >= 0).all()) and self._turned() is None

    def _mean_squares(self) -> np.ndarray:
        p = self.nodes[self.triangles]
        return np.mean([np.square(p[:, a] - p[:, (a + 1) % 3]).sum(axis=1) for a in range(3)], axis=0)

    def _check(self) -> None:
        if not len(self.triangles):
            raise LoadError(f"{self.source}: there are no triangles; cloth needs at least one")
        loose = np.setdiff1d(np.arange(len(self.nodes)), self.triangles)
        if len(loose):
            raise LoadError(
                f"{self.source}: node {loose[0]} belongs to no triangle, nor do {len(loose) - 1} others; cloth has no "
                "loose nodes"
            )
        flat = np.flatnonzero(4 * self.areas <= FLAT * np.sqrt(3) * self._mean_squares())
        if len(flat):
            raise LoadError(
                f"{self.source}: triangle {flat[0]}, corners {self.triangles[flat[0]].tolist()}, has no area, nor have "
                f"{len(flat) - 1} others; merge nodes that are in one place, or mesh the surface again"
            )

        _, first, counts = np.unique(np.sort(self.triangles, axis=1), axis=0, return_index=True, return_counts=True)
        if (counts > 1).any():
            again = int(first[np.argmax(counts)])
            raise LoadError(
                f"{self.source}: triangle {again}, corners {self.triangles[again].tolist()}, is there "
                f"{counts.max()} times; leave out the others"
            )

    def _find_edges(self) -> None:
        sides = np.sort(self.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        self.edges, which, counts = np.unique(sides, axis=0, return_inverse=True, return_counts=True)
        which = which.reshape(-1)
        if counts.max() > 2:
            worst = int(np.argmax(counts))
            users = (np.flatnonzero(which == worst) // 3).tolist()
            raise LoadError(
                f"{self.source}: triangles {', '.join(map(str, users))} share the edge {self.edges[worst].tolist()}; "
                "two at most meet at an edge of cloth (it must be manifold)"
            )
        self.edge_triangles = np.full((len(self.edges), 2), -1)
        order = np.argsort(which, kind="stable")
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.edge_triangles[:, 0] = order[starts] // 3
        two = counts == 2
        self.edge_triangles[two, 1] = order[starts[two] + 1] // 3

    def _turned(self) -> int | None:
        """A triangle that has an edge in the direction in which its neighbour has it; ``None``: there is none."""
        sides = self.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
        _, first, counts = np.unique(sides, axis=0, return_index=True, return_counts=True)
        return int(first[counts > 1][0]) // 3 if (counts > 1).any() else None

    def check_closed(self) -> None:
        """Raise a LoadError that says what is open, or turned over; pressure needs an inside."""
        open_ = np.flatnonzero(self.edge_triangles[:, 1] < 0)
        if len(open_):
            edge = self.edges[open_[0]].tolist()
            raise LoadError(
                f"{self.source}: triangle {self.edge_triangles[open_[0], 0]} has a free edge {edge}, and so have "
                f"{len(open_) - 1} others; what has pressure inside must be closed"
            )
        if (turned := self._turned()) is not None:
            raise LoadError(
                f"{self.source}: triangle {turned}, corners {self.triangles[turned].tolist()}, is turned over against "
                "its neighbour; what has pressure inside has triangles that are counter-clockwise seen from outside"
            )

    def volume(self) -> float:
        """Of what a closed mesh encloses, m^3; negative if it is turned inside out."""
        p = self.nodes[self.triangles]
        return float(np.einsum("ti,ti->", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"nodes": self.nodes.tolist(), "triangles": self.triangles.tolist(), "source": self.source}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ClothMesh:
        """What :meth:`to_dict` returned."""
        return cls(np.array(data["nodes"], float), np.array(data["triangles"], np.int64), data["source"])


def mesh_from_dict(data: dict[str, Any]) -> TetMesh | ClothMesh | RopeLine | PointSet:
    """The mesh of a deformable body, from what its ``to_dict`` returned."""
    if "points" in data:
        return PointSet.from_dict(data)
    if "line" in data:
        return RopeLine.from_dict(data)
    return ClothMesh.from_dict(data) if "triangles" in data else TetMesh.from_dict(data)
