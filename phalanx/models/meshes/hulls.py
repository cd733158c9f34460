"""Convex hulls as the engine collides them: few vertices, and faces that are whole polygons.

The hull's corners come from :func:`phalanx.models.meshes.mesh_files.convex_hull`, which gives triangles. Here those
that lie in one plane become one polygon, since contact between faces is found by clipping polygons: the side of a box
that is two triangles would be seen as two small faces.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.models.meshes.mesh_files import area_vectors, convex_hull

VERTICES = 64
"""Most vertices of a hull."""

FLATNESS = 2e-5
"""Triangles are merged into a polygon when their corners lie within this part of the hull's longest side of its plane.
"""


@dataclass
class Hull:
    """A convex polyhedron, or a two-sided convex polygon.

    ``centre`` (3,) is where the hull's origin, the mean of its vertices, is in the frame that the vertices were given
    in; ``vertices`` (n, 3) are about that origin, in the axes of that frame. ``faces`` are polygons as indices of
    vertices, counter-clockwise seen from outside; ``normals`` (f, 3) are their outward unit normals and ``offsets``
    (f,) the distances of their planes from the origin: ``normals @ v <= offsets`` for every vertex v. Metres.
    """

    centre: np.ndarray
    vertices: np.ndarray
    faces: list[np.ndarray]
    normals: np.ndarray
    offsets: np.ndarray

    @property
    def triangles(self) -> np.ndarray:
        """The faces cut into triangles (k, 3), counter-clockwise seen from outside."""
        return np.array([(face[0], face[i], face[i + 1]) for face in self.faces for i in range(1, len(face) - 1)])


def hull(vertices: np.ndarray, limit: int = VERTICES) -> Hull:
    """The convex hull of points (n, 3), with at most ``limit`` vertices, which are among the given points.

    Points in a plane give a polygon with two sides. The same points in any order give the same hull.

    Raises:
        ValueError: there are no points, they are not finite, or they lie on a line.
    """
    corners, triangles = convex_hull(vertices, limit)
    if not len(triangles):
        raise ValueError("the points lie on a line or in one place, so they have no hull; use a capsule or a sphere.")
    if any(set(triangle) == set(triangles[0]) for triangle in triangles[1:]):  # two-sided, corners in order
        ring = list(range(len(corners)))
        loops = [ring, ring[::-1]]
    else:
        tolerance = FLATNESS * float(np.ptp(corners, axis=0).max())
        loops = _without_straight_corners(_polygons(corners, triangles, tolerance))
    used, flat = np.unique(np.concatenate(loops), return_inverse=True)
    ends = np.cumsum([len(loop) for loop in loops])
    faces = [part.astype(np.int64) for part in np.split(flat, ends[:-1])]
    centre = corners[used].mean(axis=0)
    kept = corners[used] - centre
    normals = np.array([_normal(kept[face]) for face in faces])
    return Hull(centre, kept, faces, normals, (normals @ kept.T).max(axis=1))


def _normal(loop: np.ndarray) -> np.ndarray:
    """Unit normal of a polygon (n, 3) that is nearly flat, by Newell's method."""
    centred = loop - loop.mean(axis=0)
    area = np.cross(centred, np.roll(centred, -1, axis=0)).sum(axis=0)
    return area / np.linalg.norm(area)


def _polygons(points: np.ndarray, triangles: np.ndarray, tolerance: float) -> list[list[int]]:
    """Loops of vertices: from the largest triangle on, each takes in its neighbours that lie in its plane."""
    areas = area_vectors(points[triangles])
    sizes = np.linalg.norm(areas, axis=1)
    normals = areas / np.maximum(sizes, np.finfo(float).tiny)[:, None]
    edges = {(int(t[i]), int(t[i - 2])): k for k, t in enumerate(triangles) for i in range(3)}
    free = np.ones(len(triangles), bool)
    loops: list[list[int]] = []
    for seed in np.argsort(-sizes, kind="stable"):
        if not free[seed]:
            continue
        height = np.abs((points - points[triangles[seed, 0]]) @ normals[seed])
        group, open_ = {int(seed)}, [int(seed)]
        while open_:
            triangle = triangles[open_.pop()]
            for i in range(3):
                other = edges.get((int(triangle[i - 2]), int(triangle[i])))
                if other is None or not free[other] or other in group:
                    continue
                # A sliver's own normal says little: it only must not belong to the other side of a thin plate.
                if height[triangles[other]].max() <= tolerance and normals[other] @ normals[seed] > 0.5:
                    group.add(other)
                    open_.append(other)
        loop = _outline(triangles[sorted(group)])
        if loop is None:
            group, loop = {int(seed)}, triangles[seed].tolist()
        free[sorted(group)] = False
        loops.append(loop)
    return loops


def _outline(triangles: np.ndarray) -> list[int] | None:
    """The one loop around some triangles, or None if there is more than one."""
    inside = {(int(t[i]), int(t[i - 2])) for t in triangles for i in range(3)}
    following = {i: j for i, j in sorted(inside) if (j, i) not in inside}
    border = sum((j, i) not in inside for i, j in inside)
    loop = [min(following)]
    while len(loop) <= len(following) and following.get(loop[-1]) not in (None, loop[0]):
        loop.append(following[loop[-1]])
    return loop if len(loop) == len(following) == border else None


def _without_straight_corners(loops: list[list[int]]) -> list[list[int]]:
    """Drop the corners that only two faces share: those faces' common edge runs straight through them."""
    while True:
        count: dict[int, int] = {}
        for corner in (corner for loop in loops for corner in loop):
            count[corner] = count.get(corner, 0) + 1
        needed = {corner for loop in loops if len(loop) == 3 for corner in loop}
        straight = min((corner for corner, n in count.items() if n < 3 and corner not in needed), default=None)
        if straight is None:
            return loops
        loops = [[corner for corner in loop if corner != straight] for loop in loops]
