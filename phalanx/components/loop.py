"""Loop joints: constraints between any two bodies, or one and the world, on top of the trees.

Frame A is fixed to link a, frame B to link b or to the world. The rows of a joint say how A may not move against B: up
to three along directions, then up to three about directions. Impulses act on a, and on b with the opposite sign.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Loop = Table("loop joint", "joints that close loops between links, or fasten them to the world")
LoopEntry = Table(
    "loop joint entry",
    "for each loop joint the dofs that it can move: those of a's tree, then of b's",
)
LoopLine = Table("loop joint row", "rows of all loop joints, joint by joint")
LoopCell = Table(
    "loop joint cell",
    "for each row the rows before it, from the first joint that shares a tree, and itself",
)

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
    line = Field(dtype="int32", doc="its first row", constant=True)


class LoopFrame(Component, table=Loop):
    """Where its frames are, and its limits."""

    position_a = Field(3, unit="m", doc="origin of A, frame of link a", role="parameter", shared=True)
    orientation_a = Field(4, doc="A in the frame of link a, w x y z", role="parameter", shared=True)
    position_b = Field(
        3,
        unit="m",
        doc="origin of B, frame of link b or the environment's",
        role="parameter",
        shared=True,
    )
    orientation_b = Field(
        4,
        doc="B in the frame of link b or the environment's",
        role="parameter",
        shared=True,
    )
    nearest = Field(
        unit="m",
        doc="of a distance joint: the least distance",
        role="parameter",
        shared=True,
    )
    farthest = Field(
        unit="m",
        doc="of a distance joint: the greatest distance",
        role="parameter",
        shared=True,
    )
    break_force = Field(unit="N", doc="it breaks above this force", role="parameter", shared=True)
    break_torque = Field(unit="N m", doc="it breaks above this torque", role="parameter", shared=True)


class LoopState(Component, table=Loop):
    """What it carries from substep to substep."""

    impulse = Field(
        6,
        unit="N s, N m s",
        doc="impulse of each row over the last substep",
        role="state",
    )
    broken = Field(dtype="int32", doc="1: it does nothing", role="state")


class LoopRow(Component, table=Loop):
    """Its rows at the start of the substep."""

    arm_a = Field(3, unit="m", doc="origin of A from that of a's root link, world axes")
    arm_b = Field(
        3,
        unit="m",
        doc="origin of B from that of b's root link, or the environment's; world axes",
    )
    direction = Field(18, doc="unit direction of each row, world axes")
    error = Field(
        6,
        unit="m, rad",
        doc="how far A is from B along, or turned about, each direction; or the distance",
    )
    chord = Field(doc="share of the bend of A's path that drift makes up for; a half keeps it on B")
    drift = Field(
        6,
        unit="m/s, rad/s",
        doc="row velocity with which A stays on B to the second order of the timestep",
    )


class LoopJacobian(Component, table=LoopEntry):
    """Velocity of A against B along its rows per decoupled velocity."""

    value = Field(6, doc="of each row")


class LoopLineTopology(Component, table=LoopLine):
    """Which row of which joint it is, and where its cells are."""

    loop = Field(dtype="int32", doc="the joint", constant=True)
    slot = Field(dtype="int32", doc="0 to 5: its number in the joint", constant=True)
    first = Field(dtype="int32", doc="first row that it has a cell for", constant=True)
    cell = Field(dtype="int32", doc="cell of that row", constant=True)


class LoopLineSolve(Component, table=LoopLine):
    """A row in the system of all of them."""

    start = Field(unit="m/s, rad/s", doc="its velocity at the start of the substep")
    weight = Field(doc="square of its Jacobian")
    response = Field(unit="1/kg", doc="its velocity per unit impulse; 0 if nothing can move")
    inverse_pivot = Field(doc="inverse of D, 0 for rows that others hold, or that do not act")
    speed = Field(unit="m/s, N s", doc="missing velocity, and then the impulse that makes it")
    way = Field(unit="m, N s^2", doc="missing displacement, and then what makes it")


class LoopCellValue(Component, table=LoopCell):
    """Row velocities per unit impulses."""

    value = Field(doc="cells of L in the factorisation L D L^T; D on the diagonal")


class LoopReaction(Component, table=Loop):
    """What it transmits; computed when asked for."""

    wrench = Field(6, unit="N, N m", doc="force and torque on a at the origin of A, world axes")


class LoopScratch(Component, table=World):
    """The row being solved."""

    sum = Field(unit="m/s, N s", doc="its velocity, or the square of its Jacobian; and the change of its impulse")
    shift = Field(doc="its displacement; and the correction of that")
