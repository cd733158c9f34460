"""Triangle meshes as the engine collides them: who is whose neighbour, and a tree to find triangles by.

Where two triangles meet in a flat or hollow edge, nothing can touch that edge without touching a face first; a contact
normal that comes from such an edge would be a bump that is not there. So each triangle knows the third corner of its
neighbour over each edge, and each vertex its neighbours: a normal at an edge or vertex counts only if the
neighbours lie below the plane through it.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakValueDictionary

import numpy as np

from phalanx.models.meshes.bounding_tree import BoundingTree, bounding_tree
from phalanx.models.meshes.kept_files import mesh_digest
from phalanx.models.meshes.mesh_files import FLAT, area_vectors, merge

BORDER = -1
"""Instead of a neighbour's corner: an edge of one triangle only, or of more than two."""


@dataclass
class TriangleMesh:
    """Static triangles, counter-clockwise seen from the side that collides.

    ``vertices`` (n, 3) in metres in the shape's frame; ``triangles`` (m, 3) in the order of the tree's leaves;
    ``normals`` (m, 3); ``across`` (m, 3): the third corner of the neighbour over the edge from corner k to k + 1, or
    ``BORDER``; ``neighbours`` holds the vertices that share an edge with vertex v from ``first_neighbour[v]`` to
    ``first_neighbour[v + 1]``. ``dropped`` triangles without area were left out. ``source`` (m,): which of the given
    faces a triangle is.
    """

    vertices: np.ndarray
    triangles: np.ndarray
    normals: np.ndarray
    across: np.ndarray
    first_neighbour: np.ndarray
    neighbours: np.ndarray
    tree: BoundingTree
    source: np.ndarray
    double_sided: bool = False
    dropped: int = 0


_known: WeakValueDictionary[str, TriangleMesh] = WeakValueDictionary()
"""Meshes that are in use, by what they were made of."""


def triangle_mesh(vertices: np.ndarray, faces: np.ndarray, double_sided: bool = False) -> TriangleMesh:
    """Prepare triangles: vertices at the same place become one, triangles without area go.

    Who asks for the same once more, as long as somebody has it, gets the same object. Its arrays cannot be written to.

    Raises:
        ValueError: a coordinate is not finite, a face names a vertex that is not there, or no triangle has area.
    """
    vertices, faces = np.asarray(vertices, float).reshape(-1, 3), np.asarray(faces, np.int64).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise ValueError("the mesh has coordinates that are not finite; export it again.")
    if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
        raise ValueError(f"the mesh has {len(vertices)} vertices, but its faces name others; export it again.")
    key = mesh_digest(f"{double_sided} {len(vertices)} {len(faces)}", vertices, faces)
    found = _known.get(key)
    if found is None:
        found = _known[key] = _prepared(vertices, faces, double_sided)
    return found


def _prepared(vertices: np.ndarray, faces: np.ndarray, double_sided: bool) -> TriangleMesh:
    given = len(faces)
    kept = np.arange(given)
    if given:
        vertices, faces = merge(vertices, faces)
        corners = vertices[faces]
        sides = np.square(np.roll(corners, -1, axis=1) - corners).sum(axis=2).max(axis=1)
        # In float32 the normal of a sliver is noise: one thinner than this part of its length is left out.
        flat = np.linalg.norm(area_vectors(corners), axis=1) <= np.maximum(
            1e-6 * sides, 2.0 * FLAT * np.ptp(vertices, axis=0).max() ** 2
        )
        faces, kept = faces[~flat], kept[~flat]
    if not len(faces):
        raise ValueError("the mesh has no triangle with an area; export its surface as triangles.")
    if len(faces) < given:
        vertices, faces = merge(vertices, faces)
    corners = vertices[faces]
    tree = bounding_tree(corners.min(axis=1), corners.max(axis=1))
    faces, corners = faces[tree.order], corners[tree.order]
    normals = area_vectors(corners)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    first, neighbours = _neighbours(faces, len(vertices))
    made = TriangleMesh(
        vertices,
        faces,
        normals,
        _across(faces),
        first,
        neighbours,
        tree,
        kept[tree.order],
        double_sided,
        given - len(faces),
    )
    for array in (*vars(made).values(), *vars(tree).values()):
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
    return made


def disagreeing_edges(faces: np.ndarray) -> int:
    """At how many edges two triangles, and no third, meet whose fronts are on opposite sides."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    _, edge, users = np.unique((np.minimum(start, end) << 32) + np.maximum(start, end), False, True, True)
    forward = np.bincount(edge, start < end)
    return int(((users == 2) & (forward != 1)).sum())


def _across(faces: np.ndarray) -> np.ndarray:
    """Third corners of the neighbours (m, 3); an edge must be run through once in each direction to have one."""
    start, end = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    third = np.roll(faces, -2, axis=1).ravel()
    code, back = (start << 32) + end, (end << 32) + start
    order = np.argsort(code, kind="stable")
    at = np.searchsorted(code[order], back)
    to = np.searchsorted(code[order], back, side="right")
    own = np.searchsorted(code[order], code, side="right") - np.searchsorted(code[order], code)
    found = third[order[np.minimum(at, len(order) - 1)]]
    return np.where((to - at == 1) & (own == 1), found, BORDER).reshape(-1, 3)


def _neighbours(faces: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """For each vertex those that it shares an edge with, in rows of one array."""
    codes = np.concatenate([(faces[:, i] << 32) + faces[:, j] for i in range(3) for j in range(3) if i != j])
    codes = np.sort(codes)  # several times quicker than np.unique
    codes = codes[np.diff(codes, prepend=-1) != 0]
    return np.searchsorted(codes, np.arange(count + 1) << 32), codes & 0xFFFFFFFF
