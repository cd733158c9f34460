"""Shapes as triangles with normals, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.ecs.cache.kernels import kept
from phalanx.maths.arrays import matrix
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.meshes.mesh_files import area_vectors, convex_hull
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import Shape

_CREASE = np.cos(np.deg2rad(40.0))  # faces that meet at less than this angle are shaded as one surface


@dataclass
class Surface:
    """Triangles in the frame of a body: ``corners`` and ``normals`` (m, 3, 3) float32, one row a corner."""

    corners: np.ndarray
    normals: np.ndarray


def surface(shape: Shape, cell: float = 0.0) -> Surface:
    """Triangles of a shape; with ``cell`` (m), details of a mesh that are smaller than this may go."""
    if shape.kind == "mesh":
        if shape.vertices is None:
            raise ValueError(f"shape {shape.name!r} is a mesh without vertices")
        if shape.faces is None or not len(shape.faces):  # points alone stand for their hull
            vertices, faces = convex_hull(np.asarray(shape.vertices, float))
        else:
            vertices, faces = np.asarray(shape.vertices, float), np.asarray(shape.faces, np.int64)
    elif shape.kind == "height_field":
        if shape.heights is None:
            raise ValueError(f"shape {shape.name!r} is a height field without heights")
        vertices, faces = grid_triangles(shape.heights, shape.size)
    elif shape.kind not in PRIMITIVES:
        raise ValueError(f"shape {shape.name!r}: a {shape.kind} has no end and cannot be drawn as triangles")
    else:
        vertices, faces = PRIMITIVES[shape.kind].triangles(*shape.size)
    vertices = vertices @ matrix(shape.orientation).T + np.asarray(shape.position, float)
    vertices, faces = _merge(vertices, faces, cell if shape.kind == "mesh" else 0.0)
    corners = vertices[faces].astype(np.float32)
    return Surface(corners, _corner_normals(corners, faces, len(vertices)))


def _merge(vertices: np.ndarray, faces: np.ndarray, cell: float) -> tuple[np.ndarray, np.ndarray]:
    """Join vertices that share a place (or a cell of a grid) and drop the faces that thereby collapse."""
    extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 1.0
    keys = np.round(vertices / max(cell, 1e-6 * extent, 1e-12)).astype(np.int64)
    _, first, label = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = label.reshape(-1)[faces]
    a, b, c = faces.T
    return vertices[first], faces[(a != b) & (b != c) & (c != a)]


def corner_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(m, 3, 3) float32: unit normals at the corners of faces (m, 3), so that round meshes look smooth.

    Vertices at one place count as one; faces that meet at 40 degrees or more keep an edge.
    """
    vertices, faces = np.asarray(vertices, float), np.asarray(faces, np.int64)
    extent = float(np.ptp(vertices, axis=0).max()) if len(vertices) else 1.0
    keys = np.round(vertices / max(1e-6 * extent, 1e-12)).astype(np.int64)
    _, label = np.unique(keys, axis=0, return_inverse=True)
    joined = np.ascontiguousarray(label.reshape(-1)[faces])
    return _corner_normals(vertices[faces].astype(np.float32), joined, len(vertices))


def _corner_normals(corners: np.ndarray, faces: np.ndarray, vertex_count: int) -> np.ndarray:
    order = np.argsort(faces.reshape(-1), kind="stable")
    starts = np.zeros(vertex_count + 1, np.int64)
    np.cumsum(np.bincount(faces.reshape(-1), minlength=vertex_count), out=starts[1:])
    crossed = area_vectors(corners).astype(np.float32)
    return _smooth(faces, crossed, starts, order, _CREASE)


@kept("float32[:,:,::1](int64[:,:], float32[:,::1], int64[::1], int64[::1], float64)")
def _smooth(faces, crossed, starts, order, crease):
    """Normal at each corner: area-weighted mean over the faces at its vertex that turn less than the crease."""
    unit = np.empty_like(crossed)
    for f in range(len(faces)):
        x, y, z = crossed[f, 0], crossed[f, 1], crossed[f, 2]
        length = max(np.sqrt(x * x + y * y + z * z), np.float32(1e-30))
        unit[f, 0], unit[f, 1], unit[f, 2] = x / length, y / length, z / length
    normals = np.empty((len(faces), 3, 3), np.float32)
    for f in range(len(faces)):
        for corner in range(3):
            vertex = faces[f, corner]
            x = y = z = np.float32(0.0)
            for entry in range(starts[vertex], starts[vertex + 1]):
                g = order[entry] // 3
                if unit[f, 0] * unit[g, 0] + unit[f, 1] * unit[g, 1] + unit[f, 2] * unit[g, 2] >= crease:
                    x += crossed[g, 0]
                    y += crossed[g, 1]
                    z += crossed[g, 2]
            length = max(np.sqrt(x * x + y * y + z * z), np.float32(1e-30))
            normals[f, corner, 0], normals[f, corner, 1], normals[f, corner, 2] = x / length, y / length, z / length
    return normals
