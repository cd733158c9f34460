"""Fill the tables of triangles of cloth that touch cloth: patches of them, and which of them tests what."""

from __future__ import annotations

import numpy as np

from phalanx import components as c
from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.collision_mesh import SurfaceMesh
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.world.layout.columns import Columns

PATCH = 16
"""Most triangles of a patch."""

REGION = 64
"""Most patches of a region. A triangle looks at all regions, and at the patches of a few."""


class ClothTriangles:
    """Triangles that touch cloth, body by body."""

    def __init__(self) -> None:
        self.count = 0
        """Triangles so far."""
        self.nodes = 0
        """Nodes of theirs so far."""
        self.patches = 0
        """Patches of theirs so far."""
        self.regions = 0
        """Regions of theirs so far."""

    def add(
        self,
        columns: Columns,
        mesh: ClothMesh | TetMesh | SurfaceMesh | None,
        first_node: int,
        triangle: np.ndarray,
        corner: np.ndarray,
        count: int,
    ) -> None:
        """Append a body's.

        Args:
            mesh: ``None``: the body does not touch cloth.
            first_node: row of its first node.
            triangle, corner: of each corner in the order of its nodes, number of the triangle, and in that.
            count: number of its nodes.
        """
        if mesh is None:
            none, gone = np.full(count, -1), np.full(len(triangle), -1)
            columns.extend({c.ClothNodeContact.row: none, c.ClothNodeContact.owner: none})
            columns.extend({c.ClothCornerTriangle.triangle: gone, c.ClothCornerTriangle.edges: np.zeros_like(gone)})
            return
        patches = _patches(mesh)
        order = np.concatenate(patches)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        triangles = mesh.surface[order]
        ends = self.count + np.cumsum([len(patch) for patch in patches])
        columns.extend(
            {
                c.ClothPatchTopology.first: np.concatenate([[self.count], ends[:-1]]),
                c.ClothPatchTopology.end: ends,
            }
        )
        self._add_regions(columns, np.array([len(patch) for patch in patches]))
        used, first_corner = np.unique(triangles.ravel(), return_index=True)
        owner = np.full(count, -1)  # inner nodes of soft bodies belong to none
        owner[used] = self.count + first_corner // 3
        owns_corner = np.zeros(triangles.size, np.int64)
        owns_corner[first_corner] = 1
        sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        owns_edge = np.zeros(len(sides), np.int64)
        owns_edge[np.unique(sides, axis=0, return_index=True)[1]] = 1
        bits = (owns_corner.reshape(-1, 3) << np.arange(3)) + (owns_edge.reshape(-1, 3) << np.arange(3, 6))
        columns.extend(
            {
                c.ClothTriangleTopology.nodes: first_node + triangles,
                c.ClothTriangleTopology.owns: bits.sum(axis=1),
                c.ClothNodeContact.row: self.nodes + np.arange(count),
                c.ClothNodeContact.owner: owner,
            }
        )
        near, far = (mesh.surface[triangle, (corner + k) % 3] for k in (1, 2))
        node = mesh.surface[triangle, corner]
        seen = np.stack([node * count + near, node * count + far], axis=1)
        tests = np.zeros(seen.size, np.int64)
        tests[np.unique(seen.ravel(), return_index=True)[1]] = 1
        columns.extend(
            {
                c.ClothCornerTriangle.triangle: self.count + place[triangle],
                c.ClothCornerTriangle.edges: (tests.reshape(-1, 2) << np.arange(2)).sum(axis=1),
            }
        )
        self.count += len(order)
        self.nodes += count

    def add_line(self, columns: Columns, count: int, first_node: int) -> None:
        """Append the segments of a rope of so many nodes, each a triangle whose last two corners are one node."""
        segments = np.arange(count - 1)
        first = segments[::PATCH]
        owns = np.where(segments == count - 2, 1 + 2 + 8, 1 + 8)  # a corner, or both; the edge between them
        columns.extend(
            {
                c.ClothPatchTopology.first: self.count + first,
                c.ClothPatchTopology.end: self.count + np.minimum(first + PATCH, count - 1),
                c.ClothTriangleTopology.nodes: first_node + np.stack([segments, segments + 1, segments + 1], axis=1),
                c.ClothTriangleTopology.owns: owns,
                c.ClothNodeContact.row: self.nodes + np.arange(count),
                c.ClothNodeContact.owner: self.count + np.minimum(np.arange(count), count - 2),
            }
        )
        self._add_regions(columns, np.minimum(first + PATCH, count - 1) - first)
        segment = ends_of_segments(count)[0]
        columns.extend(
            {
                c.ClothCornerTriangle.triangle: self.count + segment,
                c.ClothCornerTriangle.edges: np.ones_like(segment),
            }
        )
        self.count += count - 1
        self.nodes += count

    def _add_regions(self, columns: Columns, triangles: np.ndarray) -> None:
        """Append regions of a body's patches, those that follow upon each other.

        Args:
            triangles: how many each patch has.
        """
        patches = len(triangles)
        first = np.arange(0, patches, REGION)
        columns.extend(
            {
                c.ClothRegionTopology.first: self.patches + first,
                c.ClothRegionTopology.end: self.patches + np.minimum(first + REGION, patches),
                c.ClothTriangleTopology.region: np.repeat(self.regions + np.arange(patches) // REGION, triangles),
            }
        )
        self.patches += patches
        self.regions += len(first)


def ends_of_segments(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Segments of a rope as its nodes see them, in their order, and the node at the other end of each."""
    node = np.repeat(np.arange(count), 2)[1:-1]
    segment = np.repeat(np.arange(count - 1), 2)
    return segment, 2 * segment + 1 - node


def _patches(mesh: ClothMesh | TetMesh | SurfaceMesh) -> list[np.ndarray]:
    """Numbers of triangles that lie together: halves across the longest side, until they are few."""
    middle = mesh.nodes[mesh.surface].mean(axis=1)
    waiting, done = [np.arange(len(middle))], []
    while waiting:
        some = waiting.pop()
        if len(some) <= PATCH:
            done.append(some)
            continue
        axis = np.argmax(np.ptp(middle[some], axis=0))
        sort = some[np.argsort(middle[some, axis], kind="stable")]
        waiting += [sort[len(sort) // 2 :], sort[: len(sort) // 2]]
    return done
