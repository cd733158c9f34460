"""Mass, centre of mass and inertia of rigid bodies, in the order of precedence of UsdPhysics.

A body's own mass goes before everything; else its mass is that of its colliders: for each its own mass, or its volume
times its own density, the body's, its material's, or 1000 kg/m^3. A centre of mass, moments and principal axes that the
body has go before what follows from its colliders, whose inertia is taken about a centre that is given. Colliders
that are switched off count, too.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.bodies import RigidBody
from phalanx.io.formats.usd.frames import inverse, rigid
from phalanx.io.formats.usd.materials import Materials
from phalanx.io.formats.usd.values import Reading
from phalanx.maths.arrays import matrix, unit
from phalanx.models.meshes import mass_properties
from phalanx.models.meshes.mass_properties import MassProperties
from phalanx.models.robot_model import Shape

SMALL_SPHERE = 0.1
"""m: radius of the sphere whose inertia a body without colliders has, as in PhysX; its mass is 1 kg if not given."""

NOWHERE = (-np.inf, -np.inf, -np.inf)
"""Centre of mass that stands for none."""


def mass_of(
    reading: Reading, body: RigidBody, shapes: list[tuple[Prim, Shape]], materials: Materials
) -> MassProperties:
    """Mass properties of a body in its own frame; ``shapes`` are those of its colliders.

    Raises:
        LoadError: a number is impossible, or a shape whose volume is needed has none.
    """
    prim = body.prim
    mass = _positive(reading, prim, "physics:mass") * reading.units.mass
    moments = reading.vector(prim, "physics:diagonalInertia", (0.0, 0.0, 0.0))
    full = reading.numbers(prim, "newton:inertia")
    given = moments.any() or len(full) == 6
    centre = reading.vector(prim, "physics:centerOfMass", NOWHERE, infinite=True)
    placed = bool(np.isfinite(centre).all())
    parts = [] if mass and given and placed else _parts(reading, body, shapes, materials)
    total = sum(part.mass for part in parts)
    com = sum((part.mass * part.com for part in parts), np.zeros(3)) / total if total else np.zeros(3)
    inertia = np.zeros((3, 3))
    for part in parts:
        arm = part.com - com
        inertia += part.inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    if mass and total:
        inertia *= mass / total
    mass = mass or total
    if placed:
        arm = (body.local(reading, prim) @ [*centre, 1.0])[:3] - com
        com, inertia = com + arm, inertia + mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    if given:
        inertia = _given(reading, prim, moments, full) * reading.units.torque
    elif not total:
        mass = mass or 1.0
        inertia = 0.4 * mass * SMALL_SPHERE**2 * np.eye(3)
        reading.notes.add(
            prim, "it has no colliders and no inertia, so that of a sphere of 0.1 m is taken, as PhysX does."
        )
    elif reading.quaternion(prim, "physics:principalAxes").any():
        # Axes without moments of inertia turn the ones that follow from the shapes.
        inertia = _turned(reading, prim, np.diag(np.linalg.eigvalsh(inertia)))
    if not mass:
        raise reading.error(prim, "it has an inertia but no mass and no colliders; give it physics:mass.")
    return MassProperties(mass, com, 0.5 * (inertia + inertia.T))


def _positive(reading: Reading, prim: Prim, name: str) -> float:
    return reading.number(prim, name, 0.0, least=0.0)


def _given(reading: Reading, prim: Prim, moments: np.ndarray, full: np.ndarray) -> np.ndarray:
    """(3, 3) about the centre of mass, axes of the body, units of the stage."""
    if len(full) == 6:
        xx, yy, zz, xy, xz, yz = full
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return _turned(reading, prim, np.diag(moments))


def _turned(reading: Reading, prim: Prim, inertia: np.ndarray) -> np.ndarray:
    axes = reading.quaternion(prim, "physics:principalAxes")
    turned = matrix(unit(axes)) if axes.any() else np.eye(3)
    return turned @ inertia @ turned.T


def _parts(
    reading: Reading, body: RigidBody, shapes: list[tuple[Prim, Shape]], materials: Materials
) -> list[MassProperties]:
    """Mass properties of each collider, in the body's frame."""
    found = []
    general = _positive(reading, body.prim, "physics:density") * reading.units.density
    for prim, shape in shapes:
        own = prim != body.prim
        mass = _positive(reading, prim, "physics:mass") * reading.units.mass if own else 0.0
        density = _positive(reading, prim, "physics:density") * reading.units.density if own else 0.0
        density = density or general or materials.density(prim) or mass_properties.DENSITY
        solid = replace(shape, mesh_file="")
        if shape.approximation == "triangle_mesh":
            solid = Shape("mesh", vertices=shape.vertices, faces=shape.faces, name=shape.name)  # its hull
        try:
            part = mass_properties.of([solid], density, mass or None)
        except ValueError as error:
            raise reading.error(prim, str(error)) from None
        if own:
            part = _own(reading, body, prim, part)
        found.append(part)
    return found


def _own(reading: Reading, body: RigidBody, prim: Prim, part: MassProperties) -> MassProperties:
    """What a collider says of its own centre and inertia, in the body's frame."""
    frame = inverse(body.pose) @ rigid(reading.transform(prim))
    com, inertia = part.com, part.inertia
    centre = reading.vector(prim, "physics:centerOfMass", NOWHERE, infinite=True)
    if np.isfinite(centre).all():
        arm = (body.local(reading, prim) @ [*centre, 1.0])[:3] - com
        com, inertia = com + arm, inertia + part.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    moments = reading.vector(prim, "physics:diagonalInertia", (0.0, 0.0, 0.0))
    if moments.any():
        local = _turned(reading, prim, np.diag(moments)) * reading.units.torque
        inertia = frame[:3, :3] @ local @ frame[:3, :3].T
    return MassProperties(part.mass, com, inertia)
