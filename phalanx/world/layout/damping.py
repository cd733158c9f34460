"""Fill the tables of soft bodies that damp elastic motion, or are corotational."""

from __future__ import annotations

import numpy as np

from phalanx import components as c
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.world.layout.columns import Columns

OTHERS = np.array([[1, 3, 2], [0, 2, 3], [0, 3, 1], [0, 1, 2]])
"""For each corner of a tetrahedron the others, a, b, c, so that (b - a) x (c - a) points to it."""


class Damping:
    """Tetrahedra of bodies that damp elastic motion or are corotational, corner by corner in the order in which their
    nodes see them.
    """

    def __init__(self) -> None:
        self._nodes = self._damped = self._corotated = 0

    def add(self, columns: Columns, mesh: TetMesh, damped: bool, corotational: bool) -> np.ndarray:
        """Append a body's; returns the rows of its nodes."""
        node = mesh.tets.ravel()
        order = np.argsort(node, kind="stable")
        tet, corner = order // 4, order % 4
        others = np.take_along_axis(mesh.tets[tet], OTHERS[corner], axis=1)
        edges = mesh.nodes[others] - mesh.nodes[node[order]][:, None]  # a row for each other node
        ends = np.cumsum(np.bincount(node, minlength=len(mesh.nodes)))
        first = np.concatenate([[0], ends[:-1]])
        inverse = np.linalg.inv(edges.swapaxes(1, 2)).reshape(-1, 9)
        none = np.full(len(first), -1)
        columns.extend(
            {
                c.DampedNodeTopology.first: self._damped + first if damped else none,
                c.CorotatedNode.first: self._corotated + first if corotational else none,
            }
        )
        if damped:
            columns.extend({c.DampedCornerShape.inverse: inverse})
            self._damped += len(order)
        if corotational:
            columns.extend({c.CorotatedCornerShape.inverse: inverse})
            self._corotated += len(order)
        rows = self._nodes + np.arange(len(mesh.nodes))
        self._nodes += len(mesh.nodes)
        return rows

    def skip(self, columns: Columns, count: int) -> np.ndarray:
        """Append so many nodes of a body with neither that carry a collision mesh; returns their rows."""
        columns.extend({c.DampedNodeTopology.first: np.full(count, -1), c.CorotatedNode.first: np.full(count, -1)})
        self._nodes += count
        return self._nodes - count + np.arange(count)
