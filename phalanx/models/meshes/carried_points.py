"""Points that the elements of deformable bodies carry: weighted means of their nodes."""

from __future__ import annotations

import numpy as np

from phalanx.models.meshes.cloth_mesh import ClothMesh
from phalanx.models.meshes.embedded import places
from phalanx.models.meshes.rope_line import RopeLine
from phalanx.models.meshes.tet_mesh import TetMesh

INSIDE = -1e-9
"""Weights of what lies in a tetrahedron, at least."""


def carried_points(points: np.ndarray, mesh: TetMesh | ClothMesh | RopeLine) -> tuple[np.ndarray, np.ndarray]:
    """Where a body carries what is at some points, or nearest to them if they lie outside of it.

    Args:
        points: (k, 3), m, in the frame of the mesh.

    Returns:
        Numbers of nodes (k, 4) and their weights (k, 4), which add to 1 and are not negative. Where fewer than four
        nodes carry a point the rest have a weight of 0.
    """
    if isinstance(mesh, RopeLine):
        ends = np.stack([np.arange(len(mesh.nodes) - 1), np.arange(1, len(mesh.nodes))], axis=1)
        return _padded(*_nearest(points, mesh.nodes, ends))
    if isinstance(mesh, ClothMesh):
        return _padded(*_nearest(points, mesh.nodes, mesh.triangles))
    nodes, weights = places(points, mesh)
    outside = weights.min(axis=1) < INSIDE
    nodes, weights = nodes.copy(), np.maximum(weights, 0.0)
    if outside.any():
        nodes[outside], weights[outside] = _padded(*_nearest(points[outside], mesh.nodes, mesh.surface))
    return nodes, weights / weights.sum(axis=1, keepdims=True)


def _padded(nodes: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    missing = 4 - nodes.shape[1]
    return np.concatenate([nodes, np.repeat(nodes[:, :1], missing, axis=1)], axis=1), np.pad(
        weights, [(0, 0), (0, missing)]
    )


def _nearest(points: np.ndarray, nodes: np.ndarray, elements: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each point the nearest of segments or triangles, and the weights of its nodes in the point next to it."""
    chosen, weights = np.zeros((len(points), elements.shape[1]), np.int64), np.zeros((len(points), elements.shape[1]))
    for n, point in enumerate(points):
        seen = nodes[elements] - point
        shares = _on_segments(seen) if elements.shape[1] == 2 else _on_triangles(seen)
        best = np.argmin(np.linalg.norm(np.einsum("mc,mci->mi", shares, seen), axis=1))
        chosen[n], weights[n] = elements[best], shares[best]
    return chosen, weights


def _on_segments(ends: np.ndarray) -> np.ndarray:
    """(m, 2): weights of the ends (m, 2, 3) in the points nearest to the origin."""
    way = ends[:, 1] - ends[:, 0]
    share = np.clip(-(ends[:, 0] * way).sum(axis=1) / (way**2).sum(axis=1), 0.0, 1.0)
    return np.stack([1 - share, share], axis=1)


def _on_triangles(corners: np.ndarray) -> np.ndarray:
    """(m, 3): weights of the corners (m, 3, 3) in the points nearest to the origin."""
    a, u, v = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    uu, uv, vv, au, av = ((x * y).sum(axis=1) for x, y in ((u, u), (u, v), (v, v), (a, u), (a, v)))
    whole = uu * vv - uv**2
    second, third = (uv * av - vv * au) / whole, (uv * au - uu * av) / whole
    shares = np.stack([1 - second - third, second, third], axis=1)
    outside = np.flatnonzero(shares.min(axis=1) < 0)
    size = np.full(len(outside), np.inf)
    for side in ((0, 1), (1, 2), (2, 0)):
        edge = np.zeros((len(outside), 3))
        edge[:, side] = _on_segments(corners[outside][:, side])
        far = np.linalg.norm(np.einsum("mc,mci->mi", edge, corners[outside]), axis=1)
        shares[outside[far < size]] = edge[far < size]
        size = np.minimum(size, far)
    return shares
