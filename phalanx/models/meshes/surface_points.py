"""Points spread over the surface of a mesh: its vertices, then points along its edges and over its faces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.models.meshes.bounding_tree import BoundingTree, bounding_tree
from phalanx.models.meshes.mesh_files import area_vectors

SLACK = 0.6
"""rad; contact normals may lie so far outside of the cone of normals of the faces that meet at a point."""

MANY = 8
"""From so many times more points than wanted on not all of them are looked at."""

_HALVINGS = 40


@dataclass
class SurfacePoints:
    """Points (n, 3) in metres, with the outward unit ``normals`` (n, 3) of the surface there.

    A normal of something that touches a point from outside makes with the point's own a cosine of at most ``limits``
    (n,): -1 plus a little on a face, more at edges and corners. The points are in the order of the leaves of ``tree``.
    """

    points: np.ndarray
    normals: np.ndarray
    limits: np.ndarray
    tree: BoundingTree


def surface_points(vertices: np.ndarray, faces: np.ndarray, most: int, spacing: float) -> SurfacePoints:
    """Points of a closed mesh of triangles (m, 3) with area, counter-clockwise seen from outside.

    Args:
        most: no more points than this; of more vertices so many are chosen, one after the other, each the farthest from
            those chosen before.
        spacing: m; points on edges and faces need not be nearer to each other than this.
    """
    corners = vertices[faces]
    normals = area_vectors(corners)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    used = np.unique(faces)
    if len(used) >= most:
        at, outward, reach = _at_vertices(vertices, faces, normals, used)
        chosen = far_apart(at, most)
        found = [(at[chosen], outward[chosen], reach[chosen])]
    else:
        edges = _edges(faces)
        room = most - len(used)
        step = max(spacing, _spacing(corners, vertices[edges[0]], room))
        found = [
            _at_vertices(vertices, faces, normals, used),
            _on_edges(vertices, edges, normals, step),
            _on_faces(corners, normals, step),
        ]
    points, outward, reach = (np.concatenate(parts) for parts in zip(*found, strict=True))
    tree = bounding_tree(points, points)
    limits = -np.cos(np.minimum(reach + SLACK, np.pi))
    return SurfacePoints(points[tree.order], outward[tree.order], limits[tree.order], tree)


_Parts = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Places, outward normals, and the angle (rad) between those and the farthest of the faces' normals."""


def _at_vertices(vertices: np.ndarray, faces: np.ndarray, normals: np.ndarray, used: np.ndarray) -> _Parts:
    """Vertices, their normals weighted by the faces' angles."""
    sides = vertices[np.roll(faces, -1, axis=1)] - vertices[faces]
    sides = sides / np.linalg.norm(sides, axis=2)[..., None]
    angles = np.arccos(np.clip(-np.einsum("tki,tki->tk", sides, np.roll(sides, 1, axis=1)), -1.0, 1.0))
    total = np.zeros((len(vertices), 3))
    np.add.at(total, faces, angles[..., None] * normals[:, None])
    length = np.linalg.norm(total, axis=1)
    total /= np.maximum(length, 1e-12)[:, None]
    cosine = np.einsum("tki,ti->tk", total[faces], normals)
    least = np.ones(len(vertices))
    np.minimum.at(least, faces, cosine)
    least[length < 1e-6] = -1.0  # nothing is known of a vertex that faces all ways
    return vertices[used], total[used], np.arccos(np.clip(least[used], -1.0, 1.0))


def _edges(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ends (n, 2) of the edges, and the two faces (n, 2) that meet there: of more than two some two."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    code = (np.minimum(start, end) << 32) + np.maximum(start, end)
    order = np.argsort(code, kind="stable")
    _, first, count = np.unique(code[order], return_index=True, return_counts=True)
    one, other = order[first], order[first + count - 1]
    return np.stack([start[one], end[one]], axis=1), np.stack([one // 3, other // 3], axis=1)


def _spacing(corners: np.ndarray, ends: np.ndarray, room: int) -> float:
    """The least spacing (m) that leaves ``room`` for points on edges and faces."""
    lengths = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    base, height = _base_and_height(corners)
    wide = float(lengths.max()) + 1e-12
    low, high = 0.0, wide

    def count(step: float) -> float:
        rows = np.maximum(np.ceil(height / step) - 1.0, 0.0)
        return float((np.ceil(lengths / step) - 1.0).sum() + (rows * np.maximum(0.5 * base / step, 1.0)).sum())

    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if count(middle) <= room else (middle, high)
    return high


def _base_and_height(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of each triangle the longest side, and the height over it."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    base = sides.max(axis=1)
    double = np.linalg.norm(area_vectors(corners), axis=1)
    return base, double / base


def _on_edges(vertices: np.ndarray, edges: tuple[np.ndarray, np.ndarray], normals: np.ndarray, step: float) -> _Parts:
    ends, sides = edges
    start, along = vertices[ends[:, 0]], vertices[ends[:, 1]] - vertices[ends[:, 0]]
    parts = np.ceil(np.linalg.norm(along, axis=1) / step).astype(int)
    edge = np.repeat(np.arange(len(ends)), parts - 1)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(parts - 1) - (parts - 1), parts - 1) + 1
    both = normals[sides[:, 0]] + normals[sides[:, 1]]
    length = np.linalg.norm(both, axis=1)
    outward = np.where(length[:, None] > 1e-6, both / np.maximum(length, 1e-12)[:, None], normals[sides[:, 0]])
    reach = np.where(length > 1e-6, np.arccos(np.clip(0.5 * length, 0.0, 1.0)), np.pi)
    return start[edge] + along[edge] * (number / parts[edge])[:, None], outward[edge], reach[edge]


def _on_faces(corners: np.ndarray, normals: np.ndarray, step: float) -> _Parts:
    """In rows along the longest side."""
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    first = sides.argmax(axis=1)
    at = np.arange(len(corners))
    a, b, c = (corners[at, (first + k) % 3] for k in range(3))
    _, height = _base_and_height(corners)
    points, owner = [np.empty((0, 3))], [np.empty(0, int)]
    for t in np.flatnonzero(height > step):
        rows = int(np.ceil(height[t] / step))
        for row in range(1, rows):
            left, right = a[t] + (c[t] - a[t]) * (row / rows), b[t] + (c[t] - b[t]) * (row / rows)
            columns = int(np.ceil(np.linalg.norm(right - left) / step))
            share = np.arange(1, columns)[:, None] / max(columns, 1)
            points.append(left + (right - left) * share)
            owner.append(np.full(len(share), t))
    face = np.concatenate(owner)
    return np.concatenate(points), normals[face], np.zeros(len(face))


def far_apart(points: np.ndarray, most: int) -> np.ndarray:
    """Numbers of ``most`` points, one after the other the farthest from those before; the first is an extreme one.

    Of very many points only one in each cube of a grid is looked at.
    """
    kept = np.arange(len(points))
    if len(points) > MANY * most:
        cells = int((MANY * most) ** 0.5)  # a surface passes through about two or three times the square of this
        places = np.floor((points - points.min(axis=0)) * (cells / np.ptp(points, axis=0).max())).astype(np.int64)
        _, first = np.unique(places @ np.array([4 * cells**2, 2 * cells, 1]), return_index=True)
        kept = np.sort(first) if len(first) > most else kept[:: len(points) // (MANY * most) + 1]
    x, y, z = (np.ascontiguousarray(points[kept, k]) for k in range(3))

    def squares(n: int) -> np.ndarray:
        return (x - x[n]) ** 2 + (y - y[n]) ** 2 + (z - z[n]) ** 2

    chosen = np.empty(most, int)
    chosen[0] = ((x - x.mean()) ** 2 + (y - y.mean()) ** 2 + (z - z.mean()) ** 2).argmax()
    near = squares(chosen[0])
    for n in range(1, most):
        chosen[n] = near.argmax()
        np.minimum(near, squares(chosen[n]), out=near)
    return np.sort(kept[chosen])
