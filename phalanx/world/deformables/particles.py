"""Particles in a world: the user's handle on the rows of a deformable body whose nodes nothing ties together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from phalanx import components as c
from phalanx.components.particle import BLOCK
from phalanx.systems.deformable.particle_near import REACH
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.handle import on_device
from phalanx.world.handles.declared import assign
from phalanx.world.layout.particles import tension_of
from phalanx.world.layout.parts import ParticlesPart

SMALL_STEPS, MOST_SMALL_STEPS = 8, 64
"""Least and most small steps of a substep where the user gives no number."""

PRESSED = 0.05
"""Share of a radius by which grains would overlap in the mean under the weight of those above, by sweeps alone."""

LEAST_ROUNDS, MOST_ROUNDS = 4, 64
"""Least and most rounds of the search for by how much impulses of grains grow."""


def layers_of_grains(grains: Particles, gravity: Sequence[float]) -> float:
    """The height of a set as it begins, along gravity (m/s^2, (3,)), in diameters of its grains; 0 for a fluid."""
    size = float(np.linalg.norm(gravity))
    if grains.part.reach > 0.0 or size * abs(grains.part.gravity_scale) == 0.0:
        return 0.0  # a fluid has its pressure at once
    height = float(np.ptp(grains.default_node_pos @ np.divide(gravity, size)))
    return min(height / (2.0 * grains.radius) + 1.0, grains.num_nodes)


def steps_of_grains(sets: Iterable[Particles], substep: float, gravity: Sequence[float]) -> int:
    """Small steps of a substep that let grains carry their weight.

    With fewer than keep ``layers g h^2`` below a share of a radius, where h is a small step, deep grains go on sinking
    (docs/decisions/0054-coarse-loads.md).

    Args:
        substep: its length, s.
        gravity: m/s^2, (3,).
    """
    wanted = SMALL_STEPS
    for grains in sets:
        layers = layers_of_grains(grains, gravity)
        pull = float(np.linalg.norm(gravity)) * abs(grains.part.gravity_scale)
        wanted = max(wanted, int(np.ceil(substep * np.sqrt(layers * pull / (PRESSED * grains.radius)))))
    return min(wanted, MOST_SMALL_STEPS)


def rounds_of_grains(sets: Iterable[Particles], gravity: Sequence[float]) -> int:
    """Rounds of the search for by how much impulses of grains grow together: more where grains lie deep; 0 without any.

    Args:
        gravity: m/s^2, (3,).
    """
    layers = [layers_of_grains(grains, gravity) for grains in sets if grains.part.reach == 0.0]
    if not layers:
        return 0
    return int(np.clip(np.ceil(1.5 * max(layers) / (BLOCK * REACH)), LEAST_ROUNDS, MOST_ROUNDS))


class Particles(DeformableBody):
    """Particles in every environment; made by :meth:`phalanx.World.add_particles`. Each node is a particle.

    Arrays are environment-first, on the world's device (NumPy or CuPy), and yours: they do not change when the world
    steps. Positions are in the world, relative to the environment's origin. Environments may have materials of their
    own; from the first that differs on the world keeps a value for each, and kernels are compiled once more.
    """

    KIND = "particles"
    part: ParticlesPart

    @property
    def radius(self) -> float:
        """Half of the distance at which they touch, m."""
        return self.part.radius

    def __repr__(self) -> str:
        return f"<Particles {self.name!r}: {self.num_nodes} of {self.radius:g} m>"

    @on_device
    def set_node_state(self, pos: Any = None, vel: Any = None, env_ids: Any = None) -> None:
        """Set positions and velocities of particles, (n, nodes, 3) each, m and m/s. New places are without contacts."""
        super().set_node_state(pos, vel, env_ids)
        if pos is not None:
            self._forget(None if env_ids is None else self.engine.env_indices(env_ids))

    spin = DeformableBody._of_particles(c.ParticleSpin.value, what="spin")
    """(n, num_nodes, 3): angular velocity of grains that turn, rad/s."""

    @on_device
    def set_spin(self, spin: Any, env_ids: Any = None) -> None:
        """Set the angular velocity of grains, (n, nodes, 3), rad/s.

        Raises:
            ValueError: they do not turn.
        """
        if not self.part.turns:
            raise ValueError(f"particles {self.name!r} do not turn; give add_particles a rolling_friction")
        assign(self, {"spin": spin}, env_ids)

    def _forget(self, envs: np.ndarray | None) -> None:
        """What pairs pushed before."""
        count = self.engine.num_envs if envs is None else len(envs)
        for field in (c.ParticleNearCount.kept, c.ParticleFluid.pressure):
            self._write(field, self._bound.particles, np.zeros((count, self.num_nodes)), envs)
        self._write(c.ParticleSpin.value, self._bound.particles, np.zeros((count, self.num_nodes, 3)), envs)
        particles = self.engine.store.rows(c.Particle)
        for first in range(0, self.engine.store.rows(c.ParticleTouch), particles):
            of_slot = first + np.arange(particles)[self._bound.particles]
            self._write(c.ParticleTouchPoint.triangle, of_slot, np.full((count, self.num_nodes), -1), envs)

    particle_friction = DeformableBody._of_body(c.ParticleMaterial.dynamic_friction, what="friction", negative=False)
    """(n,): dynamic coefficient of friction between particles."""

    _static_particle_friction = DeformableBody._of_body(
        c.ParticleMaterial.static_friction, what="friction", negative=False
    )

    _viscosity = DeformableBody._of_body(c.ParticleMaterial.viscosity, what="viscosity", negative=False)

    @property
    @on_device
    def viscosity(self) -> Any:
        """(n,): of fluids, Pa s."""
        return self._viscosity * self.part.density

    @on_device
    def set_viscosity(self, viscosity: Any, env_ids: Any = None) -> None:
        """Set the viscosity of a fluid, (n,), Pa s, at least 0."""
        given = self._xp.asarray(viscosity, self.engine.dtype) / self.part.density
        assign(self, {"_viscosity": given}, env_ids)

    _tension = DeformableBody._of_body(c.ParticleMaterial.tension, what="surface tension", negative=False)

    @property
    @on_device
    def surface_tension(self) -> Any:
        """(n,): of fluids, N/m."""
        return self._tension / self._pull()

    @on_device
    def set_surface_tension(self, tension: Any, env_ids: Any = None) -> None:
        """Set the surface tension of a fluid, (n,), N/m, at least 0.

        Raises:
            ValueError: they are grains.
        """
        given = self._xp.asarray(tension, self.engine.dtype) * self._pull()
        assign(self, {"_tension": given}, env_ids)

    def _pull(self) -> float:
        if not self.part.reach:
            raise ValueError(f"particles {self.name!r} are grains, which have no surface tension; see cohesion")
        return tension_of(1.0, self.part.spacing, self.part.reach)

    adhesion = DeformableBody._of_body(c.ParticleMaterial.adhesion, negative=False)
    """(n,): force that surfaces of rigid bodies hold each with, N."""

    adhesion_reach = DeformableBody._of_body(c.ParticleMaterial.adhesion_reach, negative=False)
    """(n,): distance up to which that acts, m."""

    def set_adhesion(self, force: Any, reach: Any = None, env_ids: Any = None) -> None:
        """Set the force that surfaces of rigid bodies hold each with, (n,), N, at least 0.

        Args:
            reach: (n,), m: up to which distance; what it was where it is not given.
        """
        assign(self, {"adhesion": force, **({} if reach is None else {"adhesion_reach": reach})}, env_ids)

    rolling_friction = DeformableBody._of_body(c.ParticleMaterial.rolling_friction, negative=False)
    """(n,): torque that rolling needs, by the force between two and their radius."""

    cohesion = DeformableBody._of_body(c.ParticleMaterial.cohesion, negative=False)
    """(n,): force that two particles that touch hold together with, N."""

    def set_particle_friction(self, friction: Any, env_ids: Any = None) -> None:
        """Set both coefficients of friction between particles, (n,), dimensionless, at least 0."""
        assign(self, {"particle_friction": friction, "_static_particle_friction": friction}, env_ids)

    def set_rolling_friction(self, friction: Any, env_ids: Any = None) -> None:
        """Set the coefficient of rolling friction of grains that turn, (n,), dimensionless, at least 0."""
        assign(self, {"rolling_friction": friction}, env_ids)

    def set_cohesion(self, force: Any, env_ids: Any = None) -> None:
        """Set the force that two particles that touch hold together with, (n,), N, at least 0."""
        assign(self, {"cohesion": force}, env_ids)
