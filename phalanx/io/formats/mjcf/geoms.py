"""Geoms: what collides, what is seen, and what it weighs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from phalanx.io.formats.mjcf.assets import height_field, mesh
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import Pose, compose, tuples
from phalanx.io.formats.mjcf.softness import Softness, read_softness
from phalanx.io.formats.mjcf.source import MeshAsset
from phalanx.io.formats.mjcf.tree import Placed
from phalanx.io.formats.mjcf.values import Values
from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import from_matrix, matrix
from phalanx.models.meshes import mass_properties
from phalanx.models.meshes.mesh_files import area_vectors, convex_hull
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import Shape

KINDS = {each.names.mjcf: kind for kind, each in PRIMITIVES.items() if each.names.mjcf}
"""Types that are primitives, and kinds of :class:`phalanx.Shape`."""

SIZES = {type_: PRIMITIVES[kind].sizes for type_, kind in KINDS.items()} | {"ellipsoid": 3}
TYPES = (*SIZES, "mesh", "hfield", "plane", "sdf")
SHOWN_GROUPS = 3
"""Groups below this are seen, as in the format's own viewer."""

DENSITY = 1000.0
LARGEST = 1e9  # m


@dataclass
class Geom:
    """A geom: its shape placed in the body, and what it weighs."""

    name: str
    type: str
    shape: Shape
    group: int
    mass: float = 0.0
    com: np.ndarray | None = None
    inertia: np.ndarray | None = None
    """(3, 3) about ``com`` (3,), axes of the body."""
    collides: bool = True
    condim: int = 3
    friction: float = 1.0
    """Sliding friction as the file has it, with condim 1 as well."""
    placed: Placed | None = None
    softness: Softness = field(default_factory=Softness)


def read(placed: Placed, notes: Notes) -> Geom:
    """A geom of the file."""
    values = placed.values
    given = values.choice("type", "sphere", TYPES)
    kind = "mesh" if values.has("mesh") and not values.has("type") else given
    if kind == "sdf":
        raise values.error("type", "signed distance functions of plugins cannot be had; use a mesh")
    shape = _shape(placed, kind)
    shape.name = placed.name
    _surface(shape, values)
    geom = Geom(placed.name, kind, shape, values.whole("group", 0), placed=placed)
    geom.condim = values.whole("condim", 3)
    if geom.condim not in (1, 3, 4, 6):
        raise values.error("condim", "it must be 1, 3, 4 or 6")
    if geom.condim == 6:
        notes.attribute(values.givers("condim")[-1], "condim 6 (friction against rolling)")
    slide, spin, _ = values.vector("friction", 3, (1.0, 0.005, 0.0001), least=1).tolist()
    if min(slide, spin) < 0.0:
        raise values.error("friction", "it must not be negative")
    geom.friction, friction = slide, 0.0 if geom.condim == 1 else slide
    shape.material = {"static_friction": friction, "dynamic_friction": friction, "friction_combine": "max"}
    if geom.condim > 3 and slide > 0.0:
        shape.material["min_torsional_patch_radius"] = spin / slide
    geom.softness = _softness(placed, notes)
    if placed.context.options.off("contact"):
        shape.contact_type = shape.contact_affinity = 0
    geom.collides = shape.contact_type != 0 or shape.contact_affinity != 0
    return geom


def _softness(placed: Placed, notes: Notes) -> Softness:
    values, options = placed.values, placed.context.options
    found = read_softness(values, "solref", "solimp", 0.0 if options.off("refsafe") else 2.0 * options.timestep)
    priority = values.whole("priority", 0)
    if priority:  # it is of friction, too
        notes.attribute(values.givers("priority")[-1], "priority")
    for name in ("solimp", "solmix"):
        if values.has(name) and not found.given:
            notes.attribute(values.givers(name)[-1], name)
    return replace(found, priority=priority, weight=values.number("solmix", 1.0))


def _surface(shape: Shape, values: Values) -> None:
    """Colour, contact bits and offsets."""
    shape.contact_type = values.whole("contype", 1)
    shape.contact_affinity = values.whole("conaffinity", 1)
    for name, bits in (("contype", shape.contact_type), ("conaffinity", shape.contact_affinity)):
        if not 0 <= bits < 1 << 32:
            raise values.error(name, "it must have at most 32 bits")
    margin, gap = values.number("margin", 0.0), values.number("gap", 0.0)
    if margin != 0.0:
        shape.rest_offset = margin
    if gap > 0.0:
        shape.contact_offset = margin + gap


def color(placed: Placed) -> tuple[float, float, float, float]:
    """Colour of a geom: its own, or that of its material, or grey."""
    values = placed.values
    found = np.array([0.5, 0.5, 0.5, 1.0])
    if values.has("material"):
        material = placed.context.source.asset("material", values.word("material"), values.givers("material")[-1])
        found = material.vector("rgba", 4, (1.0, 1.0, 1.0, 1.0))
    r, g, b, a = values.vector("rgba", 4, found).tolist()
    return (r, g, b, a)


def _shape(placed: Placed, kind: str) -> Shape:
    values, source, pose = placed.values, placed.context.source, placed.pose
    size: np.ndarray | None = None
    if kind in SIZES:
        pose, size = _fitted(placed, kind) if values.has("mesh") else (pose, _size(values, kind))
    position, orientation = tuples(pose)
    at = Shape(KINDS.get(kind, kind), position=position, orientation=orientation, color=color(placed))
    if kind == "plane":
        return at
    if kind == "mesh":
        asset, vertices, faces = _mesh(placed)
        return replace(at, vertices=vertices, faces=faces, mesh_file=asset.path)
    if kind == "hfield":
        field = source.asset("hfield", values.word("hfield"), (values.givers("hfield") or [values.element])[-1])
        heights, spacing = height_field(field, source)
        return replace(at, kind="height_field", heights=heights, size=spacing)
    assert size is not None
    if kind == "ellipsoid":
        vertices = _ball() * size
        return replace(at, kind="mesh", vertices=vertices, faces=convex_hull(vertices)[1])
    return replace(at, size=tuple(size.tolist()))


def _mesh(placed: Placed) -> tuple[MeshAsset, np.ndarray, np.ndarray]:
    """The mesh that a geom names, with vertices and faces."""
    values, source = placed.values, placed.context.source
    asset: MeshAsset = source.asset("mesh", values.word("mesh"), (values.givers("mesh") or [values.element])[-1])
    return asset, *mesh(asset, source)


def _fitted(placed: Placed, kind: str) -> tuple[Pose, np.ndarray]:
    """Pose and sizes of a primitive instead of a mesh: those of the box that has its inertia."""
    if placed.context.source.compiler.fit_bounds:
        raise placed.values.error("mesh", "primitives fitted to bounds cannot be had; write the geom's sizes out")
    volume, centre, inertia = _solid_mesh(placed)
    moments, axes = np.linalg.eigh(inertia)
    moments, axes = moments[::-1], axes[:, ::-1]  # the longest side along z
    axes = axes * [1.0, 1.0, np.linalg.det(axes)]
    sides = np.sqrt(np.maximum(1.5 * (moments.sum() - 2.0 * moments) / volume, 0.0))
    across = 0.5 * (sides[0] + sides[1])
    size = {
        "sphere": sides.mean(keepdims=True),
        "capsule": np.array([across, max(sides[2] - 0.5 * across, 1e-9)]),
        "cylinder": np.array([across, sides[2]]),
    }.get(kind, sides)
    return compose(placed.pose, (centre, from_matrix(axes))), size * placed.values.number("fitscale", 1.0)


def _size(values: Values, kind: str) -> np.ndarray:
    """Radius, radius and half length, or half lengths, m."""
    count = SIZES[kind]
    size = values.vector("size", 3, (0.0, 0.0, 0.0), least=1)
    if values.has("fromto"):
        if kind == "sphere":
            raise values.error("fromto", "a sphere has no ends; give its pos")
        ends = values.vector("fromto", 6)
        half = 0.5 * float(np.linalg.norm(ends[:3] - ends[3:]))
        size = np.array([size[0], half, 0.0] if count == 2 else [size[0], size[0], half])
    if not ((size[:count] > 0.0) & (size[:count] < LARGEST)).all():
        need = f"{count} positive number{'s' * (count > 1)}" if not values.has("fromto") else "a positive radius"
        raise values.error("size", f"a {kind} needs {need}")
    return size[:count]


def _ball() -> np.ndarray:
    """Points (n, 3) on the unit sphere, even in both halves of each axis."""
    rings = [np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]])]
    for k in range(1, 6):
        polar = np.pi * k / 6.0
        azimuth = 2.0 * np.pi * np.arange(12) / 12.0
        ring = np.stack([np.sin(polar) * np.cos(azimuth), np.sin(polar) * np.sin(azimuth)], axis=1)
        rings.append(np.column_stack([ring, np.full(12, np.cos(polar))]))
    return np.concatenate(rings)


def weigh(geom: Geom) -> None:
    """Find out the mass, centre and inertia of a geom, in the body's axes."""
    if geom.type in ("plane", "hfield") or geom.placed is None:
        return
    values = geom.placed.values
    if values.has("shellinertia") and values.flag("shellinertia", False):
        raise values.error("shellinertia", "shells cannot be weighed; give the body an <inertial>")
    volume, centre, inertia = _solid(geom)
    if values.has("mass"):
        geom.mass = values.number("mass")
        scale = geom.mass / volume if volume > 0.0 else 0.0
    else:
        scale = values.number("density", DENSITY)
        geom.mass = scale * volume
    if geom.mass < 0.0:
        raise values.error("mass" if values.has("mass") else "density", "it must not be negative")
    turned = matrix(geom.shape.orientation)
    geom.com = np.asarray(geom.shape.position) + turned @ centre
    geom.inertia = scale * turned @ inertia @ turned.T


def _solid(geom: Geom) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centroid and inertia about it at density 1, in the geom's frame."""
    assert geom.placed is not None
    if geom.type == "mesh":
        return _solid_mesh(geom.placed)
    if geom.type == "ellipsoid":
        size = np.asarray(geom.shape.vertices).max(axis=0)
        volume = 4.0 / 3.0 * np.pi * float(np.prod(size))
        squares = size**2
        return volume, np.zeros(3), volume / 5.0 * np.diag(squares.sum() - squares)
    try:
        found = mass_properties.of([Shape(geom.shape.kind, geom.shape.size)], density=1.0)
    except LoadError as reason:  # so small that its volume is 0
        raise geom.placed.values.error("size", str(reason).rstrip(".")) from None
    return found.mass, found.com, found.inertia


def _solid_mesh(placed: Placed) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of a mesh, as its asset wants it."""
    asset, vertices, faces = _mesh(placed)
    mode = asset.values.choice("inertia", "legacy", ("legacy", "exact", "convex", "shell"))
    if mode == "shell":
        raise asset.values.error("inertia", "shells cannot be weighed; give the body an <inertial>")
    if mode == "convex":
        vertices, faces = convex_hull(vertices)
    volume, centre, inertia = (solid_of_cones if mode == "legacy" else mass_properties.polyhedron)(vertices, faces)
    if not volume > 0.0:
        name = Path(asset.path).name or placed.values.word("mesh")
        raise placed.values.error("mesh", f'"{name}" has no volume; give the body an <inertial>')
    return volume, centre, inertia


def solid_of_cones(vertices: np.ndarray, faces: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """As :func:`mass_properties.polyhedron`, but the tetrahedra to all triangles count as positive.

    So that open meshes, and those with faces turned round, have a volume: the centroid is that of tetrahedra from the
    surface's centroid, volume and inertia are those of tetrahedra from there. For a closed mesh that is star-shaped
    about both points it is all the same.
    """
    corners = vertices[faces]
    areas = 0.5 * np.linalg.norm(area_vectors(corners), axis=1)
    if not areas.sum() > 0.0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    middle = (areas @ corners.mean(axis=1)) / areas.sum()
    volume, centroid, _ = _cones(corners - middle)
    if not volume > 0.0:
        return 0.0, middle, np.zeros((3, 3))
    volume, _, inertia = _cones(corners - middle - centroid)
    return volume, middle + centroid, inertia


def _cones(corners: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume, centroid and inertia about the origin of tetrahedra between it and triangles (m, 3, 3), at density 1."""
    det = np.abs(np.linalg.det(corners))
    volume = float(det.sum()) / 6.0
    total = corners.sum(axis=1)
    centroid = det @ total / 24.0 / volume if volume > 0.0 else np.zeros(3)
    outer = np.einsum("tki,tkj->tij", corners, corners) + np.einsum("ti,tj->tij", total, total)
    moments = np.einsum("t,tij->ij", det, outer) / 120.0
    return volume, centroid, np.trace(moments) * np.eye(3) - moments


def plane_of(geom: Geom, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """A point of a plane and its normal, for a plane in a body at ``pose``."""
    turned = matrix(pose[1])
    point = pose[0] + turned @ np.asarray(geom.shape.position)
    return point, turned @ matrix(geom.shape.orientation)[:, 2]
