"""One particle system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.materials.accessors import first_number, write
from phalanx.facade.isaacsim.core.api.materials.particle_material import ParticleMaterial
from phalanx.facade.isaacsim.core.prims.particle_system import ParticleSystem
from phalanx.facade.isaacsim.core.prims.single_xform_prim import one
from phalanx.io.formats.usd.bindings import Prim


class SingleParticleSystem:
    """A particle system, which is created if there is none. See :class:`ParticleSystem`.

    Args:
        prim_path: of the system.
        name: for scenes and messages.
        particle_system_enabled: whether its particles are simulated.
        simulation_owner: path of the physics scene.
        contact_offset, rest_offset: between particles and rigid bodies.
        particle_contact_offset, solid_rest_offset, fluid_rest_offset: between particles.
        enable_ccd, solver_position_iteration_count, max_depenetration_velocity: see :class:`ParticleSystem`.
        wind: velocity of the wind, (3,).
        max_neighborhood, max_velocity, global_self_collision_enabled: see :class:`ParticleSystem`.
        non_particle_collision_enabled: whether its particles collide with rigid and deformable bodies.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "particle_system",
        particle_system_enabled: bool | None = None,
        simulation_owner: str | None = None,
        contact_offset: float | None = None,
        rest_offset: float | None = None,
        particle_contact_offset: float | None = None,
        solid_rest_offset: float | None = None,
        fluid_rest_offset: float | None = None,
        enable_ccd: bool | None = None,
        solver_position_iteration_count: int | None = None,
        max_depenetration_velocity: float | None = None,
        wind: Sequence[float] | None = None,
        max_neighborhood: int | None = None,
        max_velocity: float | None = None,
        global_self_collision_enabled: bool | None = None,
        non_particle_collision_enabled: bool | None = None,
    ) -> None:
        stage = stages.get_stage()
        self._prim = stage.GetPrimAtPath(prim_path) or stage.DefinePrim(prim_path, "PhysxParticleSystem")
        self._view = ParticleSystem(prim_path, name)
        if non_particle_collision_enabled is not None:
            write(self._prim, "nonParticleCollisionEnabled", "Bool", non_particle_collision_enabled)
        given: Any = (
            (self.set_particle_system_enabled, particle_system_enabled),
            (self.set_simulation_owner, simulation_owner),
            (self.set_contact_offset, contact_offset),
            (self.set_rest_offset, rest_offset),
            (self.set_particle_contact_offset, particle_contact_offset),
            (self.set_solid_rest_offset, solid_rest_offset),
            (self.set_fluid_rest_offset, fluid_rest_offset),
            (self.set_enable_ccd, enable_ccd),
            (self.set_solver_position_iteration_count, solver_position_iteration_count),
            (self.set_max_depenetration_velocity, max_depenetration_velocity),
            (self.set_wind, wind),
            (self.set_max_neighborhood, max_neighborhood),
            (self.set_max_velocity, max_velocity),
            (self.set_global_self_collision_enabled, global_self_collision_enabled),
        )
        for write_one, value in given:
            if value is not None:
                write_one(value)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def prim_path(self) -> str:
        """Of its prim."""
        return str(self._prim.GetPath())

    @property
    def prim(self) -> Prim:
        """Its prim."""
        return self._prim

    @property
    def particle_system(self) -> Prim:
        """Its prim: schemas of PhysX are attributes of prims here."""
        return self._prim

    @property
    def name(self) -> str | None:
        """What it is called."""
        return self._view.name

    def is_valid(self) -> bool:
        """Whether its prim is still there."""
        return self._view.is_valid()

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of it; warn if nothing is."""
        self._view.initialize(physics_sim_view)

    def post_reset(self) -> None:
        """Go back to the default state: there is none."""
        self._view.post_reset()

    # -- materials and looks ---------------------------------------------------------------------------------

    def apply_particle_material(self, particle_materials: ParticleMaterial) -> None:
        """Give it a material."""
        self._view.apply_particle_materials(particle_materials)

    def get_applied_particle_material(self) -> ParticleMaterial | None:
        """Its material."""
        return self._view.get_applied_particle_materials()[0]

    def apply_particle_anisotropy(self) -> Prim:
        """Give its prim the schema for particles that are drawn stretched."""
        self._prim.AddAppliedSchema("PhysxParticleAnisotropyAPI")
        return self._prim

    def apply_particle_smoothing(self) -> Prim:
        """Give its prim the schema for particles that are drawn smoothed."""
        self._prim.AddAppliedSchema("PhysxParticleSmoothingAPI")
        return self._prim

    def apply_particle_isotropy(self) -> Prim:
        """See :meth:`apply_particle_anisotropy`: the two are one schema."""
        return self.apply_particle_anisotropy()

    # -- attributes ------------------------------------------------------------------------------------------

    def set_simulation_owner(self, value: str) -> None:
        """Let a physics scene simulate it, by its path."""
        self._view.set_simulation_owners([value])

    def get_simulation_owner(self) -> str | None:
        """Path of the physics scene that simulates it; ``None`` if none is said."""
        return self._view.get_simulation_owners()[0]

    def set_wind(self, value: Sequence[float]) -> None:
        """Set the velocity of the wind, (3,)."""
        self._view.set_winds(one(value))

    def get_wind(self) -> list[float]:
        """The velocity of the wind, three numbers."""
        return on_host(self._view.get_winds())[0].tolist()

    def set_particle_system_enabled(self, value: bool) -> None:
        """Set whether particles are simulated."""
        self._view.set_particle_systems_enabled([value])

    def get_particle_system_enabled(self) -> bool:
        """Whether particles are simulated."""
        return bool(on_host(self._view.get_particle_systems_enabled())[0])

    def set_contact_offset(self, value: float) -> None:
        """Set distances at which particles and rigid bodies make contact."""
        self._view.set_contact_offsets([value])

    def get_contact_offset(self) -> float:
        """Distances at which particles and rigid bodies make contact."""
        return first_number(self._view.get_contact_offsets())

    def set_rest_offset(self, value: float) -> None:
        """Set distances at which particles rest on rigid bodies."""
        self._view.set_rest_offsets([value])

    def get_rest_offset(self) -> float:
        """Distances at which particles rest on rigid bodies."""
        return first_number(self._view.get_rest_offsets())

    def set_particle_contact_offset(self, value: float) -> None:
        """Set distances at which particles make contact."""
        self._view.set_particle_contact_offsets([value])

    def get_particle_contact_offset(self) -> float:
        """Distances at which particles make contact."""
        return first_number(self._view.get_particle_contact_offsets())

    def set_solid_rest_offset(self, value: float) -> None:
        """Set distances at which solid particles rest."""
        self._view.set_solid_rest_offsets([value])

    def get_solid_rest_offset(self) -> float:
        """Distances at which solid particles rest."""
        return first_number(self._view.get_solid_rest_offsets())

    def set_fluid_rest_offset(self, value: float) -> None:
        """Set distances at which fluid particles rest."""
        self._view.set_fluid_rest_offsets([value])

    def get_fluid_rest_offset(self) -> float:
        """Distances at which fluid particles rest."""
        return first_number(self._view.get_fluid_rest_offsets())

    def set_enable_ccd(self, value: bool) -> None:
        """Set whether fast particles are kept from tunnelling."""
        self._view.set_enable_ccds([value])

    def get_enable_ccd(self) -> bool:
        """Whether fast particles are kept from tunnelling."""
        return bool(on_host(self._view.get_enable_ccds())[0])

    def set_solver_position_iteration_count(self, value: int) -> None:
        """Set how often positions are solved in a step."""
        self._view.set_solver_position_iteration_counts([value])

    def get_solver_position_iteration_count(self) -> int:
        """How often positions are solved in a step."""
        return int(on_host(self._view.get_solver_position_iteration_counts())[0])

    def set_max_depenetration_velocity(self, value: float) -> None:
        """Set greatest velocities out of rigid bodies."""
        self._view.set_max_depenetration_velocities([value])

    def get_max_depenetration_velocity(self) -> float:
        """Greatest velocities out of rigid bodies."""
        return first_number(self._view.get_max_depenetration_velocities())

    def set_max_neighborhood(self, value: int) -> None:
        """Set most neighbours of a particle."""
        self._view.set_max_neighborhoods([value])

    def get_max_neighborhood(self) -> int:
        """Most neighbours of a particle."""
        return int(on_host(self._view.get_max_neighborhoods())[0])

    def set_max_velocity(self, value: float) -> None:
        """Set greatest velocities of particles."""
        self._view.set_max_velocities([value])

    def get_max_velocity(self) -> float:
        """Greatest velocities of particles."""
        return first_number(self._view.get_max_velocities())

    def set_global_self_collision_enabled(self, value: bool) -> None:
        """Set whether particles of a system collide."""
        self._view.set_global_self_collisions_enabled([value])

    def get_global_self_collision_enabled(self) -> bool:
        """Whether particles of a system collide."""
        return bool(on_host(self._view.get_global_self_collisions_enabled())[0])


__all__ = ["SingleParticleSystem"]
