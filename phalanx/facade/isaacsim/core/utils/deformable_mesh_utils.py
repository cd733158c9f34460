"""Meshes of tetrahedra in a grid, and their surfaces, for deformable bodies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phalanx.facade.omni.physx.scripts.deformableUtils import extractTriangleSurfaceFromTetra
from phalanx.io.formats.usd.bindings import Gf

Mesh = tuple[list[Any], list[int]]
"""Points, ``Gf.Vec3f``, and numbers of points: three for each triangle, or four for each tetrahedron."""

Filter = Callable[[int, int, int, int, int, int], bool]
"""Whether a cell, of numbers x, y, z, in a grid of so many cells along each axis, has tetrahedra."""

_CELL = np.array(
    [
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[1, 1, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]],
        [[1, 0, 1], [0, 0, 1], [1, 1, 1], [1, 0, 0]],
        [[0, 1, 1], [1, 1, 1], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]],
    ]
)
"""Five tetrahedra of positive volume that fill a cell; cells beside it have its mirror image, so that faces fit."""


def createTetraVoxels(voxel_dim: int, occupancy_filter_func: Filter) -> Mesh:
    """Tetrahedra that fill some cells of a grid, whose cells are 1 wide, from the origin on.

    Args:
        voxel_dim: cells along each axis.
        occupancy_filter_func: says which cells there are.
    """
    corners = []
    for x, y, z in np.ndindex(voxel_dim, voxel_dim, voxel_dim):
        if not occupancy_filter_func(x, y, z, voxel_dim, voxel_dim, voxel_dim):
            continue
        cell = _CELL
        if (x + y + z) % 2:  # mirrored, and two corners swapped to keep volumes positive
            cell = (np.array([1, 0, 0]) + np.array([-1, 1, 1]) * _CELL)[:, [1, 0, 2, 3]]
        corners.append(cell + [x, y, z])
    places = np.concatenate(corners).reshape(-1, 3) if corners else np.zeros((0, 3), int)
    points, numbers = np.unique(places, axis=0, return_inverse=True)
    return [Gf.Vec3f(*each) for each in points.astype(float).tolist()], numbers.ravel().tolist()


def voxel_sphere_test(x: int, y: int, z: int, dimx: int, dimy: int, dimz: int) -> bool:
    """Whether the middle of a cell is in the ball that the grid is around."""
    middle = np.array([x, y, z]) + 0.5 - 0.5 * np.array([dimx, dimy, dimz])
    return bool(np.linalg.norm(middle) < 0.5 * dimx)


def voxel_pass_all_test(x: int, y: int, z: int, dimx: int, dimy: int, dimz: int) -> bool:
    """Every cell."""
    return True


def createTetraVoxelBox(voxel_dim: int) -> Mesh:
    """A cube of tetrahedra, its edge being 1, around the origin."""
    return _around(createTetraVoxels(voxel_dim, voxel_pass_all_test), voxel_dim)


def createTetraVoxelSphere(voxel_dim: int) -> Mesh:
    """Those cells of the cube whose middles are in the ball within it."""
    return _around(createTetraVoxels(voxel_dim, voxel_sphere_test), voxel_dim)


def _around(mesh: Mesh, voxel_dim: int) -> Mesh:
    return [point / voxel_dim - Gf.Vec3f(0.5) for point in mesh[0]], mesh[1]


def createTriangleMeshCube(dim: int) -> Mesh:
    """The surface of a cube of triangles, its edge being 1, around the origin, with ``dim`` squares along each edge."""
    return extractTriangleSurfaceFromTetra(*createTetraVoxelBox(dim))


def calculateTetraVolume(a: Any, b: Any, c: Any, d: Any) -> float:
    """The volume of a tetrahedron by its corners; negative if the first three turn with the clock, seen from the last.

    Corners are (3,).
    """
    p, q, r, s = (np.array([float(value) for value in each]) for each in (a, b, c, d))
    return float(np.dot(q - p, np.cross(r - p, s - p))) / 6.0


def fixupTetraMeshVolumes(points: Sequence[Any], indices: Sequence[int]) -> list[int]:
    """Numbers of points of tetrahedra; the first two are swapped where the volume was not positive."""
    found = np.asarray(indices, int).reshape(-1, 4).copy()
    for row in found:
        if calculateTetraVolume(*(points[i] for i in row)) <= 0.0:
            row[[0, 1]] = row[[1, 0]]
    return found.ravel().tolist()


def convertTetraToTriangleSoup(points_in: Sequence[Any], indices_in: Sequence[int]) -> Mesh:
    """All faces of tetrahedra, each with points of its own."""
    faces = np.asarray(indices_in, int).reshape(-1, 4)[:, [[0, 2, 1], [1, 2, 3], [0, 1, 3], [0, 3, 2]]].ravel().tolist()
    return [Gf.Vec3f(points_in[i]) for i in faces], list(range(len(faces)))


def explodeTriangleMesh(points_in: Sequence[Any], indices_in: Sequence[int], factor: float) -> Mesh:
    """Triangles with points of their own, their middles ``factor`` times as far from the origin."""
    return _explode(points_in, indices_in, factor, 3)


def explodeTetraMesh(points_in: Sequence[Any], indices_in: Sequence[int], factor: float) -> Mesh:
    """Tetrahedra with points of their own, their middles ``factor`` times as far from the origin."""
    return _explode(points_in, indices_in, factor, 4)


def _explode(points: Sequence[Any], indices: Sequence[int], factor: float, size: int) -> Mesh:
    corners = np.array([[float(each) for each in points[i]] for i in indices]).reshape(-1, size, 3)
    moved = corners + (float(factor) - 1.0) * corners.mean(axis=1, keepdims=True)
    return [Gf.Vec3f(*each) for each in moved.reshape(-1, 3).tolist()], list(range(len(indices)))


__all__ = [
    "calculateTetraVolume",
    "convertTetraToTriangleSoup",
    "createTetraVoxelBox",
    "createTetraVoxelSphere",
    "createTetraVoxels",
    "createTriangleMeshCube",
    "explodeTetraMesh",
    "explodeTriangleMesh",
    "extractTriangleSurfaceFromTetra",
    "fixupTetraMeshVolumes",
    "voxel_pass_all_test",
    "voxel_sphere_test",
]
