"""Mass, centre of mass and inertia of shapes.

Primitives by their textbook formulae; hulls and closed meshes by sums over the tetrahedra between the origin and each
triangle, exact for a polyhedron of uniform density.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import matrix
from phalanx.models.meshes.mesh_files import convex_hull, merge
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import Shape

DENSITY = 1000.0
"""kg/m³ where neither density nor mass is given, as in PhysX."""


@dataclass(frozen=True)
class MassProperties:
    """``mass`` in kg; ``com`` (3,) in m; ``inertia`` (3, 3) in kg·m² about the centre of mass; axes of the body."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


def of(shapes: Sequence[Shape], density: float | None = None, mass: float | None = None) -> MassProperties:
    """Mass properties of shapes that together make one rigid body, in the frame that the shapes are placed in.

    Args:
        shapes: each is filled evenly, and counts in full where shapes overlap. A mesh counts as what stands for it in
            collisions: its hull, its bounding box or sphere, or else the closed mesh itself.
        density: kg/m³ of all shapes; 1000 unless given.
        mass: total in kg; goes before ``density``.

    Raises:
        ValueError: a shape has no volume, an open mesh is to be taken as it is, or density or mass is not positive.
    """
    for name, value in (("density", density), ("mass", mass)):
        if value is not None and not 0.0 < value < np.inf:
            raise ValueError(f"{name}={value!r} must be a positive, finite number.")
    if not shapes:
        raise ValueError("mass properties need at least one shape; give mass, centre and inertia instead.")
    parts = [_placed(shape) for shape in shapes]
    volume = sum(part[0] for part in parts)
    scale = mass / volume if mass is not None else (DENSITY if density is None else density)
    com = sum((part[0] * part[1] for part in parts), np.zeros(3)) / volume
    inertia = np.zeros((3, 3))
    for amount, centre, own in parts:
        arm = centre - com
        inertia += own + amount * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return MassProperties(float(scale * volume), com, scale * inertia)


def _placed(shape: Shape) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centroid and inertia about it at density 1, in the frame that the shape is placed in."""
    volume, centre, inertia = _own(shape)
    if not volume > 0.0:
        raise LoadError(
            f"{_called(shape)} has a volume of {volume:.3g} m³; give the body's mass, centre and inertia, or a shape "
            "with thickness."
        )
    turned = matrix(shape.orientation)
    return volume, np.asarray(shape.position, float) + turned @ centre, turned @ inertia @ turned.T


def _own(shape: Shape) -> tuple[float, np.ndarray, np.ndarray]:
    """As :func:`_placed`, in the shape's own frame."""
    if shape.kind in PRIMITIVES:
        return PRIMITIVES[shape.kind].mass(*shape.size)
    if shape.kind == "mesh":
        return _mesh(shape)
    raise LoadError(f"{_called(shape)} has no volume; give the body's mass, centre and inertia, or make it static.")


def _mesh(shape: Shape) -> tuple[float, np.ndarray, np.ndarray]:
    if shape.vertices is None or not len(shape.vertices):
        raise LoadError(f"{_called(shape)} is a mesh without vertices.")
    vertices, faces = np.asarray(shape.vertices, float), np.zeros((0, 3), np.int64)
    if shape.faces is not None:  # hulls and bounds are of points alone
        vertices, faces = merge(vertices, np.asarray(shape.faces, np.int64))
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    if shape.approximation == "convex_hull":
        return polyhedron(*convex_hull(vertices))
    if shape.approximation == "bounding_cube":
        volume, _, inertia = _own(Shape("box", tuple(0.5 * (high - low))))
        return volume, 0.5 * (low + high), inertia
    if shape.approximation == "bounding_sphere":
        centre = 0.5 * (low + high)
        volume, _, inertia = _own(Shape("sphere", (float(np.linalg.norm(vertices - centre, axis=1).max()),)))
        return volume, centre, inertia
    if not is_closed(faces):
        raise LoadError(
            f"{_called(shape)} is open, so its volume is not known; close it, let its approximation be "
            '"convex_hull", or give the body\'s mass, centre and inertia.'
        )
    return polyhedron(vertices, faces)


def is_closed(faces: np.ndarray) -> bool:
    """Whether each edge of triangles (m, 3) is run through as often in one direction as in the other."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    code = edges.astype(np.int64) @ np.array([1 << 32, 1], np.int64)
    back = edges[:, ::-1].astype(np.int64) @ np.array([1 << 32, 1], np.int64)
    return bool(len(faces)) and np.array_equal(np.sort(code), np.sort(back))


def polyhedron(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centroid (3,) and inertia (3, 3) about it, at density 1, inside a closed surface of triangles.

    With the corners a, b, c as the rows of T, a tetrahedron with its fourth corner at the origin has the second
    moments det(T)/120 · Tᵀ (1 + 11ᵀ) T (e.g. Tonon, J. Math. Stat. 1, 2005). A surface that is inside out counts as if
    it were not.
    """
    if not len(faces):
        return 0.0, np.zeros(3), np.zeros((3, 3))
    middle = vertices.mean(axis=0)
    corners = (vertices - middle)[faces]
    det = np.linalg.det(corners)
    volume = float(det.sum()) / 6.0
    sign = -1.0 if volume < 0.0 else 1.0
    if abs(volume) <= 1e-15 * float(np.ptp(vertices, axis=0).max()) ** 3:
        return 0.0, middle, np.zeros((3, 3))
    total = corners.sum(axis=1)
    centroid = det @ total / 24.0 / volume
    outer = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", total, total)
    moments = np.einsum("t,tij->ij", det, outer) / 120.0 - volume * np.outer(centroid, centroid)
    return sign * volume, middle + centroid, sign * (np.trace(moments) * np.eye(3) - moments)


def _called(shape: Shape) -> str:
    name = f" {shape.name!r}" if shape.name else ""
    return f"{shape.mesh_file + ': ' if shape.mesh_file else ''}the {shape.kind.replace('_', ' ')}{name}"
