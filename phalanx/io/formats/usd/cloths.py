"""Cloth of a stage: meshes with PhysX's schemas of particle cloth, as sheets of triangles.

PhysX makes springs along and across edges; here the sheet between them is elastic. A square grid with springs of
stiffness k along its edges has the membrane stiffness E t = k, one with springs k along both diagonals the shear
stiffness G t = k: their energies under a uniform strain agree. A spring k from the one side of an edge to the other,
2 l long, shortens by l a^2 / 4 where the sheet bends by an angle a; its energy is that of a plate of k l^2 a^2 / 16,
which is taken at 1 rad.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics, UsdShade
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.io.formats.usd.frames import inverse, orientation_of, position_of, rigid
from phalanx.io.formats.usd.meshes import fans
from phalanx.io.formats.usd.values import Reading
from phalanx.models.meshes.cloth_mesh import ClothMesh

SCHEMAS = ("PhysxParticleClothAPI", "PhysxAutoParticleClothAPI")
SYSTEM = "physxParticle:particleSystem"
MATERIAL = "PhysxPBDMaterialAPI"

THICKNESS = 1e-3
"""m, where no particle system says how far cloth is from what it rests on."""

LEAST_STIFFNESS = 1e-3
"""N/m, along edges: springs of none would leave particles on their own."""

BEND = 1.0 / 16.0
"""Flexural rigidity by k l^2; see above."""

REST_OF_CONTACT = 0.99
"""Rest offset by contact offset of particle systems that give the latter only."""


def is_cloth(reading: Reading, prim: Prim) -> bool:
    """Whether a prim is cloth that is switched on."""
    found = any(reading.has(prim, schema) for schema in SCHEMAS)
    return found and reading.flag(prim, "physxParticle:particleEnabled", True)


def read(reading: Reading, prim: Prim, name: str) -> DeformableModel:
    """Cloth. Nodes are the mesh's points in their order; points at exactly the same place are one node.

    Raises:
        LoadError: it is no mesh, its triangles cannot be used, or one of its values makes no sense.
    """
    if str(prim.GetTypeName()) != "Mesh":
        raise reading.error(prim, f"cloth must be a Mesh, not a {prim.GetTypeName() or 'prim'}.")
    transform = reading.transform(prim)
    frame = rigid(transform)
    points, faces = fans(reading, prim, inverse(frame) @ transform)
    _, first, which = np.unique(points, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    node_of = place[which.reshape(-1)]
    mesh = ClothMesh(points[first[order]], node_of[faces], reading.place(prim))
    system = target(prim, SYSTEM)
    system = None if system is None else reading.stage.GetPrimAtPath(system)
    arguments = {
        **_surface(reading, prim, system or None, mesh),
        **_material(reading, prim, system or None),
    }
    _elasticity(reading, prim, mesh, arguments)
    _mass(reading, prim, arguments)
    velocities = np.array(reading.value(prim, "velocities") or [], float).reshape(-1, 3)
    moving = None
    if len(velocities) == len(points) and np.isfinite(velocities).all():
        moving = (velocities @ transform[:3, :3].T)[first[order]]
    place_, turn = position_of(frame), orientation_of(frame)
    return DeformableModel(name, str(prim.GetPath()), mesh, place_, turn, arguments, node_of, moving)


def _surface(reading: Reading, prim: Prim, system: Prim | None, mesh: ClothMesh) -> dict[str, Any]:
    """Thickness, offsets, and whether it touches cloth."""
    found: dict[str, Any] = {}

    def length(name: str) -> float | None:
        given = None if system is None else reading.number(system, name, -math.inf, infinite=True)
        return None if given is None or not math.isfinite(given) else given * reading.units.length

    contact = length("contactOffset") or length("particleContactOffset")
    rest = length("restOffset")
    if rest is None and contact is not None:
        rest = REST_OF_CONTACT * contact
    thickness = 2.0 * rest if rest else THICKNESS
    found |= {"thickness": thickness, "rest_offset": thickness / 2}
    if contact is not None:
        if contact <= thickness / 2:
            raise reading.error(system or prim, "contactOffset must be above the rest offset.")
        found["contact_offset"] = contact
    both = system is None or reading.flag(system, "globalSelfCollisionEnabled", True)
    if both and reading.flag(prim, "physxParticle:selfCollision", True):
        solid = length("solidRestOffset")
        found |= {"touches_cloth": True, "touch_offset": min(solid or thickness / 2, 0.25 * mesh.least_height)}
    return found


def _material(reading: Reading, prim: Prim, system: Prim | None) -> dict[str, Any]:
    """Friction, damping and the share of gravity that acts, of the material of the particles."""
    material = material_of_particles(prim, system)
    if material is None:
        return {"static_friction": 0.2, "dynamic_friction": 0.2}
    friction = reading.number(material, "physxPBDMaterial:friction", 0.2, least=0.0)
    scale = reading.number(material, "physxPBDMaterial:gravityScale", 1.0)
    density = reading.number(material, "physxPBDMaterial:density", 0.0, least=0.0) * reading.units.density
    return {
        "static_friction": friction,
        "dynamic_friction": friction,
        "damping": reading.number(material, "physxPBDMaterial:damping", 0.0, least=0.0),
        "gravity_scale": scale,
        **({"density": density} if density else {}),
    }


def material_of_particles(prim: Prim, system: Prim | None) -> Prim | None:
    """The material that particles have: their own, or that of their system."""
    for one in (prim, system):
        bound = None if one is None else UsdShade.MaterialBindingAPI(one).ComputeBoundMaterial("physics")[0]
        if bound and MATERIAL in bound.GetPrim().GetPrimTypeInfo().GetAppliedAPISchemas():
            return bound.GetPrim()
    return None


def _elasticity(reading: Reading, prim: Prim, mesh: ClothMesh, arguments: dict[str, Any]) -> None:
    """A sheet in place of springs."""
    unit = reading.units.mass  # of stiffness, kg/s^2

    def number(name: str, default: float) -> float:
        return reading.number(prim, f"physxAutoParticleCloth:spring{name}", default / unit, least=0.0) * unit

    springs = reading.numbers(prim, "physxParticle:springStiffnesses")
    if len(springs) and not (np.isfinite(springs).all() and (springs >= 0.0).all()):
        raise reading.error(prim, "physxParticle:springStiffnesses must be finite and not negative.")
    stretch = number("StretchStiffness", float(springs.mean()) * unit if len(springs) else 0.0)
    if stretch < LEAST_STIFFNESS:
        reading.notes.add(prim, f"its springs have no stiffness along edges; {LEAST_STIFFNESS:g} N/m is taken.")
    stretch = max(stretch, LEAST_STIFFNESS)
    if number("Damping", 0.0) or reading.numbers(prim, "physxParticle:springDampings").any():
        reading.notes.add(prim, "damping of springs is not simulated; damping of the material is.")
    arguments |= membrane(mesh, arguments["thickness"], stretch, number("ShearStiffness", 0.0))
    arguments["bending_stiffness"] = bending(mesh, number("BendStiffness", 0.0))
    ratio = reading.number(prim, "physxParticle:pressure", 0.0, least=0.0)
    if ratio:
        mesh.check_closed()
        arguments["pressure"] = inflation(mesh, ratio, max(stretch, LEAST_STIFFNESS))


def membrane(mesh: ClothMesh, thickness: float, stretch: float, shear: float) -> dict[str, float]:
    """Moduli of a sheet that resists as springs along edges and diagonals, N/m, do."""
    return {
        "youngs_modulus": max(stretch, LEAST_STIFFNESS) / thickness,
        "poissons_ratio": 0.0,
        "shear_modulus": shear / thickness,
    }


def bending(mesh: ClothMesh, stiffness: float) -> float:
    """Flexural rigidity, N m, of a sheet that resists as springs across edges, N/m, do."""
    sides = mesh.nodes[mesh.edges[:, 0]] - mesh.nodes[mesh.edges[:, 1]]
    return BEND * stiffness * float(np.square(sides).sum(axis=1).mean())


def inflation(mesh: ClothMesh, ratio: float, stretch: float) -> float:
    """Pa, inside less outside, that blow a sphere of the mesh's volume and area up, or down, to a volume.

    Laplace's law, with the membrane's stiffness 1 / (1 - nu) in all directions and nu = 0.

    Args:
        mesh: closed.
        ratio: of the volume to that of the mesh.
        stretch: E t, N/m.
    """
    radius = 3.0 * abs(mesh.volume()) / float(mesh.areas.sum())
    return 2.0 * stretch * (ratio ** (1 / 3) - 1.0) / radius


def _mass(reading: Reading, prim: Prim, arguments: dict[str, Any]) -> None:
    if prim.HasAPI(UsdPhysics.MassAPI):
        mass = reading.number(prim, "physics:mass", 0.0, least=0.0) * reading.units.mass
        density = reading.number(prim, "physics:density", 0.0, least=0.0) * reading.units.density
        if mass or density:
            arguments.pop("density", None)
            arguments |= {"mass": mass} if mass else {"density": density}


def target(prim: Prim, name: str) -> Any:
    """The path that a relationship of a prim leads to first, or ``None``."""
    found = prim.GetRelationship(name)
    targets = found.GetTargets() if found else []
    return targets[0] if targets else None
