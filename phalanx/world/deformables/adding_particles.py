"""The part of a world that takes in particles."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from phalanx.models.meshes.point_set import FLUID_DENSITY, GRAIN_DENSITY, PointSet, particle_volume
from phalanx.world import checking, options
from phalanx.world.deformables.particles import Particles
from phalanx.world.layout.parts import ParticlesPart
from phalanx.world.options import Surface
from phalanx.world.running import Running


class ParticleSets(Running):
    """Adds particles to what a world can hold."""

    particles: dict[str, Particles]
    _settings: dict[str, Any]

    def add_particles(
        self,
        source: PointSet | Any,
        name: str = "particles",
        *,
        radius: float = 5e-3,
        density: float | None = None,
        mass: float | None = None,
        particle_friction: float | Sequence[float] | None = None,
        rolling_friction: float | None = None,
        cohesion: float = 0.0,
        fluid: bool = False,
        viscosity: float = 0.0,
        surface_tension: float = 0.0,
        reach: float | None = None,
        adhesion: float = 0.0,
        adhesion_reach: float | None = None,
        max_velocity: float = np.inf,
        position: Sequence[float] | np.ndarray = (0.0, 0.0, 0.0),
        orientation: Sequence[float] | np.ndarray = (1.0, 0.0, 0.0, 0.0),
        damping: float = 0.0,
        disable_gravity: bool = False,
        gravity_scale: float = 1.0,
        kinematic: bool = False,
        collision_group: int = 0,
        collision_mask: Any = None,
        contact_offset: float | None = None,
        rest_offset: float | None = None,
        touches_cloth: bool = False,
        **surface: Unpack[Surface],
    ) -> Particles:
        """Add grains or a fluid to every environment.

        Grains are spheres that touch each other and rigid bodies, and rub; with a rolling friction they roll. Fluids
        keep their density.

        All particles of a world touch each other, whatever body they are of.

        Args:
            source: where they start, as a PointSet or (n, 3) in m.
            name: unique in the world.
            radius: m; the centres of two that touch are as far apart as the sum of their radii.
            density, mass: kg/m^3 of each sphere, or of the fluid, or kg of each; 1500 kg/m^3, of a fluid 1000 kg/m^3,
                where neither is given.
            particle_friction: coefficient of friction between particles, or the static and the dynamic one; those of
                the surface where it is not given. Where they are of different bodies, the mean holds.
            rolling_friction: grains turn, and rolling takes a torque of this by the force between two and their radius;
                with 0 they roll freely. ``None``: they do not turn.
            cohesion: force that two particles that touch hold together with, N; of two bodies the lesser.
            fluid: they are a fluid, at rest 2 radii apart.
            viscosity: of a fluid, dynamic, Pa s; no more than small steps can follow.
            surface_tension: of a fluid, N/m; no more than small steps can follow. Of two bodies the lesser holds.
            reach: up to which bits of a fluid feel each other, m; 2.2 to 4 radii; where it is not given 3.4, with a
                surface tension 4, at which drops are nearest to the shapes that they should have.
            adhesion: force that the surface of a rigid body or the ground holds each particle with, N; friction and
                rolling resistance bear on it, too.
            adhesion_reach: distance of a particle's surface from such a surface up to which that acts, m, at most the
                contact offset; a hundredth of the radius where it is not given.
            max_velocity: cap on the speed of each, m/s. What moves by more than its radius in a small step passes
                through others.
            position, orientation: initial pose of its frame: (3,), m, and (4,), w x y z, normalised for you.
            damping: decay of all velocities, 1/s.
            disable_gravity, gravity_scale: gravity does not act on them, or so many times; it may be negative.
            kinematic: all are held after a reset; they move as :meth:`Particles.set_node_targets` says.
            collision_group, collision_mask, contact_offset: as of :class:`phalanx.world.options.ActorOptions`; for
                contact with rigid bodies.
            rest_offset: distance of their centres from things that they rest on, m; the radius where it is not given.
            touches_cloth: they touch cloth, soft bodies and ropes for which this holds, and these give way to them.
            surface: see :class:`phalanx.world.options.Surface`; restitution has no meaning here.

        Raises:
            LoadError: there is no particle, or a coordinate is not finite.
            ValueError: a name is taken, or a value is not possible.
        """
        self._free_name("add_particles", name)
        who = f"particles {name!r}"
        pose = checking.pose(who, position, orientation)
        checking.options(who, surface, options.SURFACE)
        points = source if isinstance(source, PointSet) else PointSet(source, who)
        if mass is not None and density is not None:
            raise ValueError(f"{who}: give mass or density, not both")
        radius = checking.number(f"{who}: radius", radius, above=0)
        volume = particle_volume(radius, fluid)
        default = FLUID_DENSITY if fluid else GRAIN_DENSITY
        density = checking.number(f"{who}: density", default if density is None else density, above=0)
        usual = 4.0 if surface_tension else 3.4
        far = (usual * radius if reach is None else checking.number(f"{who}: reach", reach)) if fluid else 0.0
        if fluid and not 2.2 * radius <= far <= 4 * radius:
            raise ValueError(f"{who}: reach={reach!r}: must be 2.2 to 4 radii, {2.2 * radius:g} to {4 * radius:g} m")
        if mass is not None:
            density = checking.number(f"{who}: mass", mass, above=0) / volume
        rest = radius if rest_offset is None else rest_offset
        offset = max(self._settings["contact_offset"], 2 * rest) if contact_offset is None else contact_offset
        given = {"collision_group": collision_group, "contact_offset": offset, "rest_offset": rest}
        if collision_mask is not None:
            given["collision_mask"] = collision_mask
        holds = 0.01 * radius if adhesion_reach is None else checking.number(f"{who}: adhesion_reach", adhesion_reach)
        if adhesion and holds > offset:
            raise ValueError(f"{who}: adhesion_reach={holds:g}: must not be beyond the contact offset, {offset:g} m")
        fields = options.part_fields(who, given)
        material = options.surface(who, surface)
        rubs = (material.static_friction, material.dynamic_friction)
        if particle_friction is not None:
            static, dynamic = np.broadcast_to(np.asarray(particle_friction, float), 2).tolist()
            rubs = (
                checking.number(f"{who}: particle_friction", static),
                checking.number(f"{who}: particle_friction", dynamic),
            )
        part = ParticlesPart(
            points,
            1.0,
            0.0,
            density,
            material,
            group=fields.get("group", 0),
            mask=fields.get("mask", ParticlesPart.mask),
            contact_offset=fields["contact_offset"],
            rest_offset=fields["rest_offset"],
            damping=checking.number(f"{who}: damping", damping),
            gravity_scale=checking.gravity_scale(who, disable_gravity, gravity_scale),
            kinematic=bool(kinematic),
            radius=radius,
            mass=density * volume,
            static_friction=rubs[0],
            dynamic_friction=rubs[1],
            reach=far,
            spacing=2 * radius,
            viscosity=checking.number(f"{who}: viscosity", viscosity),
            surface_tension=checking.number(f"{who}: surface_tension", surface_tension),
            adhesion=checking.number(f"{who}: adhesion", adhesion),
            adhesion_reach=holds,
            turns=rolling_friction is not None and not fluid,
            rolling_friction=checking.number(f"{who}: rolling_friction", rolling_friction or 0.0),
            cohesion=checking.number(f"{who}: cohesion", cohesion),
            max_velocity=checking.number(f"{who}: max_velocity", max_velocity, above=0, infinite=True),
            touches_cloth=bool(touches_cloth),
        )
        made = self.particles[name] = Particles(self.engine, name, part, pose)
        return made

    @abstractmethod
    def _free_name(self, what: str, name: str) -> None: ...
