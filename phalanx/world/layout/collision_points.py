"""Fill the tables of points of collision meshes."""

from __future__ import annotations

import numpy as np

from phalanx import components as c
from phalanx.models.meshes.collision_mesh import CollisionMesh
from phalanx.world.layout.columns import Columns

NONE = 1e-9
"""A node whose weight is less does not carry the point: such weights are rounding, of points on faces."""


class CollisionPoints:
    """Points of collision meshes, body by body."""

    def __init__(self) -> None:
        self._points = self._shares = 0

    def skip(self, columns: Columns, count: int) -> None:
        """So many nodes carry no points."""
        none = np.zeros(count, np.int64)
        columns.extend({c.NodeCollision.first: none, c.NodeCollision.end: none, c.NodeCollision.point: none - 1})

    def add(self, columns: Columns, mesh: CollisionMesh, count: int, first_node: int) -> None:
        """Append a body's, which has so many nodes; its points are the nodes after those."""
        points = len(mesh.points)
        carriers, weights = mesh.nodes[mesh.points], mesh.weights[mesh.points]
        columns.extend(
            {
                c.CollisionPointTopology.node: first_node + count + np.arange(points),
                c.CollisionPointTopology.carriers: first_node + carriers,
                c.CollisionPointTopology.weights: weights,
            }
        )
        order = np.argsort(carriers.ravel(), kind="stable")
        order = order[np.abs(weights.ravel()[order]) > NONE]
        columns.extend(
            {
                c.CollisionShareTopology.node: first_node + count + order // 4,
                c.CollisionShareTopology.weight: weights.ravel()[order],
            }
        )
        ends = self._shares + np.cumsum(np.bincount(carriers.ravel()[order], minlength=count))
        columns.extend(
            {
                c.NodeCollision.first: np.concatenate([[self._shares], ends[:-1]]),
                c.NodeCollision.end: ends,
                c.NodeCollision.point: np.full(count, -1),
            }
        )
        none = np.zeros(points, np.int64)
        columns.extend({c.NodeCollision.first: none, c.NodeCollision.end: none})
        columns.extend({c.NodeCollision.point: self._points + np.arange(points)})
        self._points += points
        self._shares += len(order)
