"""Balls around points, to draw particles with."""

from __future__ import annotations

import numpy as np

ROUND = 5000
"""Particles up to which balls are icosahedra; more are octahedra."""

_GOLDEN = (1 + 5**0.5) / 2
_ICOSAHEDRON = np.array(
    [[0, a, b * _GOLDEN] for a in (-1, 1) for b in (-1, 1)]
    + [[a, b * _GOLDEN, 0] for a in (-1, 1) for b in (-1, 1)]
    + [[b * _GOLDEN, 0, a] for a in (-1, 1) for b in (-1, 1)]
) / np.sqrt(1 + _GOLDEN**2)
_OCTAHEDRON = np.concatenate([np.eye(3), -np.eye(3)])


def _faces(corners: np.ndarray) -> np.ndarray:
    """(m, 3): triangles between corners that are next to each other, with normals outwards."""
    apart = np.linalg.norm(corners[:, None] - corners[None], axis=-1)
    near = np.abs(apart - apart[apart > 0].min()) < 1e-6
    count = len(corners)
    found = []
    for a in range(count):
        for b in range(a + 1, count):
            for d in range(b + 1, count):
                if near[a, b] and near[b, d] and near[a, d]:
                    out = np.cross(corners[b] - corners[a], corners[d] - corners[a]) @ corners[a] > 0
                    found.append((a, b, d) if out else (a, d, b))
    return np.array(found)


def _ball(count: int) -> np.ndarray:
    return _ICOSAHEDRON if count <= ROUND else _OCTAHEDRON


def ball_faces(count: int) -> np.ndarray:
    """(m, 3): triangles of so many balls, of vertices in the order of :func:`ball_vertices`."""
    corners = _ball(count)
    return (_faces(corners) + len(corners) * np.arange(count)[:, None, None]).reshape(-1, 3)


def ball_vertices(points: np.ndarray, radius: float) -> np.ndarray:
    """(k, corners * count, 3): corners of the balls about points (k, count, 3)."""
    ball = radius * _ball(points.shape[1])
    return (points[:, :, None] + ball.astype(points.dtype)).reshape(len(points), -1, 3)
