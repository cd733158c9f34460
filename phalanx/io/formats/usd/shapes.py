"""Shapes of prims: primitives, meshes, and what stands for them in collisions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdGeom
from phalanx.io.formats.usd.frames import orientation_of, position_of, rotation, sheared
from phalanx.io.formats.usd.meshes import triangles
from phalanx.io.formats.usd.pictures import picture_of
from phalanx.io.formats.usd.values import Reading
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.primitives import TURNED as TURNED_SIZES
from phalanx.models.robot_model import Shape
from phalanx.models.sdf_options import SdfOptions

TURNED = {
    type_: kind for kind, each in PRIMITIVES.items() if each.dimensions == TURNED_SIZES for type_ in each.names.usd
}
"""Types with an axis, and kinds of :class:`phalanx.Shape`."""

APPROXIMATIONS = {
    "none": "triangle_mesh",
    "convexHull": "convex_hull",
    "convexDecomposition": "convex_decomposition",
    "boundingCube": "bounding_cube",
    "boundingSphere": "bounding_sphere",
    "meshSimplification": "triangle_mesh",
    "sdf": "sdf",
    "sphereFill": "convex_decomposition",
}
"""Of meshes, and those of :class:`phalanx.Shape`."""

UNEVEN = 1e-4
"""Relative difference of two scales from which on they count as different."""

SIZES = {
    "Sphere": {"radius": 1.0},
    "Cube": {"size": 2.0},
    "Capsule": {"radius": 0.5, "height": 1.0},
    "Cylinder": {"radius": 1.0, "height": 2.0},
    "Cone": {"radius": 1.0, "height": 2.0},
}
"""Attributes of primitives, and what they are where nothing is written."""


def plane(reading: Reading, prim: Prim, transform: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A point (3,) of a plane without end, and its unit normal (3,)."""
    axis = "XYZ".index(reading.token(prim, "axis", "Z", ("X", "Y", "Z")))
    across = np.linalg.inv(transform[:3, :3]).T[:, axis]  # normals turn the other way when axes are scaled
    return transform[:3, 3], across / np.linalg.norm(across)


def shape(
    reading: Reading, prim: Prim, transform: np.ndarray, moves: bool, collides: bool = True, group: Prim | None = None
) -> Shape | None:
    """The shape of a prim, ``None`` if it has none that is known.

    Args:
        transform: (4, 4), from the prim's frame to the body's, with what is scaled on the way.
        moves: whether forces move the body.
        collides: it is not only to be looked at.
        group: the prim that says how it collides, if it does not do so itself.
    """
    kind = str(prim.GetTypeName())
    if kind == "Mesh":
        return _mesh(reading, prim, transform, moves, collides, group or prim)
    if kind not in ("Sphere", "Cube", *TURNED):
        if collides:
            reading.notes.add(prim, f"colliders of type {kind or 'unknown'} are not simulated; it does not collide.")
        return None
    if sheared(transform[:3, :3]):
        raise reading.error(prim, f"a transform shears the {kind}; make it a Mesh, or scale it along its own axes.")
    scale = np.linalg.norm(transform[:3, :3], axis=0)
    sizes = _sizes(reading, prim, kind)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = rotation(transform[:3, :3]), transform[:3, 3]
    name = str(prim.GetPath())
    if kind == "Sphere":
        _even(reading, prim, scale)
        made = Shape("sphere", (sizes[0] * float(scale.max()),))
    elif kind == "Cube":
        half = 0.5 * sizes[0] * scale
        made = Shape("box", (float(half[0]), float(half[1]), float(half[2])))
    else:
        axis = "XYZ".index(reading.token(prim, "axis", "Z", ("X", "Y", "Z")))
        across = np.delete(scale, axis)
        _even(reading, prim, across)
        made = Shape(TURNED[kind], (sizes[0] * float(across.max()), 0.5 * sizes[1] * float(scale[axis])))
        frame[:3, :3] = frame[:3, :3] @ _onto(axis, np.linalg.det(transform[:3, :3]) < 0.0)
    if min(made.size) <= 0.0 and not (made.kind == "capsule" and made.size[0] > 0.0):
        raise reading.error(prim, f"the {kind} has a size of 0 or less; give it an extent.")
    if made.kind == "capsule" and made.size[1] <= 0.0:
        made = Shape("sphere", made.size[:1])
    return replace(
        made, name=name, position=position_of(frame), orientation=orientation_of(frame), color=color_of(reading, prim)
    )


def _onto(axis: int, mirrored: bool) -> np.ndarray:
    """(3, 3): a rotation that takes z to an axis, or against it.

    Where the prim is mirrored, the frame that is left of it has all three axes flipped, so that the apex of a cone is
    against its axis.
    """
    turned = np.roll(
        np.eye(3), axis + 1, axis=0
    )  # columns are x, y, z permuted in a circle, so that z goes to the axis
    return turned @ np.diag([1.0, -1.0, -1.0]) if mirrored else turned


def _sizes(reading: Reading, prim: Prim, kind: str) -> list[float]:
    if kind in ("Capsule_1", "Cylinder_1"):
        bottom = reading.number(prim, "radiusBottom", 0.5 if kind == "Capsule_1" else 1.0)
        top = reading.number(prim, "radiusTop", bottom)
        if not math.isclose(bottom, top, rel_tol=UNEVEN):
            reading.notes.add(prim, "its two radii differ; it is simulated with the greater one.")
        return [max(bottom, top), reading.number(prim, "height", 1.0 if kind == "Capsule_1" else 2.0)]
    return [reading.number(prim, name, default) for name, default in SIZES[kind].items()]


def _even(reading: Reading, prim: Prim, scale: np.ndarray) -> None:
    if np.ptp(scale) > UNEVEN * scale.max():
        text = "it is scaled differently along axes that must stay alike; the greatest scale is taken for both."
        reading.notes.add(prim, text.replace("both", "all" if len(scale) == 3 else "both"))


def _mesh(reading: Reading, prim: Prim, transform: np.ndarray, moves: bool, collides: bool, group: Prim) -> Shape:
    vertices, faces = triangles(reading, prim, transform)
    made = Shape("mesh", vertices=vertices, faces=faces, name=str(prim.GetPath()), color=color_of(reading, prim))
    made.mesh_file, made.picture = reading.notes.file, picture_of(reading, prim, transform)
    if not collides:
        return made
    given = reading.token(group, "physics:approximation", "none", tuple(APPROXIMATIONS))
    made.approximation = APPROXIMATIONS[given]
    if given in ("meshSimplification", "sphereFill"):
        reading.notes.add(group, f'the approximation "{given}" is not there; "{made.approximation}" stands for it.')
    if moves and made.approximation == "triangle_mesh":
        made.approximation = "convex_hull"
        reading.notes.add(group, "a mesh that moves cannot collide as its triangles; its convex hull stands for it.")
    if made.approximation == "sdf":
        cells = reading.optional(group, "physxSDFMeshCollision:sdfResolution", least=1)
        margin = reading.optional(group, "physxSDFMeshCollision:sdfMargin", least=0.0)
        options = SdfOptions()
        made.sdf = SdfOptions(int(cells or options.resolution), options.margin if margin is None else margin)
    made.double_sided = reading.flag(prim, "doubleSided", False) and made.approximation == "triangle_mesh"
    return made


def color_of(reading: Reading, prim: Prim) -> tuple[float, float, float, float] | None:
    """The one that it is shown in, where that is said without a material."""
    colors = UsdGeom.Gprim(prim).GetDisplayColorAttr().Get() if reading.visuals else None
    if not colors:
        return None
    r, g, b = (float(c) for c in colors[0])
    opacities = UsdGeom.Gprim(prim).GetDisplayOpacityAttr().Get()
    return r, g, b, float(opacities[0]) if opacities else 1.0
