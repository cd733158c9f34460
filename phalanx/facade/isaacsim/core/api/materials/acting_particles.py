"""Materials of particles that are changed while a world plays: what is simulated follows the stage."""

from __future__ import annotations

from collections.abc import Iterable
from functools import wraps
from typing import Any

from phalanx.facade import simulation
from phalanx.facade.isaacsim.core.api.materials import pbd_attributes as pbd
from phalanx.facade.isaacsim.core.api.materials.accessors import read
from phalanx.io.formats.usd.frames import Units
from phalanx.io.formats.usd.particle_sets import adhesion, adhesion_reach
from phalanx.world.deformables.cloth import Cloth
from phalanx.world.deformables.particles import Particles


def follow(paths: Iterable[str]) -> None:
    """Give cloth, grains and fluids that have one of the materials at some paths what these say now.

    What acts is friction, damping and the scale of gravity, of fluids viscosity and surface tension, of particles
    adhesion and its offset, and of grains the scales of friction and of adhesion.
    """
    made = simulation.stage_world()
    if made is None:
        return
    unit = Units.of(made.stage)
    for name, env, prim in made.find_particles(paths):
        body, envs = made.world.all_deformables[name], [env]

        def value(attribute: tuple[str, str, float], prim: Any = prim) -> float:
            return max(float(read(prim, attribute[0], attribute[2])), 0.0)

        friction = value(pbd.FRICTION)
        assert isinstance(body, Cloth | Particles)
        body.set_friction(friction, envs)
        body.set_damping(value(pbd.DAMPING), envs)
        body.set_gravity_scale(float(read(prim, pbd.GRAVITY_SCALE[0], 1.0)), envs)
        if isinstance(body, Particles):
            part = body.part
            force = adhesion(value(pbd.ADHESION), part.mass)
            offsets = {"radius": part.radius, "contact_offset": part.contact_offset, "rest_offset": part.rest_offset}
            body.set_adhesion(force, adhesion_reach(value(pbd.ADHESION_OFFSET_SCALE), offsets), envs)
            if part.reach > 0.0:
                body.set_viscosity(value(pbd.VISCOSITY) * unit.mass / unit.length, envs)
                body.set_surface_tension(value(pbd.TENSION) * unit.mass, envs)
            else:
                body.set_particle_friction(friction * value(pbd.PARTICLE_FRICTION_SCALE), envs)
                body.set_cohesion(force * value(pbd.PARTICLE_ADHESION_SCALE), envs)


def following(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """The methods of :func:`~.accessors.single`, of which the one that sets acts on what is simulated."""
    setter, getter = pair

    @wraps(setter)
    def set_and_follow(self: Any, value: Any) -> None:
        setter(self, value)
        follow([self.prim_path])

    return set_and_follow, getter


def following_all(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """The same of :func:`~.accessors.several`."""
    setter, getter = pair

    @wraps(setter)
    def set_and_follow(self: Any, values: Any, indices: Any = None) -> None:
        setter(self, values, indices)
        follow([str(self.prims[i].GetPath()) for i in self._chosen(indices)])

    return set_and_follow, getter
