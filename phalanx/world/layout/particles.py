"""Fill the tables of particles."""

from __future__ import annotations

from functools import cache

import numpy as np

from phalanx import components as c
from phalanx.components.particle import BLOCK, CHUNK, DIGITS, MOST_NEAR, RUN
from phalanx.components.particle_touch import MOST_TOUCHED
from phalanx.ecs import Field, Store
from phalanx.systems.deformable.particle_near import REACH
from phalanx.world.layout.columns import Columns
from phalanx.world.layout.parts import DeformablePart, ParticlesPart

GRAIN_SLOTS = 24
"""Others near a grain: 12 touch it, and a few more are about to or are pressed together."""

FLUID_SLOTS = 48
"""Others near a bit of a fluid: 18 to 26 at rest, by its reach, more where it is pressed."""

LEAST_CELLS = 1024
"""Cells that are stored, at least."""

LEAST_BLOCKS, FEW_BLOCKS = 64, 256
"""Blocks, where some are grains: at least the former, and the latter if there are as many particles. Blocks that share
a number grow by one factor, so a tall column needs more of them than it has particles for."""

ROOM = 4
"""Cells for each particle where there are blocks: of a block that particles lie flat in, most cells are empty."""


class Particles:
    """Particles, body by body."""

    def __init__(self) -> None:
        self.count = 0
        """Particles so far."""
        self.parts = 0
        """Runs for sums over what a link touches, so far."""
        self._digits = 0
        self._cell = 0.0
        self._flows = self._grains = False
        self._touches = False
        self._first: dict[int, int] = {}

    @property
    def digits(self) -> int:
        """Digits of the numbers of cells."""
        return self._digits

    def has(self, body: int) -> bool:
        """Whether a deformable body is of particles."""
        return body in self._first

    def rows(self, body: int, count: int) -> slice:
        """Rows of the particles of a deformable body of so many nodes; none of another."""
        first = self._first.get(body, 0)
        return slice(first, first + count if body in self._first else first)

    def add(self, columns: Columns, part: ParticlesPart, body: int, first_node: int, first_surface: int) -> None:
        """Append a body's.

        Args:
            body: its row among deformable bodies.
            first_node, first_surface: rows of its first node, and of that among surface nodes.
        """
        number = np.arange(len(part.mesh.nodes))
        columns.extend(
            {
                c.ParticleTopology.node: first_node + number,
                c.ParticleTopology.body: np.full(len(number), body),
                c.ParticleTopology.surface: first_surface + number,
            }
        )
        self._first[body] = self.count
        self._cell = max(self._cell, 2 * part.radius * REACH, part.reach)
        self._flows = self._flows or part.reach > 0
        self._grains = self._grains or part.reach == 0
        self._touches = self._touches or part.touches_cloth
        self.count += len(number)

    def couple(self, columns: Columns, coupled: int, link: int, body: int, first: int, end: int) -> None:
        """Runs for the sums over what a coupled body touches; none where it is not of particles."""
        start = self.parts
        if body in self._first:
            size = max(CHUNK, int(np.sqrt(end - first)))
            for at in range(first, end, size):
                columns.add(
                    {
                        c.ParticlePartTopology.coupled: coupled,
                        c.ParticlePartTopology.link: link,
                        c.ParticlePartTopology.body: body,
                        c.ParticlePartTopology.first_surface: at,
                        c.ParticlePartTopology.end_surface: min(at + size, end),
                        c.ParticlePartTopology.first_particle: self._first[body] + at - first,
                    }
                )
                self.parts += 1
        columns.add({c.CoupledParticles.first: start, c.CoupledParticles.end: self.parts})

    def put(self, columns: Columns, store: Store, triangles: int) -> None:
        """Set the rows of tables, and write the grid.

        Args:
            triangles: of deformable bodies that touch cloth.
        """
        power = 1 << int(np.ceil(np.log2(max(self.count, 1))))
        cells, blocks = max(LEAST_CELLS, power), 0
        if self._grains:  # whose impulses grow together
            blocks = max(LEAST_BLOCKS, min(FEW_BLOCKS, power), power * ROOM // BLOCK**3)
            cells = blocks * BLOCK**3
        self._digits = -(-(cells.bit_length() - 1) // 4) if self.count else 0
        chunks = -(-self.count // CHUNK)
        for table, size in (
            (c.Particle, self.count),
            (c.ParticleCell, cells if self.count else 0),
            (c.ParticleBlock, blocks),
            (c.ParticleBlockPart, 8 * blocks),
            (c.ParticleChunk, chunks),
            (c.ParticleRun, -(-chunks // RUN) * DIGITS),
            (c.ParticleDigit, DIGITS if self.count else 0),
            (c.ParticleNear, self.count * self.slots),
            (c.ParticlePart, self.parts),
            (c.ParticleTouch, self.count * MOST_TOUCHED if self._touches and triangles else 0),
        ):
            store.set_rows(table, size)
        if not self.count:
            return
        first = np.arange(0, self.count, CHUNK)
        columns.extend(
            {
                c.ParticleChunkTopology.first: first,
                c.ParticleChunkTopology.end: np.minimum(first + CHUNK, self.count),
            }
        )
        up, over = lattice(blocks or cells)
        columns.add(
            {
                c.ParticleSettings.cell: self._cell,
                c.ParticleSettings.up: up,
                c.ParticleSettings.over: over,
                c.ParticleSettings.slots: self.slots,
            }
        )

    @property
    def slots(self) -> int:
        """Slots of a particle."""
        return min(FLUID_SLOTS if self._flows else GRAIN_SLOTS, MOST_NEAR)


def particle_material(part: DeformablePart) -> dict[Field, float]:
    """What a body is as one of particles; of others, zeros."""
    made = part if isinstance(part, ParticlesPart) else None
    fluid = lattice_sums(made.spacing, made.reach) if made and made.reach else (1.0, 0.0)
    return {
        c.ParticleMaterial.radius: made.radius if made else 0.0,
        c.ParticleMaterial.static_friction: made.static_friction if made else 0.0,
        c.ParticleMaterial.dynamic_friction: made.dynamic_friction if made else 0.0,
        c.ParticleMaterial.turns: 2.5 if made and made.turns else 0.0,
        c.ParticleMaterial.rolling_friction: made.rolling_friction if made else 0.0,
        c.ParticleMaterial.cohesion: made.cohesion if made else 0.0,
        c.ParticleMaterial.reach: made.reach if made else 0.0,
        c.ParticleMaterial.lattice_sum: fluid[0],
        c.ParticleMaterial.viscous: fluid[1],
        c.ParticleMaterial.viscosity: made.viscosity / made.density if made else 0.0,
        c.ParticleMaterial.tension: tension_of(made.surface_tension, made.spacing, made.reach) if made else 0.0,
        c.ParticleMaterial.adhesion: made.adhesion if made else 0.0,
        c.ParticleMaterial.adhesion_reach: made.adhesion_reach if made else 0.0,
        c.ParticleMaterial.touches: int(made.touches_cloth) if made else 0,
        c.ParticleMaterial.max_velocity: made.max_velocity if made else np.inf,
    }


def lattice_sums(spacing: float, reach: float) -> tuple[float, float]:
    """Sums over the neighbours of a particle in a cubic lattice.

    Returns:
        The sum of (1 - r / H)^3; and what (1 - r / H)^2 / r has to be multiplied by so that the sum of it with
        differences of velocities is their Laplacian, 1/m.
    """
    most = int(reach / spacing) + 1
    axis = np.arange(-most, most + 1) * spacing
    x, y, z = (a.ravel() for a in np.meshgrid(axis, axis, axis, indexing="ij"))
    r = np.sqrt(x**2 + y**2 + z**2)
    inside = (r > 0) & (r < reach)
    q = 1 - r[inside] / reach
    return float((q**3).sum()), float(2 / (q**2 / r[inside] * x[inside] ** 2).sum())


def tension_of(surface_tension: float, spacing: float, reach: float) -> float:
    """Greatest pull between two bits of a fluid whose surface has a tension.

    A new surface costs the work that pulls apart who was near each other across it: of a cubic lattice, seen from all
    directions, an eighth of the sum over neighbours of their distance by the work to part them, by the volume of one.

    Args:
        surface_tension: N/m.
        spacing: of the fluid at rest, m.
        reach: m; 0: it is no fluid, and there is no pull.

    Returns:
        N.
    """
    if not reach:
        return 0.0
    most = int(reach / spacing) + 1
    axis = np.arange(-most, most + 1) * spacing
    x, y, z = (a.ravel() for a in np.meshgrid(axis, axis, axis, indexing="ij"))
    r = np.sqrt(x**2 + y**2 + z**2)
    q = np.linspace(0.0, 1.0, 2001)
    pull = (4 * q * (1 - q)) ** 3
    pull[q <= 0.5] = 2 * pull[q <= 0.5] - 1
    parts = np.concatenate([[0.0], np.cumsum(0.5 * (pull[1:] + pull[:-1]) * np.diff(q))])
    inside = (r > 0) & (r < reach)
    work = reach * np.interp(r[inside] / reach, q, parts[-1] - parts)
    return float(surface_tension * 8 * spacing**3 / (r[inside] * work).sum())


@cache
def lattice(cells: int) -> tuple[int, int]:
    """What steps along y and z add to the number of a cell, so that cells of one number are far apart.

    Cells whose numbers leave the same remainder by ``cells`` are a lattice in space. Of some multipliers near the
    ratios of the plastic number those whose shortest vector is the longest are taken.
    """
    plastic = 1.32471795724474602596
    best, found = 0.0, (1, 1)
    reach = np.arange(-6, 7)
    y, z = (a.ravel() for a in np.meshgrid(reach, reach, indexing="ij"))
    for k in range(64):
        up = (int(cells / plastic) + 2 * k) | 1
        over = (int(cells / plastic**2) + 6 * k) | 1
        x = (-(up * y + over * z)) % cells
        x = np.minimum(x, cells - x)
        square = x.astype(float) ** 2 + y**2 + z**2
        least = square[(y != 0) | (z != 0)].min()
        if least > best:
            best, found = float(least), (up % cells, over % cells)
    return found
