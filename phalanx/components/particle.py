"""Particles: grains and fluids, which touch or press each other within a radius and are tied by nothing.

A set of particles is a deformable body without elements; each of its nodes is a particle. Who is near whom is found in
each small step: particles are sorted by the cell of a grid that they are in.
"""

from phalanx.components.deformable import Deformable
from phalanx.components.node_contact import SLOTS, CoupledBody
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

CHUNK = 32
"""Particles that one thread counts and moves when they are sorted, and sums over."""

DIGITS = 16
"""Values of a digit: keys are sorted by four bits at a time."""

RUN = 64
"""Chunks of a run."""

BLOCK = 4
"""Cells along each side of a block; a power of two, as are those in it."""

MOST_NEAR = 64
"""Slots that a particle may have for others near it, at most."""

Particle = Table("particle", "a grain, or a bit of a fluid; those of a body are consecutive")
ParticleCell = Table("particle cell", "a cell of the grid, which stands for all whose numbers leave the same rest")
ParticleBlock = Table("particle block", "a cube of cells, and the corner of its that is the lowest along all axes")
ParticleBlockPart = Table("particle block part", "a block as a corner of it sees it: the eight of the first, ...")
ParticleChunk = Table("particle chunk", "a run of particles, for sorting")
ParticleRun = Table("particle run", "for each run of chunks the values of a digit")
ParticleDigit = Table("particle digit", "a value of a digit")
ParticleNear = Table("particle near", "slots for others near a particle: the first of each, the second of each, ...")
ParticlePart = Table("particle part", "a run of the particles of a coupled body; those of one are consecutive")


class ParticleSettings(Component, table=World):
    """The grid, and how far the sort has come."""

    cell = Field(unit="m", doc="length of the side of a cell", constant=True)
    up = Field(dtype="int32", doc="what a step along y adds to the number of a cell", constant=True)
    over = Field(dtype="int32", doc="what a step along z adds to the number of a cell", constant=True)
    slots = Field(dtype="int32", doc="slots of a particle for others near it", constant=True)
    there = Field(dtype="int32", doc="1: the environment is one; 0: it fills up the last block of them")
    turn = Field(dtype="int32", doc="digits that have been sorted by")
    crowded = Field(dtype="int32", doc="1: some particle had more others near it than slots since the last report")


class ParticleMaterial(Component, table=Deformable):
    """What particles are made of, besides DeformableMaterial and DeformableSurface."""

    radius = Field(unit="m", doc="half of the distance at which grains touch; 0: the body is none of particles",
                   role="parameter", shared=True)  # fmt: skip
    static_friction = Field(doc="between grains", role="parameter", shared=True)
    dynamic_friction = Field(doc="between grains that slide", role="parameter", shared=True)
    turns = Field(doc="mass by moment of inertia and squared radius: 2.5 of spheres; 0: grains do not turn",
                  role="parameter", shared=True)  # fmt: skip
    rolling_friction = Field(doc="torque that rolling needs, by force and radius", role="parameter", shared=True)
    cohesion = Field(unit="N", doc="force that two grains that touch hold together with", role="parameter", shared=True)
    reach = Field(
        unit="m", doc="distance up to which fluids feel themselves; 0: they are grains", role="parameter", shared=True
    )
    lattice_sum = Field(
        doc="sum over neighbours in a cubic lattice at rest, that density is measured by", constant=True
    )
    viscous = Field(unit="1/m", doc="weight of (1 - r / H)^2 / r in the Laplacian of velocities", constant=True)
    viscosity = Field(unit="m^2/s", doc="kinematic viscosity", role="parameter", shared=True)
    tension = Field(
        unit="N", doc="greatest pull between two bits of a fluid, by surface tension", role="parameter", shared=True
    )
    adhesion = Field(unit="N", doc="force that a shape holds a particle with", role="parameter", shared=True)
    adhesion_reach = Field(
        unit="m", doc="distance of its surface from a shape up to which that pulls", role="parameter", shared=True
    )
    touches = Field(dtype="int32", doc="1: they touch cloth", constant=True)
    max_velocity = Field(unit="m/s", doc="cap on the speed of particles", role="parameter", shared=True)


class ParticleTopology(Component, table=Particle):
    """Which node it is."""

    node = Field(dtype="int32", doc="the node", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)
    surface = Field(dtype="int32", doc="its row among surface nodes", constant=True)


class ParticleMotion(Component, table=Particle):
    """The small step of a particle."""

    start = Field(3, unit="m/s", doc="velocity at the start")
    base = Field(3, unit="m/s", doc="velocity, but for what touches it")
    free = Field(3, unit="m/s", doc="velocity, but for shapes that it touches")
    velocity = Field(3, unit="m/s", doc="velocity at the end")
    spin = Field(3, unit="rad/s", doc="angular velocity at the end")
    twist = Field(3 * SLOTS, unit="N m s", doc="angular impulse about its centre, of each contact with a shape")
    near = Field(dtype="int32", doc="others near it")
    give = Field(unit="1/kg", doc="number of those by its mass; 0: the user moves it")
    parted = Field(dtype="int32", doc="1: others near it were moved apart from it without a push")


class ParticlePress(Component, table=Particle):
    """Two shapes that may press a grain between them, of which at least one belongs to a link that moves."""

    slots = Field(dtype="int32", doc="1 + SLOTS x slot of the first + slot of the second; 0: there are none")
    line = Field(3, doc="unit vector from the second to the first, along which they press")
    give = Field(2, unit="1/kg", doc="mobility of the link of each along the line")
    aside = Field(2, unit="1/kg", doc="sum of its mobilities along two lines across that")
    opens = Field(unit="m/s", doc="how fast they are to come apart; negative: how fast they may come together")
    rate = Field(unit="m/s", doc="how much faster they would come together with the impulse that is kept")
    slide = Field(3, unit="m/s", doc="how fast the first would go past the second, and 0 along the line")
    on = Field(dtype="int32", doc="1: they touch it in the small step")
    rub = Field(3, unit="N", doc="friction of the first on the grain that the second undoes", role="state")


class ParticleSpin(Component, table=Particle):
    """How a grain turns. Which way it is turned nobody can see."""

    value = Field(3, unit="rad/s", doc="angular velocity", role="state")


class ParticleFluid(Component, table=Particle):
    """A bit of a fluid."""

    pressure = Field(unit="N s m", doc="multiplier of its density, of the small step", role="state")
    dense = Field(doc="density at the start of the small step, by that at rest, less 1")
    shift = Field(unit="kg m^2", doc="multiplier that moves what is too dense apart, without a push")
    firm = Field(unit="1/(N s m)", doc="by how much pressure lessens the density at the end of the small step")
    behind = Field(doc="what cloth that comes nearer adds to its density in the small step")
    gain = Field(3, unit="m/s", doc="change of velocity by viscosity and surface tension")
    turn = Field(3, unit="rad/s", doc="by which those near it turn, so that viscosity keeps angular momentum")
    middle = Field(3, unit="m", doc="what they turn about, from the particle")
    pushed = Field(3, unit="m/s", doc="change of velocity by viscosity and pressures")


class ParticleSort(Component, table=Particle):
    """Particles in the order of their cells, in two places: each pass goes from one to the other."""

    key = Field(2, dtype="int32", doc="number of the cell")
    order = Field(2, dtype="int32", doc="the particle")
    place = Field(3, unit="m", doc="where it is, from the origin of the environment, rounded")


class ParticleCellRange(Component, table=ParticleCell):
    """Particles in a cell."""

    first = Field(dtype="int32", doc="place of the first")
    end = Field(dtype="int32", doc="one past the place of the last; 0: there is none")


class ParticleLevel(Component, table=Particle):
    """A particle as its block sees it: what the impulses of its pairs do to it when they grow by a factor that varies
    in space, by the root of its mass, less what shapes that it is pressed on take up.
    """

    spot = Field(3, doc="where it is in its block, as shares of the side")
    block = Field(dtype="int32", doc="the block")
    closes = Field(unit="J", doc="half of what its pairs press with, by how fast they come nearer")
    gain = Field(3, unit="m/s kg^(1/2)", doc="change of velocity by a factor that is the same everywhere")
    slant = Field(9, unit="m/s kg^(1/2)", doc="that by one that grows by 1 over a block, along x, y and z")
    factor = Field(doc="by which impulses grow where it is, less 1")


class ParticleBlockRange(Component, table=ParticleBlock):
    """Particles in a block."""

    first = Field(dtype="int32", doc="place of the first")
    end = Field(dtype="int32", doc="one past the place of the last; 0: there is none")


class ParticleBlockPartSums(Component, table=ParticleBlockPart):
    """How the kinetic energy of a block's particles changes with the factor at one of its corners."""

    row = Field(8, unit="J", doc="second derivatives with those of the block's corners")
    fall = Field(unit="J", doc="slope, with the sign turned")


class ParticleBlockCorner(Component, table=ParticleBlock):
    """The factor at a corner."""

    row = Field(27, unit="J", doc="second derivatives of the kinetic energy with those of the corners around it")
    fall = Field(unit="J", doc="slope, with the sign turned")
    bound = Field(unit="J", doc="sum of the row's sizes; 0: nothing depends on this corner")
    rounds = Field(dtype="int32", doc="of the search for factors, that have been made")
    factor = Field(doc="by which impulses grow there, less 1")
    ahead = Field(2, doc="where the next round begins, read from one place and written to the other")


class ParticleChunkTopology(Component, table=ParticleChunk):
    """Which places a chunk has."""

    first = Field(dtype="int32", doc="its first place", constant=True)
    end = Field(dtype="int32", doc="one past its last place", constant=True)


class ParticleChunkCount(Component, table=ParticleChunk):
    """Keys of a chunk by the digit, then places where they go."""

    count = Field(DIGITS, dtype="int32", doc="number of keys; then of those in chunks of the run before it")


class ParticleRunCount(Component, table=ParticleRun):
    """Keys of a run by the digit."""

    count = Field(dtype="int32", doc="number of keys; then of those in runs before it")


class ParticleDigitCount(Component, table=ParticleDigit):
    """Keys by the digit."""

    count = Field(dtype="int32", doc="number of keys")


class ParticlePair(Component, table=ParticleNear):
    """A particle with another: both have the same numbers, with signs turned."""

    other = Field(dtype="int32", doc="the other particle", role="state", initial=-1)
    load = Field(unit="N s", doc="impulse that pushes them apart in a small step", role="state")
    rub = Field(3, unit="N s", doc="impulse of friction on the particle", role="state")
    roll = Field(3, unit="N m s", doc="angular impulse of rolling resistance on the particle", role="state")
    normal = Field(3, doc="unit vector from the other")
    gap = Field(unit="m", doc="distance of their surfaces at the start of the small step")


class ParticleNearCount(Component, table=Particle):
    """How many slots hold something from the small step before."""

    kept = Field(dtype="int32", doc="number of slots", role="state")


class ParticlePartTopology(Component, table=ParticlePart):
    """Who it is."""

    coupled = Field(dtype="int32", doc="the coupled body", constant=True)
    link = Field(dtype="int32", doc="its coupled link", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)
    first_surface = Field(dtype="int32", doc="first surface node", constant=True)
    end_surface = Field(dtype="int32", doc="one past the last surface node", constant=True)
    first_particle = Field(dtype="int32", doc="the particle of the first", constant=True)


class ParticlePartSums(Component, table=ParticlePart):
    """As CoupledBodySums, of a run of particles."""

    force = Field(6, unit="N, N m", doc="as CoupledBodySums.force")
    stiffness = Field(21, unit="N/m, N, N m", doc="as CoupledBodySums.stiffness")
    impulse = Field(6, unit="N s, N m s", doc="as CoupledBodySums.impulse")


class ParticlePartPress(Component, table=ParticlePart):
    """Grains of a run that its link may press against something."""

    some = Field(dtype="int32", doc="1: there may be such in this substep")
    count = Field(doc="those that it touches in the small step")


class CoupledParticles(Component, table=CoupledBody):
    """Which rows of particles a coupled body has."""

    first = Field(dtype="int32", doc="its first particle part", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)
