"""Particle systems, their materials, sets of particles and cloth for a stage. Lengths are in the stage's units."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.materials import pbd_attributes
from phalanx.facade.isaacsim.core.api.materials.accessors import write
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, UsdGeom, UsdShade

log = logging.getLogger("phalanx.facade")

SYSTEM, SET, CLOTH, SPRINGS = (
    "PhysxParticleSystem",
    "PhysxParticleSetAPI",
    "PhysxParticleClothAPI",
    "PhysxAutoParticleClothAPI",
)


def _path(path: Any) -> Any:
    return Sdf.Path(str(path))


def _write(prim: Prim, rows: Sequence[tuple[str, str, Any]]) -> None:
    for name, kind, value in rows:
        if value is not None:
            write(prim, name, kind, value)


def get_default_particle_system_path(stage: Stage) -> Any:
    """Where a particle system is looked for: ``ParticleSystem`` below the default prim, or at the root."""
    root = stage.GetDefaultPrim().GetPath() if stage.GetDefaultPrim() else Sdf.Path.absoluteRootPath
    return root.AppendChild("ParticleSystem")


def add_physx_particle_system(
    stage: Stage,
    particle_system_path: Any,
    particle_system_enabled: bool | None = None,
    simulation_owner: Any = None,
    contact_offset: float | None = None,
    rest_offset: float | None = None,
    particle_contact_offset: float | None = None,
    solid_rest_offset: float | None = None,
    fluid_rest_offset: float | None = None,
    enable_ccd: bool | None = None,
    solver_position_iterations: int | None = None,
    max_depenetration_velocity: float | None = None,
    wind: Any = None,
    max_neighborhood: int | None = None,
    neighborhood_scale: float | None = None,
    max_velocity: float | None = None,
    global_self_collision_enabled: bool | None = None,
    non_particle_collision_enabled: bool | None = None,
) -> Prim:
    """A particle system; its prim. What is ``None`` stays as PhysX takes it.

    What its attributes do is said by ``isaacsim.core.prims.ParticleSystem``.
    """
    prim = stage.DefinePrim(_path(particle_system_path), SYSTEM)
    if simulation_owner is not None:
        prim.CreateRelationship("simulationOwner", False).SetTargets([_path(simulation_owner)])
    _write(
        prim,
        (
            ("particleSystemEnabled", "Bool", particle_system_enabled),
            ("contactOffset", "Float", contact_offset),
            ("restOffset", "Float", rest_offset),
            ("particleContactOffset", "Float", particle_contact_offset),
            ("solidRestOffset", "Float", solid_rest_offset),
            ("fluidRestOffset", "Float", fluid_rest_offset),
            ("enableCCD", "Bool", enable_ccd),
            ("solverPositionIterationCount", "Int", solver_position_iterations),
            ("maxDepenetrationVelocity", "Float", max_depenetration_velocity),
            ("wind", "Vector3f", None if wind is None else Gf.Vec3f(*(float(each) for each in wind))),
            ("maxNeighborhood", "Int", max_neighborhood),
            ("neighborhoodScale", "Float", neighborhood_scale),
            ("maxVelocity", "Float", max_velocity),
            ("globalSelfCollisionEnabled", "Bool", global_self_collision_enabled),
            ("nonParticleCollisionEnabled", "Bool", non_particle_collision_enabled),
        ),
    )
    return prim


def add_pbd_particle_material(
    stage: Stage,
    path: Any,
    friction: float | None = None,
    particle_friction_scale: float | None = None,
    damping: float | None = None,
    viscosity: float | None = None,
    vorticity_confinement: float | None = None,
    surface_tension: float | None = None,
    cohesion: float | None = None,
    adhesion: float | None = None,
    particle_adhesion_scale: float | None = None,
    adhesion_offset_scale: float | None = None,
    gravity_scale: float | None = None,
    lift: float | None = None,
    drag: float | None = None,
    density: float | None = None,
    cfl_coefficient: float | None = None,
) -> bool:
    """A material of particles; what is ``None`` stays as PhysX takes it. Whether it could be made.

    What its attributes do is said by ``isaacsim.core.api.materials.ParticleMaterial``.
    """
    material = UsdShade.Material.Define(stage, _path(path))
    if not material:
        return False
    prim = material.GetPrim()
    prim.AddAppliedSchema(pbd_attributes.SCHEMA)
    given = {
        "friction": friction,
        "particleFrictionScale": particle_friction_scale,
        "damping": damping,
        "viscosity": viscosity,
        "vorticityConfinement": vorticity_confinement,
        "surfaceTension": surface_tension,
        "cohesion": cohesion,
        "adhesion": adhesion,
        "particleAdhesionScale": particle_adhesion_scale,
        "adhesionOffsetScale": adhesion_offset_scale,
        "gravityScale": gravity_scale,
        "lift": lift,
        "drag": drag,
        "density": density,
        "cflCoefficient": cfl_coefficient,
    }
    _write(prim, [(f"{pbd_attributes.PREFIX}:{name}", "Float", value) for name, value in given.items()])
    return True


def create_particles_grid(
    lower: Any, particle_spacing: float, dim_x: int, dim_y: int, dim_z: int, uniform_particle_velocity: Any = (0, 0, 0)
) -> tuple[list[Any], list[Any]]:
    """Places of particles in a grid, x last, and their velocities.

    Args:
        lower: the corner with the least coordinates, (3,).
        particle_spacing: between neighbours.
        dim_x: particles along x.
        dim_y: along y.
        dim_z: along z.
        uniform_particle_velocity: of all, per s, (3,).

    Returns:
        ``Gf.Vec3f``, dim_x dim_y dim_z of each.
    """
    numbers = np.stack(np.meshgrid(*(np.arange(n) for n in (dim_x, dim_y, dim_z)), indexing="ij"), -1).reshape(-1, 3)
    places = np.asarray([float(each) for each in lower]) + numbers * float(particle_spacing)
    velocity = Gf.Vec3f(*(float(each) for each in uniform_particle_velocity))
    return [Gf.Vec3f(*each) for each in places.tolist()], [Gf.Vec3f(velocity) for _ in places]


def _particles(
    prim: Prim, system: Any, self_collision: bool, fluid: bool, group: int, mass: float, density: float
) -> None:
    prim.AddAppliedSchema(SET)
    prim.CreateRelationship("physxParticle:particleSystem", False).SetTargets([_path(system)])
    _write(
        prim,
        (
            ("physxParticle:selfCollision", "Bool", self_collision),
            ("physxParticle:fluid", "Bool", fluid),
            ("physxParticle:particleGroup", "Int", group),
        ),
    )
    if mass or density:
        prim.AddAppliedSchema("PhysicsMassAPI")
        _write(prim, (("physics:mass", "Float", mass or None), ("physics:density", "Float", density or None)))


def add_physx_particleset_points(
    stage: Stage,
    path: Any,
    positions_list: Sequence[Any],
    velocities_list: Sequence[Any],
    widths_list: Sequence[float],
    particle_system_path: Any,
    self_collision: bool,
    fluid: bool,
    particle_group: int,
    particle_mass: float = 0.0,
    density: float = 0.0,
) -> Any:
    """Particles as ``UsdGeom.Points``.

    Args:
        stage: that gets them.
        path: of their prim.
        positions_list: places in the frame of the prim, (n, 3).
        velocities_list: per s, (n, 3).
        widths_list: diameters that they are drawn with, (n,).
        particle_system_path: of their particle system.
        self_collision: whether they touch each other.
        fluid: whether they are a fluid rather than grains.
        particle_group: a number.
        particle_mass: of all of them together; 0 leaves it to ``density`` and materials.
        density: of what they are made of; 0 leaves it to materials.
    """
    made = UsdGeom.Points.Define(stage, _path(path))
    made.CreatePointsAttr(positions_list)
    made.CreateVelocitiesAttr(velocities_list)
    made.CreateWidthsAttr(widths_list)
    _particles(made.GetPrim(), particle_system_path, self_collision, fluid, particle_group, particle_mass, density)
    return made


def add_physx_particleset_pointinstancer(
    stage: Stage,
    path: Any,
    positions: Sequence[Any],
    velocities: Sequence[Any],
    particle_system_path: Any,
    self_collision: bool,
    fluid: bool,
    particle_group: int,
    particle_mass: float = 0.0,
    density: float = 0.0,
    num_prototypes: int = 1,
    prototype_indices: Sequence[int] | None = None,
) -> Any:
    """Particles as an ``UsdGeom.PointInstancer`` of balls; see :func:`add_physx_particleset_points`.

    Args:
        num_prototypes: balls that are drawn, below the prim.
        prototype_indices: which ball each particle is drawn as; the first one by default.
    """
    made = UsdGeom.PointInstancer.Define(stage, _path(path))
    made.CreatePositionsAttr(positions)
    made.CreateVelocitiesAttr(velocities)
    for number in range(num_prototypes):
        ball = UsdGeom.Sphere.Define(stage, _path(path).AppendChild(f"particlePrototype{number}"))
        made.CreatePrototypesRel().AddTarget(ball.GetPath())
    made.CreateProtoIndicesAttr(list(prototype_indices) if prototype_indices is not None else [0] * len(positions))
    _particles(made.GetPrim(), particle_system_path, self_collision, fluid, particle_group, particle_mass, density)
    return made


def add_physx_particle_cloth(
    stage: Stage,
    path: Any,
    dynamic_mesh_path: Any,
    particle_system_path: Any,
    spring_stretch_stiffness: float | None = None,
    spring_bend_stiffness: float | None = None,
    spring_shear_stiffness: float | None = None,
    spring_damping: float | None = None,
    self_collision: bool | None = None,
    self_collision_filter: bool | None = None,
    particle_group: int = 0,
    pressure: float | None = None,
) -> None:
    """Let a mesh be cloth, with springs along its edges. What they do is said by ``isaacsim.core.prims.ClothPrim``.

    Args:
        stage: that has the mesh.
        path: of the mesh.
        dynamic_mesh_path: of another mesh that would be simulated in its place: of no effect, with a warning; ``None``
            is usual.
        particle_system_path: of its particle system.
        spring_stretch_stiffness: N/m, as the other two.
        spring_bend_stiffness: of springs across two triangles.
        spring_shear_stiffness: of springs across.
        spring_damping: N s/m.
        self_collision: whether it touches itself.
        self_collision_filter: whether not where it is as it was made.
        particle_group: a number.
        pressure: how much larger a closed mesh is blown up.

    Raises:
        ValueError: there is no mesh at the path.
    """
    mesh = UsdGeom.Mesh.Get(stage, _path(path))
    if not mesh:
        raise ValueError(f"<{path}> is no mesh, which cloth must be")
    if dynamic_mesh_path is not None:
        log.warning("add_physx_particle_cloth: <%s> is simulated itself; dynamic_mesh_path has no effect", path)
    prim = mesh.GetPrim()
    prim.AddAppliedSchema(CLOTH)
    prim.CreateRelationship("physxParticle:particleSystem", False).SetTargets([_path(particle_system_path)])
    _write(
        prim,
        (
            ("physxParticle:selfCollision", "Bool", self_collision),
            ("physxParticle:selfCollisionFilter", "Bool", self_collision_filter),
            ("physxParticle:particleGroup", "Int", particle_group),
            ("physxParticle:pressure", "Float", pressure),
        ),
    )
    springs = {
        "springStretchStiffness": spring_stretch_stiffness,
        "springBendStiffness": spring_bend_stiffness,
        "springShearStiffness": spring_shear_stiffness,
        "springDamping": spring_damping,
    }
    if any(value is not None for value in springs.values()):
        prim.AddAppliedSchema(SPRINGS)
        _write(prim, [(f"physxAutoParticleCloth:{name}", "Float", value) for name, value in springs.items()])


__all__ = [
    "add_pbd_particle_material",
    "add_physx_particle_cloth",
    "add_physx_particle_system",
    "add_physx_particleset_pointinstancer",
    "add_physx_particleset_points",
    "create_particles_grid",
    "get_default_particle_system_path",
]
