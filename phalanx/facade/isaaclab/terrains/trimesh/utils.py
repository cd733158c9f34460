"""Meshes that sub-terrains are made of.

Terraces and columns are surfaces without insides: where two boxes would stand side by side, nothing is between them
that feet could catch on, and they have a third of the triangles. Random numbers are NumPy's global ones, which scripts
and generators of terrains seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import trimesh

Place = Sequence[float]


def make_plane(size: tuple[float, float], height: float, center_zero: bool = True) -> trimesh.Trimesh:
    """A level rectangle of two triangles, facing up.

    Args:
        size: along x and y, m.
        height: m.
        center_zero: whether its middle is at x = y = 0, else its corner.
    """
    x, y = size
    corners = np.array([[0.0, 0.0, height], [x, 0.0, height], [x, y, height], [0.0, y, height]])
    if center_zero:
        corners[:, :2] -= 0.5 * np.array(size)
    return _mesh(corners, [[0, 1, 2], [0, 2, 3]])


def make_border(
    size: tuple[float, float], inner_size: tuple[float, float], height: float, position: tuple[float, float, float]
) -> list[trimesh.Trimesh]:
    """A frame: a box with a hole through it from above.

    Args:
        size: of the box along x and y, m.
        inner_size: of the hole, m.
        height: of the box, m.
        position: of its middle, m.

    Returns:
        A list of one mesh.
    """
    outer, inner = _square(size), _square(inner_size)
    points = [np.column_stack([ring, np.full(4, z)]) for z in (-0.5 * height, 0.5 * height) for ring in (outer, inner)]
    faces = []
    for k in range(4):
        n = (k + 1) % 4
        # corners 0..3 of the bottom's outer ring, 4..7 its inner, 8..11 the top's outer, 12..15 its inner
        for a, b, c, d in (
            (8 + k, 8 + n, 12 + n, 12 + k),
            (k, 4 + k, 4 + n, n),
            (k, n, 8 + n, 8 + k),
            (4 + n, 4 + k, 12 + k, 12 + n),
        ):
            faces += [[a, b, c], [a, c, d]]
    return [_mesh(np.concatenate(points) + np.asarray(position, float), faces)]


def make_box(
    length: float, width: float, height: float, center: Place, max_yx_angle: float = 0.0, degrees: bool = True
) -> trimesh.Trimesh:
    """A box, turned at random.

    Args:
        length, width, height: along x, y and z, m.
        center: of its middle (3,), m.
        max_yx_angle: it is turned about y, then about x, by angles from 0 to this.
        degrees: whether that is in degrees, else in rad.
    """
    import trimesh

    made = trimesh.creation.box((length, width, height))
    made.apply_transform(_tilt(center, max_yx_angle, degrees))
    return made


def make_cylinder(
    radius: float, height: float, center: Place, max_yx_angle: float = 0.0, degrees: bool = True
) -> trimesh.Trimesh:
    """A prism of four to six sides with its corners on a circle, its middle at ``center``; else as :func:`make_box`."""
    import trimesh

    sides = np.random.randint(4, 7)
    made = trimesh.creation.cylinder(radius, height, sections=int(sides))
    made.apply_transform(_tilt(center, max_yx_angle, degrees))
    return made


def make_cone(
    radius: float, height: float, center: Place, max_yx_angle: float = 0.0, degrees: bool = True
) -> trimesh.Trimesh:
    """A pyramid of four to six sides with its corners on a circle about ``center``; else as :func:`make_box`."""
    import trimesh

    sides = np.random.randint(4, 7)
    made = trimesh.creation.cone(radius, height, sections=int(sides))
    made.apply_transform(_tilt(center, max_yx_angle, degrees))
    return made


def make_terraces(center: Place, sizes: Sequence[tuple[float, float]], levels: Sequence[float]) -> trimesh.Trimesh:
    """Level rectangles within each other, with vertical steps between them.

    Args:
        center: of all of them (2,), m.
        sizes: along x and y, the outermost first, m. Of two that are equal the outer one is only an edge.
        levels: the height between each rectangle and the next one, and within the last, m.
    """
    points, faces, count = [], [], 0
    rings = [_square(size) for size in sizes]

    def band(outer: np.ndarray, high: float, inner: np.ndarray, low: float) -> None:
        nonlocal count
        points.append(np.column_stack([outer, np.full(4, high)]))
        points.append(np.column_stack([inner, np.full(4, low)]))
        for k in range(4):
            a, b = count + k, count + (k + 1) % 4
            faces.extend([[a, b, b + 4], [a, b + 4, a + 4]])
        count += 8

    for k, ring in enumerate(rings[:-1]):
        if not np.array_equal(ring, rings[k + 1]):
            band(ring, levels[k], rings[k + 1], levels[k])
        if levels[k] != levels[k + 1]:
            band(rings[k + 1], levels[k], rings[k + 1], levels[k + 1])
    points.append(np.column_stack([rings[-1], np.full(4, levels[-1])]))
    faces += [[count, count + 1, count + 2], [count, count + 2, count + 3]]
    return _mesh(np.concatenate(points) + np.array([center[0], center[1], 0.0]), faces)


def make_columns(
    x: np.ndarray,
    y: np.ndarray,
    heights: np.ndarray,
    outside: float,
    holes: np.ndarray | None = None,
    depth: float = 1.0,
) -> trimesh.Trimesh:
    """Level cells of a grid, with vertical walls between those of different heights.

    Args:
        x: (nx + 1,), edges of cells along x, m.
        y: (ny + 1,), edges along y, m.
        heights: (nx, ny), m.
        outside: height around the grid, to which walls reach, m.
        holes: (nx, ny), cells without a floor; walls around them reach down to ``-depth``.
        depth: m.
    """
    nx, ny = heights.shape
    holes = np.zeros((nx, ny), bool) if holes is None else holes
    level = np.pad(np.where(holes, -depth, heights), 1, constant_values=outside)
    i, j = np.nonzero(~holes)
    quads = [_quads((x[i], y[j]), (x[i + 1], y[j]), (x[i + 1], y[j + 1]), (x[i], y[j + 1]), level[i + 1, j + 1])]
    for along_x in (True, False):
        before = level[:-1, 1:-1] if along_x else level[1:-1, :-1].T
        after = level[1:, 1:-1] if along_x else level[1:-1, 1:].T
        edges, across = (x, y) if along_x else (y, x)
        k, m = np.nonzero(before != after)
        high, low = np.maximum(before, after)[k, m], np.minimum(before, after)[k, m]
        # Seen from the lower side, counter-clockwise; walls across y are the mirror image of those across x.
        forward = (before > after)[k, m] == along_x
        start, end = np.where(forward, across[m], across[m + 1]), np.where(forward, across[m + 1], across[m])
        at = edges[k]
        ends = [(at, start), (at, end)] if along_x else [(start, at), (end, at)]
        (ax, ay), (bx, by) = ends
        lower = [np.column_stack([ax, ay, low]), np.column_stack([bx, by, low])]
        upper = [np.column_stack([bx, by, high]), np.column_stack([ax, ay, high])]
        quads.append(np.stack([*lower, *upper], axis=1))
    corners = np.concatenate(quads)
    first = 4 * np.arange(len(corners))[:, None]
    return _mesh(corners.reshape(-1, 3), np.concatenate([first + [0, 1, 2], first + [0, 2, 3]]))


def join(meshes: Sequence[trimesh.Trimesh]) -> trimesh.Trimesh:
    """One mesh of several, without their looks; trimesh's own function takes seconds for hundreds."""
    import trimesh

    counts = [len(mesh.vertices) for mesh in meshes]
    starts = np.cumsum(counts) - counts
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    faces = np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)])
    return trimesh.Trimesh(vertices, faces, process=False)


def _quads(*corners: tuple[np.ndarray, np.ndarray] | np.ndarray) -> np.ndarray:
    """(n, 4, 3): level rectangles from the x and y of four corners, and their heights."""
    *places, z = corners
    return np.stack([np.column_stack([px, py, z]) for px, py in places], axis=1)


def _square(size: tuple[float, float]) -> np.ndarray:
    """(4, 2): the corners of a rectangle about the origin, counter-clockwise."""
    return 0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.asarray(size, float)


def _tilt(center: Place, max_yx_angle: float, degrees: bool) -> np.ndarray:
    """(4, 4): a place, and a rotation about y and x by random angles."""
    most = math.radians(max_yx_angle) if degrees else max_yx_angle
    found = np.eye(4)
    if most:
        from scipy.spatial.transform import Rotation

        angles = np.random.uniform(0.0, most, 2)
        found[:3, :3] = Rotation.from_euler("yx", angles).as_matrix()
    found[:3, 3] = center
    return found


def _mesh(vertices: np.ndarray, faces: Sequence[Sequence[int]] | np.ndarray) -> trimesh.Trimesh:
    """Triangles; corners in the same place become one."""
    import trimesh

    made = trimesh.Trimesh(vertices, np.asarray(faces), process=False)
    made.merge_vertices()
    return made


__all__ = [
    "join",
    "make_border",
    "make_box",
    "make_columns",
    "make_cone",
    "make_cylinder",
    "make_plane",
    "make_terraces",
]
