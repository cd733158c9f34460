"""Views of particle systems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.api.materials.particle_material import ParticleMaterial
from phalanx.facade.isaacsim.core.prims.prim import Prim
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims, relation, target
from phalanx.facade.isaacsim.core.prims.visual_bindings import bind, bound
from phalanx.io.formats.usd.bindings import Gf
from phalanx.io.formats.usd.cloths import SYSTEM

_OWNER, _WIND = "simulationOwner", "wind"


class ParticleSystem(Prim, SoftPrims):
    """Particle systems: what cloths, grains and fluids of position-based particles have in common.

    Sets of particles that name a system, as Points or PointInstancer with PhysxParticleSetAPI, are simulated as grains
    and fluids with what the stage says when the simulation starts to play: offsets between particles and to shapes,
    greatest velocity, friction, viscosity, density and damping. What is read and written here is the stage's; it acts
    from the next start on. ``indices`` are numbers of prims, (M,); all by default. Lengths are in units of the stage.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        name: for scenes and messages.
        particle_systems_enabled: whether particles are simulated, (N,).
        simulation_owners: paths of physics scenes, (N,).
        contact_offsets, rest_offsets: between particles and rigid bodies, (N,).
        particle_contact_offsets, solid_rest_offsets, fluid_rest_offsets: between particles, (N,).
        enable_ccds, solver_position_iteration_counts, max_depenetration_velocities: (N,).
        winds: velocities of the wind, (N, 3).
        max_neighborhoods, max_velocities, global_self_collisions_enabled: (N,).

    Raises:
        ValueError: no prim matches, or an array has another shape.
    """

    WHAT = "particles"

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        name: str = "particle_system_view",
        particle_systems_enabled: Any = None,
        simulation_owners: Any = None,
        contact_offsets: Any = None,
        rest_offsets: Any = None,
        particle_contact_offsets: Any = None,
        solid_rest_offsets: Any = None,
        fluid_rest_offsets: Any = None,
        enable_ccds: Any = None,
        solver_position_iteration_counts: Any = None,
        max_depenetration_velocities: Any = None,
        winds: Any = None,
        max_neighborhoods: Any = None,
        max_velocities: Any = None,
        global_self_collisions_enabled: Any = None,
    ) -> None:
        super().__init__(prim_paths_expr, name)
        self._applied_materials: dict[int, Any] = {}
        for write_all, values in (
            (self.set_particle_systems_enabled, particle_systems_enabled),
            (self.set_simulation_owners, simulation_owners),
            (self.set_contact_offsets, contact_offsets),
            (self.set_rest_offsets, rest_offsets),
            (self.set_particle_contact_offsets, particle_contact_offsets),
            (self.set_solid_rest_offsets, solid_rest_offsets),
            (self.set_fluid_rest_offsets, fluid_rest_offsets),
            (self.set_enable_ccds, enable_ccds),
            (self.set_solver_position_iteration_counts, solver_position_iteration_counts),
            (self.set_max_depenetration_velocities, max_depenetration_velocities),
            (self.set_winds, winds),
            (self.set_max_neighborhoods, max_neighborhoods),
            (self.set_max_velocities, max_velocities),
            (self.set_global_self_collisions_enabled, global_self_collisions_enabled),
        ):
            if values is not None:
                write_all(values)

    def _on_physics_ready(self, event: Any) -> None:
        super()._on_physics_ready(event)
        self._simulate()

    def _simulate(self) -> None:
        """Warn of systems none of whose particles are simulated."""
        made = simulation.stage_world()
        if made is None:
            return
        stage = stages.get_stage()
        used = {target(stage.GetPrimAtPath(one.path), SYSTEM) for one in made.scene.deformables}
        if not used.issuperset(self._prim_paths):
            super()._simulate()

    # -- materials -------------------------------------------------------------------------------------------

    def apply_particle_materials(self, particle_materials: Any, indices: Any = None) -> None:
        """Give systems materials: one for all, or a list with one for each, (M,).

        Raises:
            ValueError: a list has another length than M.
        """
        chosen = self._chosen(indices)
        given = particle_materials if isinstance(particle_materials, list) else [particle_materials] * len(chosen)
        if len(given) != len(chosen):
            raise ValueError(f"there are {len(given)} materials for {len(chosen)} particle systems")
        for i, material in zip(chosen, given, strict=True):
            bind(self._prims[i], material.material, True, "physics")
            self._applied_materials[i] = material

    def get_applied_particle_materials(self, indices: Any = None) -> list[ParticleMaterial | None]:
        """Materials of systems, (M,): those that were applied, or objects for them; ``None`` where there is none."""
        found: list[ParticleMaterial | None] = []
        for i in self._chosen(indices):
            path = bound(self._prims[i], "physics")
            known = self._applied_materials.get(i)
            if path and (known is None or known.prim_path != path):
                known = self._applied_materials[i] = ParticleMaterial(path)
            found.append(known if path else None)
        return found

    # -- owners and wind -------------------------------------------------------------------------------------

    def set_simulation_owners(self, values: Sequence[str], indices: Any = None) -> None:
        """Let physics scenes simulate systems, by their paths, (M,)."""
        for i, path in zip(self._chosen(indices), values, strict=True):
            relation(self._prims[i], _OWNER, [path])

    def get_simulation_owners(self, indices: Any = None) -> list[str | None]:
        """Paths of the physics scenes that simulate systems, (M,); ``None`` where none is said."""
        return [target(self._prims[i], _OWNER) for i in self._chosen(indices)]

    def set_winds(self, values: Any, indices: Any = None) -> None:
        """Set velocities of the wind, (M, 3)."""
        chosen = self._chosen(indices)
        given = shaped("winds", on_host(values, float), (len(chosen), 3)).tolist()
        for i, value in zip(chosen, given, strict=True):
            write(self._prims[i], _WIND, "Float3", Gf.Vec3f(*value))

    def get_winds(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, 3): velocities of the wind."""
        found = [tuple(read(self._prims[i], _WIND, (0.0, 0.0, 0.0))) for i in self._chosen(indices)]
        return self._backend.give(np.array(found, np.float32).reshape(-1, 3))

    # -- the rest --------------------------------------------------------------------------------------------

    def set_particle_systems_enabled(self, values: Any, indices: Any = None) -> None:
        """Set whether particles are simulated, (M,)."""
        self._set_number("particleSystemEnabled", "Bool", "", values, indices)

    def get_particle_systems_enabled(self, indices: Any = None) -> Any:
        """Whether particles are simulated, (M,)."""
        return self._number("particleSystemEnabled", "Bool", True, indices)

    def set_contact_offsets(self, values: Any, indices: Any = None) -> None:
        """Set distances at which particles and rigid bodies make contact, (M,)."""
        self._set_number("contactOffset", "Float", "", values, indices)

    def get_contact_offsets(self, indices: Any = None) -> Any:
        """Distances at which particles and rigid bodies make contact, (M,)."""
        return self._number("contactOffset", "Float", float("-inf"), indices)

    def set_rest_offsets(self, values: Any, indices: Any = None) -> None:
        """Set distances at which particles rest on rigid bodies, (M,)."""
        self._set_number("restOffset", "Float", "", values, indices)

    def get_rest_offsets(self, indices: Any = None) -> Any:
        """Distances at which particles rest on rigid bodies, (M,)."""
        return self._number("restOffset", "Float", float("-inf"), indices)

    def set_particle_contact_offsets(self, values: Any, indices: Any = None) -> None:
        """Set distances at which particles make contact, (M,)."""
        self._set_number("particleContactOffset", "Float", "", values, indices)

    def get_particle_contact_offsets(self, indices: Any = None, clone: bool = True) -> Any:
        """Distances at which particles make contact, (M,), or (M, 1) while a simulation plays."""
        return self._number("particleContactOffset", "Float", 0.05, indices, column=True)

    def set_solid_rest_offsets(self, values: Any, indices: Any = None) -> None:
        """Set distances at which solid particles rest, (M,)."""
        self._set_number("solidRestOffset", "Float", "", values, indices)

    def get_solid_rest_offsets(self, indices: Any = None, clone: bool = True) -> Any:
        """Distances at which solid particles rest, (M,), or (M, 1) while a simulation plays."""
        return self._number("solidRestOffset", "Float", float("-inf"), indices, column=True)

    def set_fluid_rest_offsets(self, values: Any, indices: Any = None) -> None:
        """Set distances at which fluid particles rest, (M,)."""
        self._set_number("fluidRestOffset", "Float", "", values, indices)

    def get_fluid_rest_offsets(self, indices: Any = None, clone: bool = True) -> Any:
        """Distances at which fluid particles rest, (M,), or (M, 1) while a simulation plays."""
        return self._number("fluidRestOffset", "Float", float("-inf"), indices, column=True)

    def set_enable_ccds(self, values: Any, indices: Any = None) -> None:
        """Set whether fast particles are kept from tunnelling, (M,)."""
        self._set_number("enableCCD", "Bool", "", values, indices)

    def get_enable_ccds(self, indices: Any = None) -> Any:
        """Whether fast particles are kept from tunnelling, (M,)."""
        return self._number("enableCCD", "Bool", False, indices)

    def set_solver_position_iteration_counts(self, values: Any, indices: Any = None) -> None:
        """Set how often positions are solved in a step, (M,)."""
        self._set_number("solverPositionIterationCount", "Int", "", values, indices)

    def get_solver_position_iteration_counts(self, indices: Any = None) -> Any:
        """How often positions are solved in a step, (M,)."""
        return self._number("solverPositionIterationCount", "Int", 16, indices)

    def set_max_depenetration_velocities(self, values: Any, indices: Any = None) -> None:
        """Set greatest velocities out of rigid bodies, (M,)."""
        self._set_number("maxDepenetrationVelocity", "Float", "", values, indices)

    def get_max_depenetration_velocities(self, indices: Any = None) -> Any:
        """Greatest velocities out of rigid bodies, (M,)."""
        return self._number("maxDepenetrationVelocity", "Float", float("inf"), indices)

    def set_max_neighborhoods(self, values: Any, indices: Any = None) -> None:
        """Set most neighbours of a particle, (M,)."""
        self._set_number("maxNeighborhood", "Int", "", values, indices)

    def get_max_neighborhoods(self, indices: Any = None) -> Any:
        """Most neighbours of a particle, (M,)."""
        return self._number("maxNeighborhood", "Int", 96, indices)

    def set_max_velocities(self, values: Any, indices: Any = None) -> None:
        """Set greatest velocities of particles, (M,)."""
        self._set_number("maxVelocity", "Float", "", values, indices)

    def get_max_velocities(self, indices: Any = None) -> Any:
        """Greatest velocities of particles, (M,)."""
        return self._number("maxVelocity", "Float", float("inf"), indices)

    def set_global_self_collisions_enabled(self, values: Any, indices: Any = None) -> None:
        """Set whether particles of a system collide, (M,)."""
        self._set_number("globalSelfCollisionEnabled", "Bool", "", values, indices)

    def get_global_self_collisions_enabled(self, indices: Any = None) -> Any:
        """Whether particles of a system collide, (M,)."""
        return self._number("globalSelfCollisionEnabled", "Bool", True, indices)


__all__ = ["ParticleSystem"]
