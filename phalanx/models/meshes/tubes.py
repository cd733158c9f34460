"""Tubes around lines of nodes, to draw ropes with."""

from __future__ import annotations

import numpy as np

SIDES = 8
"""Corners of a cross-section."""


def tube_faces(nodes: int) -> np.ndarray:
    """(m, 3): triangles of a tube around a line of so many nodes, of vertices in the order of :func:`tube_vertices`."""
    ring, corner = np.divmod(np.arange((nodes - 1) * SIDES), SIDES)
    a, b = ring * SIDES + corner, ring * SIDES + (corner + 1) % SIDES
    return np.concatenate([np.stack([a, b, b + SIDES], axis=1), np.stack([a, b + SIDES, a + SIDES], axis=1)])


def tube_vertices(lines: np.ndarray, radius: float) -> np.ndarray:
    """(k, SIDES * nodes, 3): rings around the nodes of lines (k, nodes, 3).

    Each lies across its line, and is turned against the one before as little as can be.
    """
    edges = np.diff(lines, axis=1)
    along = np.concatenate([edges[:, :1], edges[:, 1:] + edges[:, :-1], edges[:, -1:]], axis=1)
    along = _unit(along)
    least = np.eye(3)[np.argmin(np.abs(along[:, 0]), axis=1)]
    across = np.empty_like(along)
    side = least
    for n in range(lines.shape[1]):
        side = _unit(side - (side * along[:, n]).sum(axis=1, keepdims=True) * along[:, n])
        across[:, n] = side
    up = np.cross(along, across)
    angle = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)[:, None]
    ring = np.cos(angle) * across[:, :, None] + np.sin(angle) * up[:, :, None]
    return (lines[:, :, None] + radius * ring).reshape(len(lines), -1, 3)


def _unit(vectors: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.maximum(size, 1e-12)
