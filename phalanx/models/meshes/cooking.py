"""From shapes, as files and users give them, to what the engine collides.

A mesh is replaced by what its ``approximation`` says:

* ``convex_hull``: its hull of at most 64 vertices;
* ``convex_decomposition``: hulls of convex pieces, found by coacd (extra ``mesh``);
* ``bounding_cube``, ``bounding_sphere``: the box along the mesh's own axes, the sphere about that box's centre;
* ``sdf``: its signed distance field on a regular grid, see :class:`phalanx.SdfOptions`; the mesh must be closed;
* ``triangle_mesh``, ``none``: the triangles themselves, for what is static or kinematic: they collide on the side that
  they are counter-clockwise from, with anything but other triangle meshes and height fields.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np

from phalanx.components.shape import HEIGHT_FIELD, HULL, MESH, SDF
from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import matrix, unit
from phalanx.models.meshes.decomposition import decompose
from phalanx.models.meshes.height_fields import HeightField, height_field
from phalanx.models.meshes.hulls import Hull, hull
from phalanx.models.meshes.mass_properties import is_closed, polyhedron
from phalanx.models.meshes.mesh_files import merge
from phalanx.models.meshes.signed_distance import DistanceField, distance_field
from phalanx.models.meshes.triangle_mesh import TriangleMesh, disagreeing_edges, triangle_mesh
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import APPROXIMATIONS, Shape

__all__ = ["Hull", "Piece", "TriangleMesh", "cook", "hull", "triangle_mesh"]

MOST_THIN = 0.02
"""Part of a surface that may be thinner than a cell of a distance field without a warning."""

FLAT_PART = 1e-9
"""A hull or box is flat whose volume is below this part of its longest side cubed."""


@dataclass
class Piece:
    """One collision shape.

    ``kind`` is one of :mod:`phalanx.components.shape`; ``size`` (3,) as ``ShapeGeometry.size``; ``position`` and
    ``orientation`` place the piece's own frame in the body's; ``low`` and ``high`` (3,) bound it in its own frame.
    ``geometry`` holds what a hull, a triangle mesh, a height field or a distance field is made of.
    """

    kind: int
    size: np.ndarray
    position: np.ndarray
    orientation: np.ndarray
    low: np.ndarray
    high: np.ndarray
    geometry: Hull | TriangleMesh | HeightField | DistanceField | None = None


def cook(shape: Shape, moves: bool = True, where: str = "", double_sided: bool = False) -> list[Piece]:
    """What the engine collides in place of a shape. Planes are no pieces; they are handled apart.

    Args:
        moves: whether the body that carries the shape is dynamic.
        where: what to call the shape in messages; from its own name if empty.
        double_sided: whether triangles of a triangle mesh collide from behind, too, whatever the shape says.

    Raises:
        LoadError: the shape's numbers make no such shape, or what moves cannot have it.
        ImportError: a decomposition is asked for and coacd is not installed.
    """
    where = where or _called(shape)
    if shape.kind in PRIMITIVES:
        return [_primitive(shape.kind, _sizes(shape, PRIMITIVES[shape.kind].sizes, where), np.zeros(3), shape)]
    if shape.kind == "mesh":
        return _mesh(shape, moves, where, double_sided or shape.double_sided)
    if shape.kind == "height_field":
        if moves:
            raise LoadError(f"{where}: a height field cannot move freely; make its body static or kinematic.")
        if shape.heights is None:
            raise LoadError(f"{where}: the height field has no heights.")
        try:
            field = height_field(shape.heights, _sizes(shape, 2, where))
        except ValueError as error:
            raise LoadError(f"{where}: {error}") from None
        return [_piece(HEIGHT_FIELD, shape, np.ones(3), np.zeros(3), field.low, field.high, field)]
    raise LoadError(f"{where}: a shape of kind {shape.kind!r} cannot be made a collision piece.")


def _mesh(shape: Shape, moves: bool, where: str, double_sided: bool) -> list[Piece]:
    if shape.approximation not in APPROXIMATIONS:
        raise LoadError(
            f"{where}: approximation {shape.approximation!r} is not known; use {', '.join(APPROXIMATIONS)}."
        )
    if shape.vertices is None or not len(shape.vertices):
        raise LoadError(f"{where}: the mesh has no vertices.")
    vertices = np.asarray(shape.vertices, float).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        count = int((~np.isfinite(vertices)).any(axis=1).sum())
        raise LoadError(f"{where}: {count} vertices of the mesh have coordinates that are not finite; export it again.")
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    centre = 0.5 * (low + high)
    if shape.approximation == "bounding_cube":
        if not (high > low).all():
            raise LoadError(f"{where}: the mesh is flat, so its bounding cube has no volume; use a box.")
        return [_primitive("box", 0.5 * (high - low), centre, shape)]
    if shape.approximation == "bounding_sphere":
        radius = float(np.linalg.norm(vertices - centre, axis=1).max())
        if not radius > 0.0:
            raise LoadError(f"{where}: all vertices of the mesh are in one place, so it has no bounding sphere.")
        return [_primitive("sphere", np.array([radius]), centre, shape)]
    if shape.approximation == "convex_hull":
        return [_hull(vertices, shape, where)]
    if shape.faces is None or not len(shape.faces):
        raise LoadError(f'{where}: the mesh has no faces; give it some, or let its approximation be "convex_hull".')
    if shape.approximation == "convex_decomposition":
        _, faces = merge(vertices, np.asarray(shape.faces, np.int64))
        if not is_closed(faces):
            warnings.warn(
                f"{where}: the mesh is open, so which side of it is inside is a guess of the decomposition; close it, "
                'or let its approximation be "convex_hull".',
                stacklevel=3,
            )
        pieces = decompose(vertices, np.asarray(shape.faces, np.int64))
        return [_hull(piece, shape, where) for piece in pieces]
    if shape.approximation == "sdf":
        return [_field(vertices, shape, where)]
    if moves:
        raise LoadError(
            f"{where}: a mesh that moves freely cannot collide as a triangle mesh; let its approximation be "
            '"convex_decomposition" (extra "mesh"), "convex_hull" or "sdf", or make its body static or kinematic.'
        )
    return [_triangles(shape, vertices, where, double_sided)]


def _field(vertices: np.ndarray, shape: Shape, where: str) -> Piece:
    try:
        made = distance_field(vertices, np.asarray(shape.faces, np.int64), shape.sdf)
    except ValueError as error:
        raise LoadError(f"{where}: {error}") from None
    if made.thin > MOST_THIN:
        warnings.warn(
            f"{where}: at {made.thin:.0%} of its surface the mesh is thinner than a cell of its distance field "
            f"({made.cell:.2g} m), so things may pass through there; raise the resolution of its SdfOptions.",
            stacklevel=4,
        )
    low, high = made.mesh.vertices.min(axis=0), made.mesh.vertices.max(axis=0)
    return _piece(SDF, shape, np.ones(3), made.centre, low, high, made)


def _triangles(shape: Shape, vertices: np.ndarray, where: str, double_sided: bool) -> Piece:
    faces = np.asarray(shape.faces, np.int64)
    try:
        mesh = triangle_mesh(vertices, faces, double_sided)
    except ValueError as error:
        raise LoadError(f"{where}: {error}") from None
    if mesh.dropped:
        warnings.warn(
            f"{where}: {mesh.dropped} of {len(faces)} triangles of the mesh have no area and were left out.",
            stacklevel=4,
        )
    turned = 0 if double_sided else disagreeing_edges(mesh.triangles)
    if turned:
        warnings.warn(
            f"{where}: at {turned} edges of the mesh neighbours face opposite sides, and triangles collide on their "
            "front only, so things can pass through some of them; make its normals consistent, or let the shape be "
            "double_sided.",
            stacklevel=4,
        )
    if not double_sided and is_closed(mesh.triangles) and _signed_volume(mesh) < 0.0:
        warnings.warn(
            f"{where}: the mesh is inside out, and its triangles collide on their front only; flip its faces.",
            stacklevel=4,
        )
    return _piece(MESH, shape, np.ones(3), np.zeros(3), mesh.vertices.min(axis=0), mesh.vertices.max(axis=0), mesh)


def _signed_volume(mesh: TriangleMesh) -> float:
    return float(np.linalg.det((mesh.vertices - mesh.vertices.mean(axis=0))[mesh.triangles]).sum()) / 6.0


def _hull(vertices: np.ndarray, shape: Shape, where: str) -> Piece:
    try:
        made = hull(vertices)
    except ValueError as error:
        raise LoadError(f"{where}: {error}") from None
    volume = polyhedron(made.vertices, made.triangles)[0]
    if volume <= FLAT_PART * float(np.ptp(made.vertices, axis=0).max()) ** 3:
        warnings.warn(
            f"{where}: the hull of the mesh has no thickness, so fast or heavy things may pass through it; use a thin "
            "box.",
            stacklevel=4,
        )
    return _piece(HULL, shape, np.ones(3), made.centre, made.vertices.min(axis=0), made.vertices.max(axis=0), made)


def _primitive(name: str, sizes: np.ndarray, centre: np.ndarray, shape: Shape) -> Piece:
    size = np.zeros(3)
    size[: len(sizes)] = sizes
    high = np.array(PRIMITIVES[name].half(*sizes), float)
    return _piece(PRIMITIVES[name].kind, shape, size, centre, -high, high)


def _piece(
    kind: int,
    shape: Shape,
    size: np.ndarray,
    centre: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    geometry: Hull | TriangleMesh | HeightField | DistanceField | None = None,
) -> Piece:
    position = np.asarray(shape.position, float) + matrix(shape.orientation) @ centre
    return Piece(kind, size, position, unit(shape.orientation), low, high, geometry)


def _sizes(shape: Shape, count: int, where: str) -> np.ndarray:
    sizes = np.asarray(shape.size, float)
    if sizes.shape != (count,) or not all(0.0 < size < math.inf for size in sizes.tolist()):
        raise LoadError(
            f"{where}: a {shape.kind.replace('_', ' ')} needs {count} positive, finite size{'s' * (count > 1)}, not "
            f"{tuple(shape.size)}."
        )
    return sizes


def _called(shape: Shape) -> str:
    name = f" {shape.name!r}" if shape.name else ""
    return f"{shape.mesh_file + ': ' if shape.mesh_file else ''}{shape.kind.replace('_', ' ')}{name}"
