"""Geometry of prims for rays, with what a picture needs of it: colours and texture coordinates of faces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.isaaclab.utils.mesh import convert_faces_to_triangles
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdShade
from phalanx.io.formats.usd.frames import rotation, sheared
from phalanx.io.formats.usd.shapes import SIZES, TURNED
from phalanx.maths.arrays import from_matrix
from phalanx.models.robot_model import Shape

if TYPE_CHECKING:
    from phalanx.rays.geometry import RayGeometry

WIDE = 1000.0
"""m: planes at least that wide have no end; the corners of smaller ones are exact enough to be triangles."""

SMOOTHED = 200_000
"""Meshes of more faces are terrains and scans, whose faces are too small for it to matter that they are flat."""

UNEVEN = 1e-4
"""Relative difference of two scales from which on they count as different."""


@dataclass
class Piece:
    """A part of a prim that has one look.

    Attributes:
        geometry: in a frame of its own.
        place: that frame in the carrier's, or in the world: arguments of :meth:`phalanx.rays.RayScene.add`.
        color: that the prim itself says, 0 to 1.
        opacity: that the prim itself says.
        subset: prim of the subset of faces that it is; ``None`` for whole prims.
        corners: whether faces have colours of their own.
    """

    geometry: RayGeometry
    place: dict[str, Any]
    color: tuple[float, float, float] | None
    opacity: float
    subset: Prim | None = None
    corners: bool = False


def pieces(prim: Prim, transform: np.ndarray) -> list[Piece]:
    """Geometry of a prim; none for types that are not drawn, and for meshes without triangles, which is told.

    Args:
        prim: a ``UsdGeom.Gprim``.
        transform: (4, 4), from its frame to the carrier's, scale and shear included.
    """
    kind = str(prim.GetTypeName())
    if kind == "Mesh":
        return _mesh(prim, transform)
    if kind == "Plane":
        return [_plane(prim, transform)]
    if kind in ("Sphere", "Cube", *TURNED):
        made = _solid(prim, kind, transform)
        return [] if made is None else [made]
    tell_once(f"cameras do not see prims of type {kind}, such as <{prim.GetPath()}>")
    return []


# -- shapes ----------------------------------------------------------------------------------------------------------


def _solid(prim: Prim, kind: str, transform: np.ndarray) -> Piece | None:
    """A primitive as such where its scale lets it be one, else as triangles."""
    from phalanx.models.meshes.tessellate import surface
    from phalanx.rays.geometry import primitive_geometry

    sizes, turned = _sizes(prim, kind), np.eye(4)
    name = {"Sphere": "sphere", "Cube": "box"}.get(kind) or TURNED[kind]
    if kind in TURNED:
        axis = "XYZ".index(str(prim.GetAttribute("axis").Get() or "Z"))
        turned[:3, :3] = np.roll(np.eye(3), axis + 1, axis=0)
        sizes = (sizes[0], 0.5 * sizes[1])
    elif kind == "Cube":
        sizes = (0.5 * sizes[0],) * 3
    if name == "capsule" and sizes[1] <= 0.0:
        name, sizes = "sphere", sizes[:1]
    if not min(sizes) > 0.0:
        tell_once(f"<{prim.GetPath()}> has a size of 0 or less, and is not drawn")
        return None
    whole = transform @ turned
    scale = np.linalg.norm(whole[:3, :3], axis=0)
    mirrored = np.linalg.det(whole[:3, :3]) < 0.0
    even = np.ptp(scale) <= UNEVEN * scale.max() if name in ("sphere", "capsule") else True
    even = even and (name not in ("cylinder", "cone") or abs(scale[0] - scale[1]) <= UNEVEN * scale.max())
    if sheared(whole[:3, :3]) or not even or (mirrored and name == "cone"):
        vertices = surface(Shape(name, sizes)).corners.reshape(-1, 3).astype(float)
        faces = np.arange(len(vertices)).reshape(-1, 3)
        return _triangles(prim, vertices @ whole[:3, :3].T + whole[:3, 3], faces[:, ::-1] if mirrored else faces)
    grown = {
        "sphere": (sizes[0] * scale[0],),
        "box": tuple(np.array(sizes) * scale) if name == "box" else (),
        "capsule": tuple(np.array(sizes) * scale[0]),
    }.get(name) or (sizes[0] * scale[0], sizes[-1] * scale[2])
    frame = whole.copy()
    frame[:3, :3] = rotation(whole[:3, :3])
    color, opacity = _own_color(prim)
    return Piece(primitive_geometry(name, tuple(map(float, grown))), placed(frame), color, opacity)


def _sizes(prim: Prim, kind: str) -> tuple[float, ...]:
    if kind in ("Capsule_1", "Cylinder_1"):
        radii = [float(prim.GetAttribute(f"radius{end}").Get() or 0.0) for end in ("Bottom", "Top")]
        return max(radii), float(prim.GetAttribute("height").Get() or 0.0)
    return tuple(
        float(default if (value := prim.GetAttribute(name).Get()) is None else value)
        for name, default in SIZES[kind].items()
    )


def _plane(prim: Prim, transform: np.ndarray) -> Piece:
    """A rectangle, or if it is very wide a plane without end."""
    from phalanx.rays.geometry import primitive_geometry

    axis = "XYZ".index(str(prim.GetAttribute("axis").Get() or "Z"))
    width, length = (0.5 * float(prim.GetAttribute(name).Get() or 2.0) for name in ("width", "length"))
    # Of planes, width is along x (z where the axis is x) and length along y (z where the axis is y).
    across = {
        0: ((0, 0, width), (0, length, 0)),
        1: ((width, 0, 0), (0, 0, length)),
        2: ((width, 0, 0), (0, length, 0)),
    }
    a, b = (transform[:3, :3] @ np.array(side, float) for side in across[axis])
    if max(np.linalg.norm(a), np.linalg.norm(b)) >= 0.5 * WIDE:
        normal = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
        normal = -normal if normal @ transform[:3, axis] < 0.0 else normal
        frame = np.eye(4)
        side = a / np.linalg.norm(a)
        frame[:3, :3] = np.stack([side, np.cross(normal, side), normal], axis=1)
        frame[:3, 3] = transform[:3, 3]
        color, opacity = _own_color(prim)
        return Piece(primitive_geometry("plane"), placed(frame), color, opacity)
    corners = transform[:3, 3] + np.array([-a - b, a - b, a + b, b - a])
    faces = np.array([[0, 1, 2], [0, 2, 3]])
    up = np.cross(a, b) @ transform[:3, axis] > 0.0
    return _triangles(prim, corners, faces if up else faces[:, ::-1])


def _triangles(prim: Prim, vertices: np.ndarray, faces: np.ndarray) -> Piece:
    from phalanx.rays.geometry import mesh_geometry

    color, opacity = _own_color(prim)
    return Piece(mesh_geometry(vertices, faces), {}, color, opacity)


# -- meshes ----------------------------------------------------------------------------------------------------------


def _mesh(prim: Prim, transform: np.ndarray) -> list[Piece]:
    mesh = UsdGeom.Mesh(prim)
    points = np.array(mesh.GetPointsAttr().Get() or [], float).reshape(-1, 3)
    counts, indices = (
        np.array(one.Get() or [], np.int64) for one in (mesh.GetFaceVertexCountsAttr(), mesh.GetFaceVertexIndicesAttr())
    )
    polygons = np.repeat(np.arange(len(counts)), np.maximum(counts - 2, 0))
    fits = counts.sum() == len(indices) and (counts >= 0).all()
    fits = fits and not (len(indices) and not 0 <= indices.min() <= indices.max() < len(points))
    if not len(polygons) or not fits or not np.isfinite(points).all():
        why = "no triangles" if fits else "faces that do not fit its points"
        tell_once(f"<{prim.GetPath()}> is a mesh with {why}, and is not drawn")
        return []
    corners = convert_faces_to_triangles(np.arange(len(indices)), counts)
    holes = np.array(mesh.GetHoleIndicesAttr().Get() or [], np.int64)
    kept = ~np.isin(polygons, holes)
    if mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
        corners = corners[:, ::-1]
    surface = _Surface(prim, points, indices, corners[kept], polygons[kept])
    found = []
    rest = np.ones(int(kept.sum()), bool)
    for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets():
        inside = np.isin(surface.polygons, np.array(subset.GetIndicesAttr().Get() or [], np.int64)) & rest
        rest &= ~inside
        if inside.any():
            found.append(surface.piece(inside, transform, subset.GetPrim()))
    if rest.any():
        found.append(surface.piece(rest, transform))
    return found


@dataclass
class _Surface:
    """Triangles of a mesh: numbers (m, 3) of the corners that polygons list, and (m,) of the polygons."""

    prim: Prim
    points: np.ndarray
    indices: np.ndarray
    corners: np.ndarray
    polygons: np.ndarray

    def piece(self, chosen: np.ndarray, transform: np.ndarray, subset: Prim | None = None) -> Piece:
        """Some of the triangles; what shears is in their vertices, else in the place."""
        from phalanx.models.meshes.tessellate import corner_normals
        from phalanx.rays.geometry import mesh_geometry

        corners, polygons = self.corners[chosen], self.polygons[chosen]
        used, faces = np.unique(self.indices[corners], return_inverse=True)
        vertices, faces = self.points[used], faces.reshape(-1, 3)
        place: dict[str, Any] = {}
        if sheared(transform[:3, :3]):
            vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
            faces = faces[:, ::-1] if np.linalg.det(transform[:3, :3]) < 0.0 else faces
        else:
            place = placed(transform)
        color, opacity = _own_color(self.prim)
        uv = self._at_corners(_texture_coordinates(self.prim), corners, polygons, 2)
        colors = None
        shown = UsdGeom.Gprim(self.prim).GetDisplayColorPrimvar()
        if shown and shown.GetInterpolation() != UsdGeom.Tokens.constant:
            colors = self._at_corners(shown, corners, polygons, 3)
            colors = None if colors is None else colors.mean(axis=1)
        normals = corner_normals(vertices, faces) if len(faces) <= SMOOTHED else None
        geometry = mesh_geometry(vertices, faces, uv=uv, colors=colors, normals=normals)
        return Piece(geometry, place, color, opacity, subset, colors is not None)

    def _at_corners(self, primvar: Any, corners: np.ndarray, polygons: np.ndarray, width: int) -> np.ndarray | None:
        """(m, 3, width): values of a primvar at the corners of triangles; ``None`` if it has none that fit."""
        values = primvar.ComputeFlattened() if primvar else None
        if values is None or not len(values):
            return None
        values = np.array(values, np.float32).reshape(len(values), -1)
        if values.shape[1] < width:
            return None
        values = values[:, :width]
        tokens = UsdGeom.Tokens
        at = {
            tokens.constant: np.zeros_like(corners),
            tokens.uniform: np.repeat(polygons[:, None], 3, axis=1),
            tokens.vertex: self.indices[corners],
            tokens.varying: self.indices[corners],
            tokens.faceVarying: corners,
        }[primvar.GetInterpolation()]
        return values[at] if at.max() < len(values) else None


def _texture_coordinates(prim: Prim) -> Any:
    """The primvar with coordinates in textures: ``st`` by custom, else the first of its type."""
    api = UsdGeom.PrimvarsAPI(prim)
    for name in ("st", "st0", "st_0", "UVMap", "map1"):
        found = api.FindPrimvarWithInheritance(name)
        if found and found.HasValue():
            return found
    kinds = ("texCoord2f[]", "texCoord2d[]", "texCoord2h[]")
    return next((one for one in api.GetPrimvarsWithValues() if str(one.GetTypeName()) in kinds), None)


def _own_color(prim: Prim) -> tuple[tuple[float, float, float] | None, float]:
    """Colour and opacity that a prim says without a material, if it is one for all of it."""
    gprim = UsdGeom.Gprim(prim)
    opacities = gprim.GetDisplayOpacityAttr().Get()
    opacity = float(opacities[0]) if opacities is not None and len(opacities) else 1.0
    colors = gprim.GetDisplayColorAttr().Get()
    if colors is None or not len(colors) or len(colors) > 1:
        return None, opacity
    r, g, b = (float(part) for part in colors[0])
    return (r, g, b), opacity


def placed(transform: np.ndarray) -> dict[str, Any]:
    """A transform (4, 4) that does not shear, as position, orientation and scale; mirrors are scales below 0."""
    linear = transform[:3, :3]
    scale = np.linalg.norm(linear, axis=0) * (-1.0 if np.linalg.det(linear) < 0.0 else 1.0)
    found: dict[str, Any] = {
        "position": transform[:3, 3].tolist(),
        "orientation": from_matrix(rotation(linear)).tolist(),
    }
    if not np.allclose(scale, 1.0, atol=1e-7):
        found["scale"] = scale.tolist()
    return found
