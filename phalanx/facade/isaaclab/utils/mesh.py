"""Triangles of prims, as ``trimesh.Trimesh``. Vertices are in the prim's own frame, without its scale, as written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdGeom


def create_trimesh_from_geom_mesh(mesh_prim: Prim) -> Any:
    """The triangles of a mesh prim.

    Args:
        mesh_prim: a ``UsdGeom.Mesh``. Polygons become triangles; faces keep their order, and turn counter-clockwise
            seen from outside, also where the prim says ``leftHanded``.

    Raises:
        TypeError: the prim is no mesh.
        ValueError: it has no points or faces, or they do not fit together.
    """
    import trimesh

    mesh = UsdGeom.Mesh(mesh_prim)
    if not mesh:
        raise TypeError(f"<{mesh_prim.GetPath()}> is of type {mesh_prim.GetTypeName()!r}, not a Mesh")
    points = np.array(mesh.GetPointsAttr().Get() or [], float).reshape(-1, 3)
    counts, corners = (
        np.array(one.Get() or [], np.int64) for one in (mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr())
    )
    if not len(points) or not len(counts):
        raise ValueError(f"<{mesh_prim.GetPath()}> has no points or no faces")
    try:
        faces = convert_faces_to_triangles(corners, counts)
    except ValueError as error:
        raise ValueError(f"<{mesh_prim.GetPath()}>: {error}") from error
    if corners.size and not (corners.min() >= 0 and corners.max() < len(points)):
        raise ValueError(f"<{mesh_prim.GetPath()}>: faceVertexIndices must be from 0 to {len(points) - 1}")
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        faces = faces[:, ::-1]
    return trimesh.Trimesh(points, faces, process=False)


def create_trimesh_from_geom_shape(prim: Prim) -> Any:
    """The triangles of a shape: one of :data:`PRIMITIVE_MESH_TYPES`.

    Raises:
        KeyError: the prim is of another type.
    """
    kind = str(prim.GetTypeName())
    if kind not in _SHAPES:
        known = ", ".join(PRIMITIVE_MESH_TYPES)
        raise KeyError(f"<{prim.GetPath()}> is of type {kind!r}; there are triangles of {known}")
    return _SHAPES[kind](prim)


def convert_faces_to_triangles(faces: np.ndarray, point_counts: np.ndarray) -> np.ndarray:
    """Polygons as triangles, each polygon about its first corner.

    Args:
        faces: numbers of vertices, the corners of all polygons in a row.
        point_counts: number of corners of each polygon.

    Returns:
        (n, 3), numbers of vertices. Polygons of less than three corners have none.

    Raises:
        ValueError: the counts do not add up to the number of corners.
    """
    faces, counts = np.asarray(faces, np.int64).reshape(-1), np.asarray(point_counts, np.int64).reshape(-1)
    if counts.sum() != len(faces) or (counts < 0).any():
        raise ValueError(f"the polygons have {counts.sum()} corners, but there are {len(faces)} indices")
    amount = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), amount)
    step = np.arange(amount.sum()) - np.repeat(np.cumsum(amount) - amount, amount)
    start = (np.cumsum(counts) - counts)[polygon]
    return np.stack([faces[start], faces[start + step + 1], faces[start + step + 2]], axis=1)


def _value(prim: Prim, name: str) -> float:
    return float(prim.GetAttribute(name).Get())


def _onto(prim: Prim) -> np.ndarray:
    """Turns what is made along z to a shape's axis, without mirroring it."""
    axis, turned = str(prim.GetAttribute("axis").Get()), np.eye(4)
    if axis != "Z":
        turned[:3, :3] = np.roll(np.eye(3), 1 if axis == "X" else 2, axis=0)
    return turned


def _plane(prim: Prim) -> Any:
    import trimesh

    x, y = 0.5 * _value(prim, "width"), 0.5 * _value(prim, "length")
    axis = str(prim.GetAttribute("axis").Get())
    # Of planes, width is along x (z where the axis is x) and length along y (z where the axis is y).
    flat = {"X": [(0.0, a, b) for a, b in ((-y, -x), (y, -x), (y, x), (-y, x))],
            "Y": [(a, 0.0, b) for a, b in ((-x, -y), (-x, y), (x, y), (x, -y))],
            "Z": [(a, b, 0.0) for a, b in ((-x, -y), (x, -y), (x, y), (-x, y))]}[axis]  # fmt: skip
    return trimesh.Trimesh(flat, [[0, 1, 2], [0, 2, 3]], process=False)


def _made(name: str, *sizes: str) -> Callable[[Prim], Any]:
    def make(prim: Prim) -> Any:
        import trimesh

        made = getattr(trimesh.creation, name)(**{size: _value(prim, size) for size in sizes})
        return made.apply_transform(_onto(prim)) if "height" in sizes else made

    return make


def _cube(prim: Prim) -> Any:
    import trimesh

    return trimesh.creation.box((_value(prim, "size"),) * 3)


def _cone(prim: Prim) -> Any:
    """Half of the height is below the prim's origin; trimesh puts the base there."""
    import trimesh

    made = trimesh.creation.cone(radius=_value(prim, "radius"), height=_value(prim, "height"))
    made.apply_translation((0.0, 0.0, -0.5 * _value(prim, "height")))
    return made.apply_transform(_onto(prim))


_SHAPES: dict[str, Callable[[Prim], Any]] = {
    "Plane": _plane,
    "Cube": _cube,
    "Sphere": _made("icosphere", "radius"),
    "Cylinder": _made("cylinder", "radius", "height"),
    "Capsule": _made("capsule", "radius", "height"),
    "Cone": _cone,
}

PRIMITIVE_MESH_TYPES = list(_SHAPES)
"""Types of prims that :func:`create_trimesh_from_geom_shape` takes."""

__all__ = [
    "PRIMITIVE_MESH_TYPES",
    "convert_faces_to_triangles",
    "create_trimesh_from_geom_mesh",
    "create_trimesh_from_geom_shape",
]
