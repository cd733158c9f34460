"""A triangle mesh made ready for rays: its tree and its triangles in the order of the tree's leaves."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.ecs.cache.files import recalled_file
from phalanx.models.meshes.kept_files import mesh_digest
from phalanx.rays.binned_sah import binary_tree
from phalanx.rays.wide_nodes import refit_nodes, wide_tree

LEVELS = 48
"""Most levels of nodes."""

VERSION = 4
"""Of what is kept in files."""

LARGEST = 1e12
"""m: products of three coordinates must not overflow."""

DEEP = 60
"""Levels of the binary tree before items are simply halved."""


@dataclass
class MeshTree:
    """A mesh's tree (:mod:`phalanx.rays.wide_nodes`).

    Attributes:
        nodes: (m, 32) uint32, the root first.
        triangles: (n, 12) float32: three corners, the number of the face in the mesh as int32, two words unused.
        levels: (m,) int32 of the nodes, from the root.
        box: (6,) float32: low x, y, z, high x, y, z of all triangles.
    """

    nodes: np.ndarray
    triangles: np.ndarray
    levels: np.ndarray
    box: np.ndarray

    @property
    def faces(self) -> np.ndarray:
        """(n,) int32: the face of the mesh that each triangle is."""
        return self.triangles.view(np.int32)[:, 9]

    def refit(self, vertices: Any, faces: Any) -> None:
        """Fit the tree to other positions of the same mesh's vertices, in place.

        It stays what it was for the old positions, so rays get slower as the mesh leaves them far behind.

        Args:
            vertices, faces: as for :func:`build_mesh_tree`.

        Raises:
            ValueError: the faces are not as many as the tree's, or as there.
        """
        corners, kept = _corners(vertices, faces)
        order = self.faces
        if len(faces) <= order.max(initial=-1) or len(kept) != len(order) or not np.isin(order, kept).all():
            raise ValueError(
                f"refit: {len(kept)} proper faces, the tree was built for {len(order)}; build a new tree instead"
            )
        place = np.empty(len(faces), np.int64)
        place[kept] = np.arange(len(kept))
        self.triangles[:, :9] = corners[place[order]].reshape(-1, 9)
        refit_nodes(self.nodes, self.triangles)
        self.box[:3], self.box[3:] = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))


def _corners(vertices: Any, faces: Any) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3, 3) float32 of the faces that are finite, and the numbers of those."""
    vertices = np.asarray(vertices, np.float32)
    faces = np.asarray(faces)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError(f"vertices have shape {vertices.shape}; (vertices, 3) is needed")
    if faces.ndim != 2 or faces.shape[1] != 3 or faces.dtype.kind not in "iu":
        raise ValueError(f"faces have shape {faces.shape} and type {faces.dtype}; whole numbers (faces, 3) are needed")
    if len(faces) == 0:
        raise ValueError("a mesh without faces has no tree: leave it out, or look whether its file was read")
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ValueError(f"faces name vertices {faces.min()}..{faces.max()}; there are {len(vertices)}, from 0 on")
    corners = vertices[faces]
    with np.errstate(invalid="ignore", over="ignore"):
        kept = np.flatnonzero((np.abs(corners) < LARGEST).all(axis=(1, 2)))
    if len(kept) == 0:
        raise ValueError("no face has finite coordinates")
    return corners[kept], kept


def build_mesh_tree(vertices: Any, faces: Any, keep_file: bool = False) -> MeshTree:
    """The tree of a mesh; faces with coordinates that are not finite, or of 1e12 m or more, are left out.

    Args:
        vertices: (v, 3), m.
        faces: (n, 3), n > 0, whole numbers of vertices.
        keep_file: whether it is kept in the folder of kernels, about 65 bytes a triangle, for whoever builds it again.

    Raises:
        ValueError: shapes or types do not fit, faces name vertices that are not there, or nothing is left.
    """
    corners, kept = _corners(vertices, faces)
    if not keep_file:
        return _build(corners, kept)
    name = f"ray_tree_{mesh_digest(f'ray tree {VERSION}', corners, kept)}.npz"
    return recalled_file(name, _read, lambda: _build(corners, kept), lambda file, tree: np.savez(file, **vars(tree)))


def _read(path: Path) -> MeshTree:
    with np.load(path) as file:  # which compares checksums
        return MeshTree(**file)


def _build(corners: np.ndarray, kept: np.ndarray) -> MeshTree:
    box = np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)
    for deep in (DEEP, 0):
        items = box.copy()
        nodes, links, order = binary_tree(items, 1, deep)
        words, places, levels = wide_tree(nodes, links)
        if levels.max() < LEVELS:  # else halves, which are as even as can be
            break
    source = order[places]
    triangles = np.zeros((len(source), 12), np.float32)
    triangles[:, :9] = corners[source].reshape(-1, 9)
    triangles.view(np.int32)[:, 9] = kept[source]
    bounds = np.concatenate([box[:, :3].min(axis=0), box[:, 3:].max(axis=0)])
    return MeshTree(words, triangles, levels, bounds)
