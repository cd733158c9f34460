"""Grains and fluids of a stage: points with PhysX's schema of particle sets, in a particle system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, UsdPhysics
from phalanx.io.formats.usd.cloths import SYSTEM, material_of_particles, target
from phalanx.io.formats.usd.deformables import DeformableModel
from phalanx.io.formats.usd.frames import inverse, orientation_of, position_of, rigid
from phalanx.io.formats.usd.values import Reading
from phalanx.models.meshes.point_set import FLUID_DENSITY, GRAIN_DENSITY, PointSet, particle_volume

SCHEMA = "PhysxParticleSetAPI"
TYPES = {"Points": "points", "PointInstancer": "positions"}
"""Attributes that have the places, by the types of prims that can be particle sets."""

PARTICLE_CONTACT_OFFSET = 0.05
"""m, of a system that does not say."""

REST_BY_CONTACT = {False: 0.99, True: 0.99 * 0.6}
"""Rest offset between particles by their contact offset, of grains and of fluids, where a system does not say."""

STANDARD_GRAVITY = 9.80665
"""m/s^2, by which a particle has the weight that adhesion is counted in."""

REACHES = (2.2, 4.0)
"""Least and greatest reach of a fluid, in radii, that the engine takes."""


def is_particle_set(reading: Reading, prim: Prim) -> bool:
    """Whether a prim is a set of particles, and it and its particle system are switched on."""
    if str(prim.GetTypeName()) not in TYPES or not reading.has(prim, SCHEMA):
        return False
    system = _system(reading, prim)
    enabled = system is None or reading.flag(system, "particleSystemEnabled", True)
    return enabled and reading.flag(prim, "physxParticle:particleEnabled", True)


def read(reading: Reading, prim: Prim, name: str) -> DeformableModel:
    """A set of particles. Nodes are its points in their order.

    Raises:
        LoadError: it has no particle system or no points, or one of its values makes no sense.
    """
    system = _system(reading, prim)
    if system is None:
        raise reading.error(prim, f"particles need a particle system: set the relationship {SYSTEM}.")
    path = str(prim.GetPath())
    transform = reading.transform(prim)
    frame = rigid(transform)
    local = inverse(frame) @ transform
    places = reading.numbers(prim, TYPES[str(prim.GetTypeName())]).reshape(-1, 3)
    points = PointSet(places @ local[:3, :3].T + local[:3, 3], reading.place(prim))
    fluid = reading.flag(prim, "physxParticle:fluid", False)
    arguments = {
        "fluid": fluid,
        "touches_cloth": True,
        **_distances(reading, prim, system, fluid),
        **_material(reading, prim, system, fluid),
    }
    _mass(reading, prim, arguments, len(places))
    _adhesion(reading, prim, system, arguments)
    if not reading.flag(prim, "physxParticle:selfCollision", True):
        reading.notes.add(prim, "physxParticle:selfCollision = false is not simulated: all particles touch each other.")
    velocities = np.array(reading.value(prim, "velocities") or [], float).reshape(-1, 3)
    moving = None
    if len(velocities) == len(places) and np.isfinite(velocities).all():
        moving = velocities @ transform[:3, :3].T
    place, turn = position_of(frame), orientation_of(frame)
    return DeformableModel(name, path, points, place, turn, arguments, np.arange(len(places)), moving)


def _system(reading: Reading, prim: Prim) -> Prim | None:
    path = target(prim, SYSTEM)
    found = None if path is None else reading.stage.GetPrimAtPath(path)
    return found if found and str(found.GetTypeName()) == "PhysxParticleSystem" else None


def _distances(reading: Reading, prim: Prim, system: Prim, fluid: bool) -> dict[str, Any]:
    """Radius, offsets of contact with shapes, reach of a fluid and greatest speed."""
    unit = reading.units.length

    def length(name: str, default: float) -> float:
        given = reading.number(system, name, -math.inf, infinite=True)
        if not math.isfinite(given):
            return default
        if given <= 0.0:
            raise reading.error(system, f"{name} = {given:g} must be above 0.")
        return given * unit

    touch = length("particleContactOffset", PARTICLE_CONTACT_OFFSET)
    radius = length("fluidRestOffset" if fluid else "solidRestOffset", REST_BY_CONTACT[fluid] * touch)
    contact = length("contactOffset", touch)
    rest = length("restOffset", min(0.99 * contact, radius))
    if rest >= contact:
        raise reading.error(system, "contactOffset must be above the rest offset.")
    speed = reading.number(system, "maxVelocity", math.inf, infinite=True)
    found: dict[str, Any] = {"radius": radius, "contact_offset": contact, "rest_offset": rest}
    if math.isfinite(speed):
        found["max_velocity"] = speed * unit
    if fluid:
        reach = 2.0 * touch / radius
        least, most = REACHES
        if not least <= reach <= most:
            reading.notes.add(
                prim,
                f"its particles feel others within {np.clip(reach, least, most):g} rest offsets, not {reach:.3g}.",
            )
        found["reach"] = min(max(reach, least), most) * radius
    return found


def _material(reading: Reading, prim: Prim, system: Prim, fluid: bool) -> dict[str, Any]:
    """Friction, damping, density, viscosity, surface tension and the share of gravity that acts."""
    material = material_of_particles(prim, system)
    if material is None:
        return {"static_friction": 0.2, "dynamic_friction": 0.2}

    def number(name: str, default: float, least: float | None = 0.0) -> float:
        name = f"physxPBDMaterial:{name}"
        return (
            reading.number(material, name, default)
            if least is None
            else reading.number(material, name, default, least=least)
        )

    friction, density = number("friction", 0.2), number("density", 0.0) * reading.units.density
    found: dict[str, Any] = {
        "static_friction": friction,
        "dynamic_friction": friction,
        "damping": number("damping", 0.0),
        "gravity_scale": number("gravityScale", 1.0, None),
        **({"density": density} if density else {}),
    }
    if fluid:
        found["viscosity"] = number("viscosity", 0.0) * reading.units.mass / reading.units.length
        found["surface_tension"] = number("surfaceTension", 0.0) * reading.units.mass
    else:
        found["particle_friction"] = friction * number("particleFrictionScale", 1.0)
    return found


def _mass(reading: Reading, prim: Prim, arguments: dict[str, Any], count: int) -> None:
    """A mass is that of all particles together."""
    if prim.HasAPI(UsdPhysics.MassAPI):
        mass = reading.number(prim, "physics:mass", 0.0, least=0.0) * reading.units.mass
        density = reading.number(prim, "physics:density", 0.0, least=0.0) * reading.units.density
        if mass or density:
            arguments.pop("density", None)
            arguments |= {"mass": mass / count} if mass else {"density": density}


def _adhesion(reading: Reading, prim: Prim, system: Prim, arguments: dict[str, Any]) -> None:
    """Forces that hold particles to shapes, and grains to each other: what PhysX gives no unit counts as weights.

    They depend on the mass of a particle, so this comes last.
    """
    material = material_of_particles(prim, system)
    found = reading.number(material, "physxPBDMaterial:adhesion", 0.0, least=0.0) if material is not None else 0.0
    if not found:
        return
    fluid, radius = arguments["fluid"], arguments["radius"]
    density = arguments.get("density", FLUID_DENSITY if fluid else GRAIN_DENSITY)
    force = adhesion(found, arguments.get("mass") or density * particle_volume(radius, fluid))
    scale = reading.number(material, "physxPBDMaterial:adhesionOffsetScale", 0.0, least=0.0)
    arguments |= {"adhesion": force, "adhesion_reach": adhesion_reach(scale, arguments)}
    if not fluid:
        scale = reading.number(material, "physxPBDMaterial:particleAdhesionScale", 1.0, least=0.0)
        arguments["cohesion"] = scale * force


def adhesion(value: float, mass: float) -> float:
    """Force of adhesion of a particle of some mass, kg, in N."""
    return value * mass * STANDARD_GRAVITY


def adhesion_reach(scale: float, distances: dict[str, float]) -> float:
    """Up to which distance adhesion acts, m, by its scale and the radius and offsets of particles, m."""
    room = distances["contact_offset"] - distances["rest_offset"]
    return min(max(scale * distances["rest_offset"], 0.01 * distances["radius"]), room)


def tell_what_they_pass(reading: Reading, models: Sequence[DeformableModel]) -> None:
    """Particles touch what touches itself."""
    if not any(isinstance(model.mesh, PointSet) for model in models):
        return
    for model in models:
        if not isinstance(model.mesh, PointSet) and not model.arguments.get("touches_cloth"):
            prim = reading.stage.GetPrimAtPath(model.path)
            reading.notes.add(prim, "particles pass through it: they touch what has its self-collision on.")
