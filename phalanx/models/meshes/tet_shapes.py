"""Tetrahedral meshes of boxes, spheres, capsules, cylinders and cones, of about the same resolution in all directions.

Round shapes are mapped from polyhedra: a few large tetrahedra or prisms are cut evenly, and layer by layer the points
are moved outwards to where the round shape has that layer.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.robot_model import Shape

_KUHN = ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
"""Orders of axes: a cube's six tetrahedra go along its edges in these from one corner to the opposite one."""

_EVEN = ((0, 4, 2, 1), (3, 1, 2, 7), (5, 1, 4, 7), (6, 4, 2, 7), (1, 2, 4, 7))
_ODD = ((1, 0, 3, 5), (2, 0, 6, 3), (4, 0, 5, 6), (7, 3, 5, 6), (0, 3, 5, 6))
"""A cube's five tetrahedra, corners 4 x + 2 y + z; neighbours take turns, so that diagonals of faces agree."""


MOST = 10_000_000
"""Tetrahedra of a shape: a world with more does not fit anywhere."""


def tet_shape(shape: Shape, resolution: int) -> TetMesh:
    """A primitive in its own frame, as :class:`phalanx.Shape` says.

    Args:
        shape: a box, sphere, capsule, cylinder or cone; its pose is not looked at.
        resolution: number of elements along its longest side, at least 1.

    Raises:
        LoadError: it is another shape.
        ValueError: the resolution is no whole number, less than 1, or makes more than ``MOST`` tetrahedra.
    """
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer) or resolution < 1:
        raise ValueError(f"resolution={resolution!r}: must be a whole number of elements, at least 1")
    makers: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
        "box": _box,
        "sphere": _sphere,
        "capsule": _capsule,
        "cylinder": _cylinder,
        "cone": _cone,
    }
    if shape.kind not in makers:
        raise LoadError(
            f"shape {shape.name or shape.kind!r}: there are no tetrahedra of a {shape.kind}; use a "
            f"{', '.join(makers)}, or a mesh"
        )
    sides = [float(s) for s in shape.size] + [float(shape.size[0])] * (3 - len(shape.size))
    about = 5 * math.prod(max(int(resolution) * side / max(sides), 1.0) for side in sides)
    if about > MOST:
        raise ValueError(
            f"resolution={resolution}: makes about {about:.2g} tetrahedra, more than {MOST:,}; take a coarser one"
        )
    nodes, tets = makers[shape.kind](*(float(s) for s in shape.size), count=int(resolution))
    nodes, tets = _merged(nodes, tets)
    return TetMesh(nodes, tets, shape.name or f"{shape.kind} of resolution {resolution}")


def _merged(nodes: np.ndarray, tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points at the same place are one."""
    size = np.abs(nodes).max()
    _, first, index = np.unique(np.round(nodes / size * 1e9), axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return nodes[first[order]], rank[index.ravel()][tets]


def _box(x: float, y: float, z: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    cell = 2 * max(x, y, z) / count
    counts = [max(1, round(2 * s / cell)) for s in (x, y, z)]
    axes = [np.linspace(-s, s, n + 1) for s, n in zip((x, y, z), counts, strict=True)]
    nodes = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    i, j, k = (a.ravel() for a in np.meshgrid(*map(np.arange, counts), indexing="ij"))

    def node(a: int, b: int, c: int) -> np.ndarray:
        return ((i + a) * (counts[1] + 1) + j + b) * (counts[2] + 1) + k + c

    corners = np.stack([node(n >> 2, n >> 1 & 1, n & 1) for n in range(8)], axis=1)
    odd = ((i + j + k) % 2).astype(bool)
    found = [corners[odd == flag][:, list(cut)] for flag, cuts in ((False, _EVEN), (True, _ODD)) for cut in cuts]
    return nodes, np.concatenate(found)


def _cut_tet(corners: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A tetrahedron cut into count^3, with the barycentric coordinates of the points: those of cubes cut by Kuhn.

    In coordinates n >= x >= y >= z >= 0 a tetrahedron is a sixth of a cube of n^3.
    """
    points = [(x, y, z) for x in range(count + 1) for y in range(x + 1) for z in range(y + 1)]
    number = {point: n for n, point in enumerate(points)}
    tets = []
    for x in range(count):
        for y in range(x + 1):
            for z in range(y + 1):
                for order in _KUHN:
                    at = [x, y, z]
                    path = [(x, y, z)]
                    for axis in order:
                        at[axis] += 1
                        path.append((at[0], at[1], at[2]))
                    if all(point in number for point in path):
                        tets.append([number[point] for point in path])
    x, y, z = np.array(points, float).T / count
    shares = np.stack([1 - x, x - y, y - z, z], axis=1)
    return shares @ corners, np.array(tets)


def _star(apex: np.ndarray, faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Tetrahedra from an apex to triangles (n, 3, 3), all cut."""
    nodes, tets = [], []
    for face in faces:
        points, found = _cut_tet(np.stack([apex, *face]), count)
        tets.append(found + sum(map(len, nodes)))
        nodes.append(points)
    return np.concatenate(nodes), np.concatenate(tets)


def _on_circles(points: np.ndarray, sides: int) -> np.ndarray:
    """Points of a regular polygon of radius 1, moved outwards so that its rings are circles."""
    angle = np.arctan2(points[:, 1], points[:, 0])
    within = np.mod(angle, 2 * math.pi / sides) - math.pi / sides
    radius = np.hypot(points[:, 0], points[:, 1])
    ring = radius * np.cos(within) / math.cos(math.pi / sides)  # of the polygon that it is on
    scale = np.where(radius > 0, ring / np.where(radius > 0, radius, 1), 0)
    return points[:, :2] * scale[:, None]


def _on_spheres(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Points between the origin and triangles (n, 3, 3), moved outwards so that their layers are spheres."""
    normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
    levels = (normals * faces[:, 0]).sum(axis=1)
    layer = (points @ normals.T / levels).max(axis=1)
    length = np.linalg.norm(points, axis=1)
    return points * np.where(length > 0, layer / np.where(length > 0, length, 1), 0)[:, None]


def _sphere(radius: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    golden = (1 + math.sqrt(5)) / 2
    corners = np.array([(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)])
    corners = np.concatenate([np.roll(corners, k, axis=1) for k in range(3)])
    faces = [
        (a, b, c)
        for a in range(12)
        for b in range(a)
        for c in range(b)
        if all(np.linalg.norm(corners[p] - corners[q]) < 2.1 for p, q in ((a, b), (b, c), (c, a)))
    ]
    triangles = corners[np.array(faces)] / np.linalg.norm(corners[0])
    rings = max(1, round(count / 2))
    nodes, tets = _star(np.zeros(3), triangles, rings)
    return radius * _on_spheres(nodes, triangles), tets


def _disc(rings: int) -> tuple[np.ndarray, np.ndarray]:
    """A disc of radius 1, as triangles, on circles."""
    nodes: list[np.ndarray] = []
    triangles: list[np.ndarray] = []
    for side in range(6):
        a, b = (np.array([math.cos(t), math.sin(t)]) for t in (side * math.pi / 3, (side + 1) * math.pi / 3))
        points = [(i, j) for i in range(rings + 1) for j in range(i + 1)]
        number = {point: n for n, point in enumerate(points)}
        found = [(number[i, j], number[i + 1, j], number[i + 1, j + 1]) for i in range(rings) for j in range(i + 1)]
        found += [(number[i, j], number[i + 1, j + 1], number[i, j + 1]) for i in range(rings) for j in range(i)]
        triangles.append(np.array(found) + sum(map(len, nodes)))
        nodes.append(np.array([((i - j) * a + j * b) / rings for i, j in points]))
    points, faces = np.concatenate(nodes), np.concatenate(triangles)
    points, faces = _merged(np.column_stack([points, np.zeros(len(points))]), faces)
    return _on_circles(points, 6), faces


def _prisms(triangles: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Prisms between two copies of triangles, cut into three by the order of their numbers, so that sides agree."""
    found = []
    for triangle in np.sort(triangles, axis=1):
        a, b, c = triangle
        found += [
            (low[a], low[b], low[c], high[c]),
            (low[a], low[b], high[b], high[c]),
            (low[a], high[a], high[b], high[c]),
        ]
    return np.array(found)


def _layers(disc: np.ndarray, triangles: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = len(disc)
    nodes = np.concatenate([np.column_stack([disc, np.full(size, z)]) for z in heights])
    rows = [np.arange(size) + n * size for n in range(len(heights))]
    tets = [_prisms(triangles, a, b) for a, b in pairwise(rows)]
    return nodes, np.concatenate(tets)


def _cylinder(radius: float, half: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    cell = 2 * max(radius, half) / count
    disc, triangles = _disc(max(1, round(radius / cell)))
    return _layers(radius * disc, triangles, np.linspace(-half, half, max(1, round(2 * half / cell)) + 1))


def _cone(radius: float, half: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    cell = 2 * max(radius, half) / count
    rim = [np.array([math.cos(t), math.sin(t), -1.0]) for t in np.arange(7) * math.pi / 3]
    base = np.array([0.0, 0.0, -1.0])
    faces = np.stack([(base, a, b) for a, b in pairwise(rim)])
    nodes, tets = _star(np.array([0.0, 0.0, 1.0]), faces, max(1, round(max(radius, 2 * half) / cell)))
    share = (1 - nodes[:, 2:]) / 2  # of the base's radius
    flat = np.where(share > 0, nodes[:, :2] / np.where(share > 0, share, 1), 0)
    round_ = _on_circles(flat, 6)
    return np.column_stack([radius * share * round_, half * nodes[:, 2]]), tets


def _capsule(radius: float, half: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """A cylinder between two half balls, which come from pyramids on the same six-sided disc."""
    cell = 2 * (radius + half) / count
    rings = max(1, round(radius / cell))
    disc, triangles = _disc(rings)
    middle, tets = _layers(radius * disc, triangles, np.linspace(-half, half, max(1, round(2 * half / cell)) + 1))
    rim = [np.array([math.cos(t), math.sin(t), 0.0]) for t in np.arange(7) * math.pi / 3]
    top = np.array([0.0, 0.0, 1.0])
    faces = np.stack([(a, b, top) for a, b in pairwise(rim)])
    cap, found = _star(np.zeros(3), faces, rings)
    cap = radius * _on_spheres(cap, faces)
    over, under = cap + half * top, cap * (1, 1, -1) - half * top
    nodes = np.concatenate([middle, over, under])
    return nodes, np.concatenate([tets, found + len(middle), found + len(middle) + len(cap)])
