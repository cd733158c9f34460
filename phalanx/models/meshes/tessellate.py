"""Shapes as triangles with normals, ready to be drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.ecs.cache.kernels import kept
from phalanx.maths.arrays import matrix
from phalanx.models.meshes.height_fields import grid_triangles
from phalanx.models.meshes.mesh_files import area_vectors, convex_hull
from phalanx.models.robot_model import Shape

_AROUND = 40  # segments of a full turn
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
    elif shape.kind not in _PRIMITIVES:
        raise ValueError(f"shape {shape.name!r}: a {shape.kind} has no end and cannot be drawn as triangles")
    else:
        vertices, faces = _PRIMITIVES[shape.kind](*shape.size)
    vertices = vertices @ matrix(shape.orientation).T + np.asarray(shape.position, float)
    vertices, faces = _merge(vertices, faces, cell if shape.kind == "mesh" else 0.0)
    corners = vertices[faces].astype(np.float32)
    return Surface(corners, _corner_normals(corners, faces, len(vertices)))


def _box(half_x: float, half_y: float, half_z: float) -> tuple[np.ndarray, np.ndarray]:
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [(a, b, c) for a, b, c, _ in quads] + [(a, c, d) for a, _, c, d in quads]
    return signs * (half_x, half_y, half_z), np.array(faces, np.int64)


def _turned(profile: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Surface of revolution about z; ``profile`` (k, 2) is (radius, z), from the lowest point on the axis up."""
    angle = np.linspace(0.0, 2.0 * np.pi, _AROUND, endpoint=False)
    rings = profile[:, None, 0, None] * np.stack([np.cos(angle), np.sin(angle)], -1)
    heights = np.broadcast_to(profile[:, None, 1, None], (len(profile), _AROUND, 1))
    vertices = np.concatenate([rings, heights], -1).reshape(-1, 3)
    ring, i = np.meshgrid(np.arange(len(profile) - 1), np.arange(_AROUND), indexing="ij")
    a, b = ring * _AROUND + i, ring * _AROUND + (i + 1) % _AROUND
    faces = np.concatenate([np.stack([a, b, b + _AROUND], -1), np.stack([a, b + _AROUND, a + _AROUND], -1)])
    return vertices, faces.reshape(-1, 3)


def _capsule(radius: float, half_length: float) -> tuple[np.ndarray, np.ndarray]:
    tilt = np.linspace(0.0, 0.5 * np.pi, _AROUND // 4 + 1)
    cap = np.stack([radius * np.sin(tilt), radius * np.cos(tilt)], -1)
    cap[0, 0] = 0.0
    lower, upper = cap * (1.0, -1.0) - (0.0, half_length), cap[::-1] + (0.0, half_length)
    return _turned(np.concatenate([lower, upper]))


def _cylinder(radius: float, half_length: float) -> tuple[np.ndarray, np.ndarray]:
    h = half_length
    return _turned(np.array([[0.0, -h], [radius, -h], [radius, h], [0.0, h]]))


def _cone(radius: float, half_length: float) -> tuple[np.ndarray, np.ndarray]:
    return _turned(np.array([[0.0, -half_length], [radius, -half_length], [0.0, half_length]]))


_PRIMITIVES = {
    "sphere": lambda radius: _capsule(radius, 0.0),
    "capsule": _capsule,
    "cylinder": _cylinder,
    "cone": _cone,
    "box": _box,
}


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
