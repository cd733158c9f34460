"""Bodies with their mass properties, as the file's compiler settings want them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.mjcf import geoms as geoms_
from phalanx.io.formats.mjcf.geoms import Geom
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.pictures import looked_at
from phalanx.io.formats.mjcf.source import Compiler
from phalanx.io.formats.mjcf.tree import Node
from phalanx.io.formats.mjcf.values import Values
from phalanx.maths.arrays import matrix
from phalanx.models.robot_model import Body


@dataclass
class Solid:
    """A body of the file: its geoms, and mass, centre and inertia about it in its own frame."""

    node: Node
    geoms: list[Geom]
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    resistances: dict[str, float] = field(default_factory=dict)
    """Of a top-level body whose joints were asked for: see :mod:`phalanx.io.formats.mjcf.inertia`."""
    carried: dict[str, float] = field(default_factory=dict)
    """The same of bodies."""

    def body(self, visuals: bool) -> Body:
        """The body of a model."""
        x, y, z = self.com.tolist()
        made = Body(self.node.name, self.mass, (x, y, z), self.inertia)
        options = self.node.context.options
        made.gravity_scale = options.gravity_scale(Values(self.node.element).number("gravcomp", 0.0))
        made.medium = options.medium
        made.collisions = [g.shape for g in self.geoms if g.collides]
        if visuals:
            made.visuals = [looked_at(g) for g in self.geoms if g.group < geoms_.SHOWN_GROUPS and g.type != "plane"]
        return made


def weigh(node: Node, notes: Notes) -> Solid:
    """A body with its geoms and what they, or its <inertial>, make it weigh."""
    compiler = node.context.source.compiler
    solid = Solid(node, [geoms_.read(placed, notes) for placed in node.geoms])
    if node.inertial is not None and compiler.inertia_from_geom is not True:
        _given(solid, node.inertial)
    elif compiler.inertia_from_geom is not False and node.parent is not None:
        _sum(solid, compiler)
    _bound(solid, compiler)
    return solid


def _given(solid: Solid, values: Values) -> None:
    node = solid.node
    solid.com, quaternion = node.context.source.pose(values)
    solid.mass = values.number("mass")
    if solid.mass < 0.0:
        raise values.error("mass", "it must not be negative")
    if values.has("fullinertia"):
        if values.has("diaginertia"):
            raise values.element.error("it has diaginertia and fullinertia; give one of them.")
        xx, yy, zz, xy, xz, yz = values.vector("fullinertia", 6)
        local = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        local = np.diag(values.vector("diaginertia", 3, (0.0, 0.0, 0.0)))
    turned = matrix(quaternion)
    inertia = turned @ local @ turned.T
    solid.inertia = 0.5 * (inertia + inertia.T)


def _sum(solid: Solid, compiler: Compiler) -> None:
    low, high = compiler.inertia_groups
    grouped = [geom for geom in solid.geoms if low <= geom.group <= high]
    for geom in grouped:
        geoms_.weigh(geom)
    counted = [geom for geom in grouped if geom.mass > 0.0]
    solid.mass = sum(geom.mass for geom in counted)
    if not counted:
        return
    solid.com = np.sum([geom.mass * np.asarray(geom.com) for geom in counted], axis=0) / solid.mass
    for geom in counted:
        arm = np.asarray(geom.com) - solid.com
        solid.inertia = solid.inertia + geom.inertia + geom.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    solid.inertia = 0.5 * (solid.inertia + solid.inertia.T)


def _bound(solid: Solid, compiler: Compiler) -> None:
    """Least masses and inertias, and moments that a real body can have, where the compiler is told to see to it."""
    if solid.node.parent is None:
        return
    solid.mass = max(solid.mass, compiler.bound_mass)
    if not compiler.bound_inertia and not compiler.balance_inertia:
        return
    moments, axes = np.linalg.eigh(solid.inertia)
    moments = np.maximum(moments, compiler.bound_inertia)
    if compiler.balance_inertia and 2.0 * moments.max() > moments.sum():
        moments[:] = moments.mean()
    solid.inertia = (axes * moments) @ axes.T


def scale_total(solids: list[Solid], total: float) -> None:
    """Scale all masses and inertias so that the masses sum up to ``total``, kg."""
    mass = sum(solid.mass for solid in solids)
    if total > 0.0 and mass > 0.0:
        for solid in solids:
            solid.mass *= total / mass
            solid.inertia = solid.inertia * (total / mass)
