"""Triangle meshes whose vertices are elsewhere in each environment: soft bodies and cloth.

All environments have the tree that was built for the first positions, fitted anew to where their vertices are. Fitting
works on the host: a mesh of 1,000 triangles takes about 0.3 ms an environment, and on a GPU the copy to it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.rays.mesh_tree import LARGEST, MeshTree
from phalanx.rays.wide_nodes import CHILD, TRIANGLE, refit_nodes


class SoftMesh:
    """A mesh of a scene, in every environment; made by :meth:`~.scene.RayScene.add_soft`.

    Attributes:
        number: of its instance in the scene.
        tree: for the positions that it was built for.
        bounds: (num_envs, 6) float32: low x, y, z, high x, y, z; NaN where rays are to miss it.
    """

    def __init__(self, number: int, tree: MeshTree, faces: np.ndarray, num_envs: int) -> None:
        self.number, self.tree, self.num_envs = number, tree, num_envs
        self.bounds = np.tile(tree.box.astype(np.float32), (num_envs, 1))
        self.nodes = np.tile(tree.nodes, (num_envs, 1))
        self.triangles = np.tile(tree.triangles, (num_envs, 1))
        self._corners = np.asarray(faces)[tree.faces]
        self._first: tuple[int, int] | None = None

    def put(self, nodes: int, triangles: int) -> None:
        """Number nodes and triangles from these on; those of environments follow one another."""
        own, each = self.nodes.reshape(self.num_envs, -1, self.nodes.shape[1]), len(self.tree.nodes)
        of = len(self.tree.triangles)
        for e in range(self.num_envs):
            own[e, :, CHILD] = self.tree.nodes[:, CHILD] + np.uint32(nodes + e * each)
            own[e, :, TRIANGLE] = self.tree.nodes[:, TRIANGLE] + np.uint32(triangles + e * of)

    def fit(self, vertices: Any) -> None:
        """Put vertices, (num_envs, v, 3), m, world; environments where they are not finite are missed."""
        vertices = np.ascontiguousarray(vertices, np.float32)
        each, of = len(self.tree.nodes), len(self.tree.triangles)
        work = self.tree.nodes.copy()
        for e, own in enumerate(vertices):
            if not (np.abs(own) < LARGEST).all():
                self.bounds[e] = np.nan
                continue
            triangles = self.triangles[e * of : (e + 1) * of]
            triangles[:, :9] = own[self._corners].reshape(-1, 9)
            refit_nodes(work, triangles)
            nodes = self.nodes[e * each : (e + 1) * each]
            nodes[:, :CHILD] = work[:, :CHILD]
            nodes[:, TRIANGLE + 1 :] = work[:, TRIANGLE + 1 :]
            corners = triangles[:, :9].reshape(-1, 3)
            self.bounds[e, :3], self.bounds[e, 3:] = corners.min(axis=0), corners.max(axis=0)
