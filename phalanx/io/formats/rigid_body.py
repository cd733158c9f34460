"""Rigid objects from what users have: shapes, mesh files, robot files of one body."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import unit
from phalanx.models.meshes import mass_properties
from phalanx.models.meshes.mesh_files import FORMATS, load_mesh
from phalanx.models.primitives import PRIMITIVES
from phalanx.models.robot_model import APPROXIMATIONS, SHAPE_KINDS, Body, RobotModel, Shape
from phalanx.models.sdf_options import SdfOptions

Source = str | os.PathLike[str] | RobotModel | Shape | Sequence[Shape]

SIZES = {name: each.sizes for name, each in PRIMITIVES.items()} | {"mesh": 0, "height_field": 2, "plane": 0}
"""Numbers in ``Shape.size`` by kind."""

ONLY_STILL = ("triangle_mesh", "none")
"""Approximations of meshes without an inside, which nothing that moves freely can have."""


def rigid_model(
    source: Source,
    name: str,
    *,
    dynamic: bool = True,
    static: bool = False,
    mass: float | None = None,
    density: float | None = None,
    approximation: str | SdfOptions | None = None,
    visuals: bool = False,
    fix_inertias: bool = False,
) -> RobotModel:
    """A model of one rigid body.

    Args:
        source: a shape, several (a compound), a mesh file, a URDF file or model whose joints are all fixed.
        name: of the body, where the source has none.
        dynamic: whether forces move it: then it needs mass, and shapes with an inside.
        static: whether nothing moves it: then its mass is of no use, and it has none unless you give it.
        mass: kg, of the whole body; spread evenly over its shapes, or scaled from what a file says.
        density: kg/m^3 of its shapes, instead of what a file says; 1000 where nothing says how heavy it is.
        approximation: what stands for meshes in collisions, one of ``APPROXIMATIONS``, or an ``SdfOptions`` for "sdf";
            for a mesh file by default the convex hull of what is dynamic and the triangles of what is not.
        fix_inertias: see :func:`phalanx.io.formats.library.load_robot`.

    Raises:
        LoadError: the source is no rigid body, a shape is impossible, or what is dynamic has no volume and no mass.
    """
    for what, value in (("mass", mass), ("density", density)):
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if value is not None and not (number and 0 < value < np.inf):
            raise ValueError(f"rigid object {name!r}: {what}={value!r} must be a positive, finite number")
    if mass is not None and density is not None:
        raise ValueError(f"rigid object {name!r}: give mass or density, not both")
    if not (approximation is None or isinstance(approximation, SdfOptions) or approximation in APPROXIMATIONS):
        known = ", ".join(APPROXIMATIONS)
        raise ValueError(f"rigid object {name!r}: approximation {approximation!r} is not known; use {known}")
    model = _model(source, name, dynamic, approximation, visuals, fix_inertias)
    moving = [joint.name for joint in model.joints if joint.type != "fixed"]
    if moving:
        raise LoadError(
            f"rigid object {name!r}: {model.source or model.name} has joints that move ({', '.join(moving[:3])}"
            f"{', ...' if len(moving) > 3 else ''}); a rigid object has none: use add_robot()"
        )
    who = f"rigid object {name!r}"
    bodies = [replace(b, collisions=[_checked(shape, who, dynamic) for shape in b.collisions]) for b in model.bodies]
    model = replace(model, bodies=bodies)
    return model if static and mass is None and density is None else _weighed(model, name, dynamic, mass, density)


def _model(
    source: Source,
    name: str,
    dynamic: bool,
    approximation: str | SdfOptions | None,
    visuals: bool,
    fix_inertias: bool,
) -> RobotModel:
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.suffix[1:].lower() in FORMATS:
            vertices, faces = load_mesh(path)
            stands = approximation or ("convex_hull" if dynamic else "triangle_mesh")
            shape = _as(Shape("mesh", vertices=vertices, faces=faces, mesh_file=str(path)), stands)
            return RobotModel(name, [Body(name, collisions=[shape])], [], str(path))
        from phalanx.io.formats import library

        source = library.load_robot(os.fspath(source), visuals, warn=True, fix_inertias=fix_inertias)
    if isinstance(source, RobotModel):
        if approximation is None:
            return source
        bodies = [replace(b, collisions=[_as(s, approximation) for s in b.collisions]) for b in source.bodies]
        return replace(source, bodies=bodies)
    shapes = [source] if isinstance(source, Shape) else list(source) if isinstance(source, Sequence) else []
    if not shapes or not all(isinstance(shape, Shape) for shape in shapes):
        raise TypeError(
            f"rigid object {name!r}: source must be a Shape, a list of them, a mesh or URDF file, or a RobotModel; "
            f"got {source!r:.80}"
        )
    if approximation is not None:
        shapes = [_as(shape, approximation) for shape in shapes]
    return RobotModel(name, [Body(name, collisions=shapes)], [])


def _as(shape: Shape, approximation: str | SdfOptions) -> Shape:
    if shape.kind != "mesh":
        return shape
    if isinstance(approximation, SdfOptions):
        return replace(shape, approximation="sdf", sdf=approximation)
    return replace(shape, approximation=approximation)


def _checked(shape: Shape, who: str, dynamic: bool) -> Shape:
    """The shape with a unit quaternion; refuses what no shape can be. Meshes are looked at closer when cooked."""
    where = f"{who}: {shape.kind}{f' {shape.name!r}' if shape.name else ''}"
    if shape.kind not in SHAPE_KINDS:
        raise LoadError(f"{who}: shape kind {shape.kind!r} is not known; use {', '.join(SHAPE_KINDS)}")
    sizes = np.asarray(shape.size, float)
    count = SIZES[shape.kind]
    if sizes.shape != (count,) or not ((sizes > 0) & (sizes < np.inf)).all():
        need = f"{count} positive, finite size{'s' * (count != 1)}" if count else "no sizes"
        raise LoadError(f"{where} needs {need}, not {tuple(shape.size)}")
    placed = (np.shape(shape.position), np.shape(shape.orientation)) == ((3,), (4,))
    if not placed or not np.isfinite([*shape.position, *shape.orientation]).all() or not np.any(shape.orientation):
        raise LoadError(
            f"{where}: position must be 3 finite numbers, orientation 4, not all zero; got {shape.position!r} and "
            f"{shape.orientation!r}"
        )
    if dynamic and shape.kind in ("plane", "height_field"):
        raise LoadError(f"{where} has no inside, so it cannot move freely; make the object static or kinematic")
    if dynamic and shape.kind == "mesh" and shape.approximation in ONLY_STILL:
        raise LoadError(
            f'{where} cannot move freely as a triangle mesh; pass approximation="convex_hull", '
            '"convex_decomposition" or "sdf", or make the object static or kinematic'
        )
    w, x, y, z = unit(shape.orientation).tolist()
    return replace(shape, orientation=(w, x, y, z))


def _weighed(model: RobotModel, name: str, dynamic: bool, mass: float | None, density: float | None) -> RobotModel:
    """The model with its mass: as given, as the file says, or from the volume of its shapes."""
    if density is not None or not sum(body.mass for body in model.bodies) > 0:
        bodies = [_filled(body, name, dynamic, density) for body in model.bodies]
    else:
        bodies = model.bodies
        negative = [body.name for body in bodies if body.mass < 0]
        if negative:
            raise LoadError(f"rigid object {name!r}: the mass of body {negative[0]!r} is negative")
    total = sum(body.mass for body in bodies)
    if dynamic and not total > 0:
        raise LoadError(f"rigid object {name!r} has no mass and no shape to fill; give it a collision shape")
    if mass is not None and total > 0:
        bodies = [replace(b, mass=b.mass * mass / total, inertia=b.inertia * (mass / total)) for b in bodies]
    return replace(model, bodies=bodies)


def _filled(body: Body, name: str, dynamic: bool, density: float | None) -> Body:
    if not body.collisions:
        return body
    try:
        found = mass_properties.of(body.collisions, density)
    except ValueError as error:
        if dynamic or density is not None:
            raise LoadError(f"rigid object {name!r}: {error}") from None
        # The user moves it, so its mass matters to nothing.
        return replace(body, mass=1.0, com=(0.0, 0.0, 0.0), inertia=np.eye(3))
    com: Any = tuple(found.com.tolist())
    return replace(body, mass=found.mass, com=com, inertia=found.inertia)
