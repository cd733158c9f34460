"""Loop joints: constraints between any two bodies, or one and the world, on top of the trees.

Frame A is fixed to link a, frame B to link b or to the world. The rows of a joint say how A may not move against B: up
to three along directions, then up to three about directions. Impulses act on a, and on b with the opposite sign.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Loop = Table("loop joint", "joints that close loops between links, or fasten them to the world")
LoopEntry = Table("loop joint entry", "for each loop joint the dofs that it can move: those of a's tree, then of b's")

FIXED_LOOP, REVOLUTE_LOOP, SPHERICAL_LOOP, DISTANCE_LOOP = range(4)
"""Kinds: A and B coincide; share their x axis; share their origin; keep their origins' distance."""

LOOP_ROWS = (6, 5, 3, 1)
"""Rows of each kind."""


class LoopTopology(Component, table=Loop):
    """What a joint connects."""

    kind = Field(dtype="int32", doc="FIXED_LOOP, ...", constant=True)
    count = Field(dtype="int32", doc="its rows", constant=True)
    link_a = Field(dtype="int32", doc="link a", constant=True)
    link_b = Field(dtype="int32", doc="link b, -1: the world", constant=True)
    body_a = Field(dtype="int32", doc="body a", constant=True)
    body_b = Field(dtype="int32", doc="body b, -1: the world", constant=True)
    dof_a = Field(dtype="int32", doc="last dof of link a, -1: cannot move", constant=True)
    dof_b = Field(dtype="int32", doc="last dof of link b, -1: cannot move", constant=True)
    entry = Field(dtype="int32", doc="its first loop joint entry", constant=True)


class LoopFrame(Component, table=Loop):
    """Where its frames are, and its limits."""

    position_a = Field(3, unit="m", doc="origin of A, frame of link a", role="parameter", shared=True)
    orientation_a = Field(4, doc="A in the frame of link a, w x y z", role="parameter", shared=True)
    position_b = Field(
        3, unit="m", doc="origin of B, frame of link b or the environment's", role="parameter", shared=True
    )
    orientation_b = Field(4, doc="B in the frame of link b or the environment's", role="parameter", shared=True)
    nearest = Field(unit="m", doc="of a distance joint: the least distance", role="parameter", shared=True)
    farthest = Field(unit="m", doc="of a distance joint: the greatest distance", role="parameter", shared=True)
    break_force = Field(unit="N", doc="it breaks above this force", role="parameter", shared=True)
    break_torque = Field(unit="N m", doc="it breaks above this torque", role="parameter", shared=True)


class LoopState(Component, table=Loop):
    """What it carries from substep to substep."""

    impulse = Field(6, unit="N s, N m s", doc="impulse of each row over the last substep", role="state")
    broken = Field(dtype="int32", doc="1: it does nothing", role="state")


class LoopRow(Component, table=Loop):
    """Its rows at the start of the substep."""

    arm_a = Field(3, unit="m", doc="origin of A from that of a's root link, world axes")
    arm_b = Field(3, unit="m", doc="origin of B from that of b's root link, or the environment's; world axes")
    direction = Field(18, doc="unit direction of each row, world axes")
    error = Field(6, unit="m, rad", doc="how far A is from B along, or turned about, each direction; or the distance")
    drift = Field(6, unit="m/s, rad/s", doc="row velocity with which A stays on B to the second order of the timestep")


class LoopJacobian(Component, table=LoopEntry):
    """Velocity of A against B along its rows per generalised velocity."""

    value = Field(6, doc="of each row")


class LoopResponse(Component, table=LoopEntry):
    """Generalised velocity change per unit impulse."""

    velocity = Field(6, doc="for impulses of each row")


class LoopBlock(Component, table=Loop):
    """Row velocities per unit impulses, factorised as L D L^T."""

    factor = Field(15, doc="L below its unit diagonal: 21, 31 32, 41 42 43, ...")
    inverse_pivot = Field(6, doc="inverse of D, 0 for rows that other rows, or nothing, hold")


class LoopReaction(Component, table=Loop):
    """What it transmits; computed when asked for."""

    wrench = Field(6, unit="N, N m", doc="force and torque on a at the origin of A, world axes")


class LoopScratch(Component, table=World):
    """The joint being solved."""

    sum = Field(6, doc="row velocities; and the right hand side as it is solved")
    shift = Field(6, doc="row displacements; and the right hand side of the correction")
    diagonal = Field(7, doc="diagonal of the block, infinite where nothing can move; squared Jacobian of a row")
