"""Signed distance fields of closed meshes: a regular grid of distances, negative inside, remembered on disk.

Each node's distance is that of the nearest triangle, found in a tree of boxes; its sign comes from the winding number
of the mesh along the grid line through it: the triangles that a ray crosses, counted by the side that it comes from.
That number is exact for any closed mesh, also for one of several parts that overlap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from phalanx.ecs.cache.files import recalled_file
from phalanx.models.meshes.kept_files import mesh_digest
from phalanx.models.meshes.mass_properties import is_closed
from phalanx.models.meshes.mesh_files import convex_hull, merge
from phalanx.models.meshes.surface_points import SurfacePoints, far_apart, surface_points
from phalanx.models.meshes.triangle_mesh import TriangleMesh, triangle_mesh
from phalanx.models.sdf_options import SdfOptions

SMALLEST_RESOLUTION = 8
"""Cells along the longest side, at least."""

MOST_NODES = 1 << 26
"""Nodes of a grid: 0.27 GB of float32."""

MOST_CORNERS = 512
"""Corners of the hull that are tried against planes."""

ON_FACE = -0.7
"""Surface points with a limit below this lie on a face or where it bends little."""

MARGIN_CELLS = 2
"""Cells that the grid reaches beyond the mesh, at least."""

_VERSION = 1
"""Part of the names of files: another one for each change of what is computed."""


@dataclass
class DistanceField:
    """A mesh as its signed distances, its surface points and, for queries, its triangles.

    Everything is in metres about ``centre`` (3,), the middle of the mesh's box in the frame that it was given in.
    ``distances`` (nx, ny, nz) float32 are those of the nodes at ``corner + cell * (i, j, k)``, negative inside;
    ``points`` lie on the surface; ``corners`` (n, 3), those of the hull, are what a plane can meet.
    """

    centre: np.ndarray
    corner: np.ndarray
    cell: float
    distances: np.ndarray
    points: SurfacePoints
    corners: np.ndarray
    mesh: TriangleMesh
    thin: float = 0.0
    """Part of the surface where walls are thinner than a cell."""


_known: dict[str, DistanceField] = {}


def distance_field(vertices: np.ndarray, faces: np.ndarray, options: SdfOptions | None = None) -> DistanceField:
    """The field of a closed mesh. The same mesh and options give the same one, from memory or from disk if possible.

    A mesh that is inside out is taken as if it were not.

    Raises:
        ValueError: the mesh is open or flat, or the options make no usable grid.
    """
    options = options or SdfOptions()
    _check(options)
    vertices, faces = merge(np.asarray(vertices, float).reshape(-1, 3), np.asarray(faces, np.int64).reshape(-1, 3))
    text = f"{_VERSION} {options} {len(vertices)} {len(faces)} "
    digest = mesh_digest(text, vertices, faces)
    if digest not in _known:
        while len(_known) > 31:
            _known.pop(next(iter(_known)))
        _known[digest] = _cook(vertices, faces, options, digest)
    return _known[digest]


def _check(options: SdfOptions) -> None:
    whole = all(
        isinstance(n, int | np.integer) and not isinstance(n, bool) for n in (options.resolution, options.points)
    )
    if not whole or options.resolution < SMALLEST_RESOLUTION:
        raise ValueError(
            f"sdf resolution={options.resolution!r}: must be a whole number of cells along the longest side, at least "
            f"{SMALLEST_RESOLUTION}; 64 suits most objects, 128 or more those with thin walls."
        )
    if options.points < 8:
        raise ValueError(f"sdf points={options.points!r}: must be a whole number, at least 8.")
    if not 0.0 <= options.margin < 1.0:
        raise ValueError(f"sdf margin={options.margin!r}: must be a part of the mesh's diagonal, 0 to 1.")


def _cook(vertices: np.ndarray, faces: np.ndarray, options: SdfOptions, digest: str) -> DistanceField:
    if not is_closed(faces):
        raise ValueError(
            f"the mesh is open ({open_edges(faces)} edges without a matching neighbour), so it has no inside to be "
            'negative in; close it, or let its approximation be "convex_hull" or "convex_decomposition".'
        )
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    centre, sides = 0.5 * (low + high), high - low
    corners = (vertices - centre)[faces]
    volume = float(np.linalg.det(corners).sum()) / 6.0
    if not abs(volume) > 1e-9 * sides.max() ** 3:
        raise ValueError("the mesh has no volume; use a thin box.")
    if volume < 0.0:
        faces, corners = faces[:, ::-1], corners[:, ::-1]
    cell = float(sides.max()) / options.resolution
    pad = max(options.margin * float(np.linalg.norm(sides)), MARGIN_CELLS * cell)
    counts = np.ceil((sides + 2.0 * pad) / cell).astype(int) + 1
    if math.prod(counts.tolist()) > MOST_NODES:
        raise ValueError(
            f"a field of {' x '.join(map(str, counts))} nodes takes {4e-9 * math.prod(counts.tolist()):.1f} GB; lower "
            f"its resolution ({options.resolution})."
        )
    corner = -0.5 * cell * (counts - 1)
    mesh = triangle_mesh(vertices - centre, faces)
    distances = recalled_file(
        f"distance_field_{digest}.npz",
        lambda path: _read(path, tuple(counts.tolist())),
        lambda: _distances(mesh, np.ascontiguousarray(corners), corner, cell, counts),
        lambda file, made: np.savez(file, distances=made),
    )
    if not distances.min() < 0.0:
        raise ValueError(
            f"no node of the field is inside the mesh: its walls are thinner than a cell ({cell:.2g} m); raise the "
            f"resolution ({options.resolution})."
        )
    points = surface_points(mesh.vertices, mesh.triangles, options.points, 2.0 * cell)
    thin = _thin_part(points, distances, corner, cell)
    return DistanceField(centre, corner, cell, distances, points, _hull_corners(mesh.vertices), mesh, thin)


def _read(path: Path, counts: tuple[int, ...]) -> np.ndarray:
    with np.load(path) as file:  # which compares checksums
        distances = file["distances"]
    if distances.shape != counts or distances.dtype != np.float32:
        raise ValueError(f"it has {distances.dtype}{distances.shape} where float32{counts} is expected")
    return distances


def _thin_part(points: SurfacePoints, distances: np.ndarray, corner: np.ndarray, cell: float) -> float:
    """Part of the points on faces that have no inside half a cell below them."""
    from scipy.ndimage import map_coordinates

    flat = points.limits < ON_FACE
    below = points.points[flat] - 0.5 * cell * points.normals[flat]
    found = map_coordinates(distances, ((below - corner) / cell).T, order=1, mode="nearest")
    return float(np.count_nonzero(found > -0.25 * cell)) / max(len(found), 1)


def _hull_corners(vertices: np.ndarray) -> np.ndarray:
    corners, _ = convex_hull(vertices, max(len(vertices), 4))
    return corners if len(corners) <= MOST_CORNERS else corners[far_apart(corners, MOST_CORNERS)]


def open_edges(faces: np.ndarray) -> int:
    """How many edges of triangles (m, 3) are not run through as often in one direction as in the other."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    _, edge = np.unique((np.minimum(start, end) << 32) + np.maximum(start, end), return_inverse=True)
    return int(np.count_nonzero(np.bincount(edge, np.where(start < end, 1, -1))))


def _distances(
    mesh: TriangleMesh, corners: np.ndarray, corner: np.ndarray, cell: float, counts: np.ndarray
) -> np.ndarray:
    from phalanx.models.meshes.triangle_distances import count_crossings, unsigned  # loads Numba, which takes its time

    tree = mesh.tree
    winding = np.zeros(counts, np.int32)
    # The rays pass beside the nodes by a small, odd part of a cell, so that few of them hit an edge.
    count_crossings(corners, corner + cell * np.array([1.13e-7, 2.71e-7, 0.0]), cell, winding)
    inside = np.cumsum(winding, axis=2, dtype=np.int32) > 0
    size = unsigned(
        np.ascontiguousarray(mesh.vertices[mesh.triangles]), tree.low, tree.high, tree.first, tree.count, corner, cell,
        *counts.tolist(),
    )  # fmt: skip
    return np.where(inside, -size, size).astype(np.float32)
