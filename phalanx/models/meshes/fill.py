"""Tetrahedral meshes of what closed triangle meshes enclose, without other packages.

Boxes along the axes are cut into cells. All else is filled by isosurface stuffing (Labelle and Shewchuk, Isosurface
stuffing: fast tetrahedral meshes with good dihedral angles, 2007): the tetrahedra of a body-centred cubic lattice whose
points near the surface are moved onto it, and those that it still cuts are clipped. Distances are those of a signed
distance field. Edges and corners are rounded off by less than a cell.
"""

from __future__ import annotations

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.models.meshes.element_arrays import elements_array, points_array
from phalanx.models.meshes.mesh_files import merge
from phalanx.models.meshes.signed_distance import SMALLEST_RESOLUTION, distance_field
from phalanx.models.meshes.tet_mesh import TetMesh
from phalanx.models.meshes.tet_shapes import tet_shape
from phalanx.models.robot_model import Shape
from phalanx.models.sdf_options import SdfOptions

LONG, SHORT = 0.24999, 0.41189
"""Share of an edge of the lattice within which a point is moved to where the surface crosses it."""

PAD = 4
"""Nodes of the grid of distances that are added at each side, so that all cells at the surface are whole."""

JUST_BELOW = 0.999
"""Of a cell: sides of a whole cell are as wide as the step between planes of the lattice, and rounding decides."""


def fill_surface(vertices: np.ndarray, faces: np.ndarray, resolution: int, source: str = "mesh") -> TetMesh:
    """Tetrahedra of what a surface encloses.

    Args:
        vertices: (n, 3), m.
        faces: (m, 3), closed; of several parts if you like, which may overlap.
        resolution: cells along the longest side of its box, at least 1.
        source: for messages.

    Raises:
        LoadError: a vertex or triangle is none, the surface is not closed, or its walls are so thin that no point of
            the lattice is inside.

    What is thinner along an axis than a cell, such as a disc, is one cell thick there, as boxes are.
    """
    if isinstance(resolution, bool) or not isinstance(resolution, int | np.integer) or resolution < 1:
        raise ValueError(f"resolution={resolution!r}: must be a whole number of cells, at least 1")
    vertices = points_array(vertices, source)
    faces = elements_array(faces, 3, len(vertices), "triangle", source)
    if not len(faces):
        raise LoadError(f"{source}: cannot be filled with tetrahedra: there are no triangles")
    given = faces
    vertices, faces = merge(vertices, faces)
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    if len(vertices) == 8 and ((vertices == low) | (vertices == high)).all() and (high > low).all():
        x, y, z = ((high - low) / 2).tolist()
        made = tet_shape(Shape("box", (x, y, z)), resolution)
        return TetMesh(made.nodes + (low + high) / 2, made.tets, source)
    stretch = _stretch(high - low, int(resolution))
    try:
        field = distance_field(
            vertices * stretch, faces, SdfOptions(resolution=max(2 * int(resolution), SMALLEST_RESOLUTION), points=64)
        )
    except ValueError as error:
        raise LoadError(
            f"{source}: cannot be filled with tetrahedra: {_open_edge(vertices, faces, given)}{error}"
        ) from error
    inside = -np.pad(field.distances.astype(float), PAD, mode="reflect", reflect_type="odd")
    nodes, tets = _stuffed(inside)
    if not len(tets):
        raise LoadError(f"{source}: it is too thin to be filled at resolution={resolution}; take a finer one")
    return TetMesh((field.centre + field.corner + field.cell * (nodes - PAD)) / stretch, tets, source)


def _stretch(sides: np.ndarray, resolution: int) -> np.ndarray:
    """(3,): what coordinates are multiplied by so that no side of a box is shorter than a cell; 1 for most."""
    cell = JUST_BELOW * sides.max() / resolution
    return np.where(sides > 0, np.maximum(cell / np.where(sides > 0, sides, cell), 1.0), 1.0)


def _open_edge(vertices: np.ndarray, faces: np.ndarray, given: np.ndarray) -> str:
    """Which triangle has an edge that no other one has the other way around, for messages."""
    sides = faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    number = sides[:, 0] * len(vertices) + sides[:, 1]
    alone = np.flatnonzero(~np.isin(number, sides[:, 1] * len(vertices) + sides[:, 0]))
    if not len(alone) or len(faces) != len(given):
        return ""
    a, b = vertices[sides[alone[0]]].round(6).tolist()
    return (
        f"triangle {alone[0] // 3}, corners {given[alone[0] // 3].tolist()}, has an edge from {a} to {b} that no other "
        "triangle has the other way around: "
    )


def _stuffed(inside: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points, in steps of the grid, and tetrahedra of where a field (nx, ny, nz) is positive.

    The lattice has the grid's nodes with even numbers, and those with odd ones, which are the centres of its cells.
    """
    shape = np.array(inside.shape)
    tets, short = _lattice(shape)
    value = inside.ravel().copy()
    tets = tets[(value[tets] > 0).any(axis=1)]
    place = np.stack(np.unravel_index(np.arange(value.size), inside.shape), axis=1).astype(float)
    pairs = np.concatenate([np.stack([tets[:, a], tets[:, b]], axis=1) for a, b in short[0]])
    kinds = np.repeat(short[1], len(tets))
    pairs = np.sort(pairs, axis=1)
    edges, first = np.unique(pairs, axis=0, return_index=True)
    limit = np.where(kinds[first], SHORT, LONG)
    _warp(value, place, edges, limit)
    return _clipped(value, place, tets)


def _lattice(shape: np.ndarray) -> tuple[np.ndarray, tuple[list[tuple[int, int]], np.ndarray]]:
    """(n, 4) nodes of the tetrahedra; and their edges, and which of those are the short ones.

    Each has two centres of neighbouring cells and an edge of the face between them.
    """
    counts = (shape - 1) // 2
    found = []
    strides = np.array([shape[1] * shape[2], shape[2], 1])
    for axis in range(3):
        along = [np.arange(n - (k == axis)) for k, n in enumerate(counts)]
        cells = np.stack(np.meshgrid(*along, indexing="ij"), axis=-1).reshape(-1, 3)
        centre = (2 * cells + 1) @ strides
        face = centre + strides[axis]
        u, v = strides[(axis + 1) % 3], strides[(axis + 2) % 3]
        ring = [face + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        for k in range(4):
            found.append(np.stack([centre, centre + 2 * strides[axis], ring[k], ring[(k + 1) % 4]], axis=1))
    return np.concatenate(found), (
        [(0, 1), (2, 3), (0, 2), (0, 3), (1, 2), (1, 3)],
        np.array([False, False, True, True, True, True]),
    )


def _warp(value: np.ndarray, place: np.ndarray, edges: np.ndarray, limit: np.ndarray) -> None:
    """Move points onto the surface where it crosses an edge near them; their values become 0."""
    crossed = value[edges[:, 0]] * value[edges[:, 1]] < 0
    a, b = edges[crossed].T
    share = value[a] / (value[a] - value[b])
    ends = np.concatenate([a, b])
    others = np.concatenate([b, a])
    way = np.concatenate([share, 1 - share])
    near = way < np.tile(limit[crossed], 2)
    ends, others, way = ends[near], others[near], way[near]
    length = way * np.linalg.norm(place[others] - place[ends], axis=1)
    order = np.lexsort([others, length, ends])
    ends, others, way = ends[order], others[order], way[order]
    chosen, first = np.unique(ends, return_index=True)
    moved = place[chosen] + way[first, None] * (place[others[first]] - place[chosen])
    place[chosen] = moved
    value[chosen] = 0.0


def _clipped(value: np.ndarray, place: np.ndarray, tets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What of tetrahedra is where values are positive, with cut points as new nodes, those in use only."""
    sign = np.sign(value[tets]).astype(int)
    tets, sign = tets[(sign > 0).any(axis=1)], sign[(sign > 0).any(axis=1)]
    order = np.argsort(-sign, axis=1, kind="stable")
    tets, sign = np.take_along_axis(tets, order, axis=1), np.take_along_axis(sign, order, axis=1)
    inside, outside = (sign > 0).sum(axis=1), (sign < 0).sum(axis=1)
    cuts = _Cuts(value, place)
    found = [tets[outside == 0]]
    one = tets[(inside == 1) & (outside > 0)]
    flags = sign[(inside == 1) & (outside > 0)]
    ends = [np.where(flags[:, k] < 0, cuts.of(one[:, 0], one[:, k], flags[:, k] < 0), one[:, k]) for k in (1, 2, 3)]
    found.append(np.stack([one[:, 0], *ends], axis=1))
    a, b, c, d = tets[(inside == 2) & (outside == 1)].T
    found.append(_pyramids(np.stack([a, b, cuts.of(b, d), cuts.of(a, d), c], axis=1)))
    a, b, c, d = tets[(inside == 2) & (outside == 2)].T
    wedge = [a, cuts.of(a, c), cuts.of(a, d), b, cuts.of(b, c), cuts.of(b, d)]
    found.append(_prisms(np.stack(wedge, axis=1)))
    a, b, c, d = tets[(inside == 3) & (outside == 1)].T
    found.append(_prisms(np.stack([a, b, c, cuts.of(a, d), cuts.of(b, d), cuts.of(c, d)], axis=1)))
    nodes = np.concatenate([place, *cuts.places])
    used, index = np.unique(np.concatenate(found), return_inverse=True)
    return nodes[used], index.reshape(-1, 4)


class _Cuts:
    """Points where edges cross the surface, each numbered once, after all points of the lattice."""

    def __init__(self, value: np.ndarray, place: np.ndarray) -> None:
        self._value, self._place = value, place
        self._known: dict[tuple[int, int], int] = {}
        self.places: list[np.ndarray] = []

    def of(self, start: np.ndarray, end: np.ndarray, where: np.ndarray | None = None) -> np.ndarray:
        """(n,): numbers of the points on edges from inside to outside; ``where``: -1 on the others."""
        found = np.full(len(start), -1)
        for n in range(len(start)) if where is None else np.flatnonzero(where).tolist():
            a, b = int(start[n]), int(end[n])
            key = (min(a, b), max(a, b))
            number = self._known.get(key)
            if number is None:
                number = self._known[key] = len(self._value) + len(self.places)
                share = self._value[a] / (self._value[a] - self._value[b])
                self.places.append((self._place[a] + share * (self._place[b] - self._place[a]))[None])
            found[n] = number
        return found


def _pyramids(corners: np.ndarray) -> np.ndarray:
    """Pyramids (n, 5), their base first, as two tetrahedra each; the base's diagonal begins at its least number."""
    a, b, c, d, top = corners.T
    ahead = np.minimum(a, c) < np.minimum(b, d)
    one = np.where(ahead[:, None], np.stack([a, b, c, top], axis=1), np.stack([a, b, d, top], axis=1))
    two = np.where(ahead[:, None], np.stack([a, c, d, top], axis=1), np.stack([b, c, d, top], axis=1))
    return np.concatenate([one, two])


def _prisms(corners: np.ndarray) -> np.ndarray:
    """Prisms (n, 6), the second triangle above the first, as three tetrahedra each.

    The diagonal of each side begins at its least number, so that neighbours agree (Dompierre, Labbe, Vallet and
    Camarero, How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999).
    """
    turned = corners[:, 3:].min(axis=1) < corners[:, :3].min(axis=1)
    corners = np.where(turned[:, None], corners[:, [3, 4, 5, 0, 1, 2]], corners)
    first = corners[:, :3].argmin(axis=1)
    turns = (first[:, None] + np.arange(3)) % 3
    corners = np.take_along_axis(corners, np.concatenate([turns, turns + 3], axis=1), axis=1)
    a, b, c, d, e, f = corners.T
    ahead = (np.minimum(b, f) < np.minimum(c, e))[:, None]
    one = np.where(ahead, np.stack([a, b, c, f], axis=1), np.stack([a, b, c, e], axis=1))
    two = np.where(ahead, np.stack([a, b, f, e], axis=1), np.stack([a, e, c, f], axis=1))
    return np.concatenate([one, two, np.stack([a, e, f, d], axis=1)])
