"""Triangle meshes: read from files, and reduced to convex hulls of few vertices.

trimesh and scipy are imported where they are used: most robots that are simulated need neither.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.reading.boundary import of_file, place
from phalanx.io.reading.errors import LoadError
from phalanx.io.reading.limits import check
from phalanx.io.reading.mesh_files import FORMATS, read_scene

FLAT = 1e-12  # a triangle has no area below this part of the mesh's longest side squared
FLAT_THICKNESS = 1e-7  # points have no thickness below this part of their longest side


def load_mesh(path: str | Path, scale: float | Iterable[float] = (1.0, 1.0, 1.0)) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3) float64 in metres and faces (m, 3) int64, counter-clockwise seen from outside, of a mesh file.

    The parts of a scene are placed by their transforms and joined. As ROS tools do, a COLLADA file's unit is
    applied and its up axis is ignored (numbers are taken as they stand); other formats are taken to be in metres.
    ``scale`` is one factor or three. A file is parsed once as long as it does not change; the faces are shared and
    read-only. Raises :class:`LoadError`.
    """
    vertices, faces, _ = _parsed(*_identity(path))
    factors = np.broadcast_to(np.asarray(scale, float), 3)
    return vertices * factors, faces[:, ::-1] if np.prod(factors) < 0.0 else faces


def count_flat_triangles(path: str | Path) -> int:
    """How many triangles of a mesh file have no area."""
    return _parsed(*_identity(path))[2]


def _identity(path: str | Path) -> tuple[str, int, int]:
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
    except OSError as error:
        raise LoadError(f"{path}: cannot be read: {error.strerror}.") from None
    return path, status.st_mtime_ns, status.st_size


@lru_cache(maxsize=512)
def _parsed(path: str, _mtime: int, _size: int) -> tuple[np.ndarray, np.ndarray, int]:
    """Read-only vertices and faces in file units times the file's own unit, and the number of flat triangles."""
    kind = Path(path).suffix[1:].lower()
    if kind not in FORMATS:
        raise LoadError(f"{path}: meshes are read from {', '.join(FORMATS)} files; convert it to one of them.")
    scene, unit, _ = read_scene(path, kind)
    with place(of_file(path)):
        vertices, faces = _flatten(scene)
        if not len(faces):
            raise LoadError(f"{path}: the mesh holds no triangles; export its surface as triangles.")
        if not 0 <= faces.min() <= faces.max() < len(vertices):
            raise LoadError(f"{path}: a triangle names a vertex that does not exist ({faces.max()}); export it again.")
        if not np.isfinite(vertices).all():
            raise LoadError(f"{path}: the mesh has coordinates that are not finite; export it again.")
        vertices = vertices * unit
        check("length", float(np.abs(vertices).max()), of_file(path))
        vertices, faces = merge(vertices, faces)
    areas = 0.5 * np.linalg.norm(area_vectors(vertices[faces]), axis=1)
    flat = int(np.count_nonzero(areas <= FLAT * np.ptp(vertices, axis=0).max() ** 2))
    vertices.setflags(write=False)
    faces.setflags(write=False)
    return vertices, faces, flat


def _flatten(scene: Any) -> tuple[np.ndarray, np.ndarray]:
    """All triangles of a scene in the scene's frame."""
    points, triangles, count = [np.empty((0, 3))], [np.empty((0, 3), np.int64)], 0
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        part = scene.geometry[name]
        faces = np.asarray(getattr(part, "faces", np.empty((0, 3))), np.int64)
        if not len(faces):
            continue
        points.append(np.asarray(part.vertices, float) @ transform[:3, :3].T + transform[:3, 3])
        triangles.append((faces[:, ::-1] if np.linalg.det(transform[:3, :3]) < 0.0 else faces) + count)
        count += len(points[-1])
    return np.concatenate(points), np.concatenate(triangles)


def merge(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Join vertices at exactly the same place (STL repeats each), drop unused ones; ordered by x, y, z."""
    used = np.zeros(len(vertices), bool)
    used[faces] = True
    vertices, faces = vertices[used], (np.cumsum(used) - 1)[faces]
    order = np.lexsort(vertices.T[::-1])
    ordered = vertices[order]
    first = np.ones(len(ordered), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    index = np.empty(len(order), np.int64)
    index[order] = np.cumsum(first) - 1
    return np.ascontiguousarray(ordered[first]), index[faces]


def area_vectors(corners: np.ndarray) -> np.ndarray:
    """(m, 3): normals of triangles (m, 3, 3), as long as twice their areas; they point to where the corners are seen
    counter-clockwise.
    """
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def convex_hull(vertices: np.ndarray, limit: int = 64) -> tuple[np.ndarray, np.ndarray]:
    """The convex hull of points (n, 3): its vertices (m, 3), m <= ``limit``, and faces (k, 3), outward.

    A hull of more vertices is reduced: from a large tetrahedron on, the point that sticks out farthest of the
    hull so far is added until ``limit`` is reached. The result lies inside the true hull; with 64 points
    it cuts off up to 3 % of the longest side of round things (the worst case) and far less of machined parts.
    The vertices are among the given points, and the same points in any order give the same hull.

    Points in a plane give a two-sided polygon; points on a line or in one place give their ends and no faces.
    """
    if limit < 4:
        raise ValueError(f"limit={limit} is too small for a hull; use at least 4.")
    points = np.unique(np.asarray(vertices, float).reshape(-1, 3), axis=0)
    if not len(points) or not np.isfinite(points).all():
        raise ValueError("a convex hull needs at least one point, and finite coordinates.")
    flat, simplex = _span(points)
    if len(simplex) <= 2:
        return points[simplex], np.empty((0, 3), np.int64)
    from scipy.spatial import ConvexHull

    candidates = ConvexHull(flat).vertices
    if len(candidates) > limit:
        candidates = _reduce(flat, np.sort(candidates), simplex, limit)
    chosen = np.sort(candidates)
    hull = ConvexHull(flat[chosen])
    if flat.shape[1] == 2:
        ring = chosen[hull.vertices]
        fan = np.array([(0, i, i + 1) for i in range(1, len(ring) - 1)])
        return points[ring], np.concatenate([fan, fan[:, ::-1]])
    corners, faces = np.unique(hull.simplices, return_inverse=True)
    faces = faces.reshape(-1, 3).astype(np.int64)
    kept = points[chosen[corners]]
    inward = np.einsum("ij,ij->i", area_vectors(kept[faces]), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward, ::-1]
    return kept, faces


def _span(points: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """Coordinates (n, d) of points (n, 3) in the space of dimension d that they span, and d + 1 far-apart ones."""
    size = np.ptp(points, axis=0).max()
    simplex = [0]
    offset, basis = points - points[0], np.empty((0, 3))
    while len(simplex) < 4:
        distance = np.linalg.norm(offset, axis=1)
        far = int(distance.argmax())
        if distance[far] <= FLAT_THICKNESS * size:
            break
        if len(simplex) == 1:  # start again from the far end, so that the first edge spans the points
            simplex, offset = [far], points - points[far]
            far = int(np.linalg.norm(offset, axis=1).argmax())
        simplex.append(far)
        direction = offset[far] / np.linalg.norm(offset[far])
        basis = np.vstack([basis, direction])
        offset = offset - np.outer(offset @ direction, direction)
    return (points if len(simplex) == 4 else (points - points[0]) @ basis.T), simplex


def _reduce(points: np.ndarray, candidates: np.ndarray, simplex: list[int], limit: int) -> np.ndarray:
    """Indices of ``limit`` of the ``candidates`` whose hull comes near to that of all."""
    from scipy.spatial import ConvexHull

    hull = ConvexHull(points[simplex], incremental=True)
    chosen = list(simplex)
    parts = [points[candidates[i : i + 4096]].T for i in range(0, len(candidates), 4096)]  # that fit a cache
    while len(chosen) < limit:
        height = np.concatenate([_outermost(hull.equations, part) for part in parts])
        farthest = int(height.argmax())
        if height[farthest] <= 0.0:
            break
        chosen.append(int(candidates[farthest]))
        hull.add_points(points[chosen[-1:]])
    hull.close()
    return np.array(chosen)


def _outermost(planes: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Of each of the points (d, n) the height over the highest of the planes (m, d + 1).

    Without a product of matrices: those so narrow take ten times as long with BLAS's threads as without.
    """
    height = np.broadcast_to(planes[:, -1:], (len(planes), points.shape[1]))
    for normal, coordinate in zip(planes[:, :-1].T, points, strict=True):
        height = height + np.multiply.outer(normal, coordinate)
    return height.max(axis=0)
