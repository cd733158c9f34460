"""Degrees of freedom: their tree, state, drives, limits, and what the dynamics compute for them.

A joint of several dofs (spherical, free) is a run of dofs: a free one translates along, then rotates about, the axes of
its parent joint frame (the world's, for a root), and its velocities are expressed there.
"""

from phalanx.ecs import Component, Field, Table

Dof = Table("dof", "degree of freedom (a generalised velocity); those of parents come first")
Coord = Table("coord", "generalised position: 1 per single-dof joint, quaternion 4, pose 7")
DofPair = Table("dof pair", "pairs of dofs of one tree, row-major, tree by tree")
Mimic = Table("mimic", "joints that follow another")


class DofTopology(Component, table=Dof):
    """The tree of dofs."""

    parent = Field(dtype="int32", doc="previous dof towards the root, -1 at its end", constant=True)
    base = Field(dtype="int32", doc="last dof of the parent link, -1 if that cannot move", constant=True)
    link = Field(dtype="int32", doc="link that the dof moves", constant=True)
    is_last = Field(dtype="int32", doc="1 if the link moves with this dof, 0 for inner dofs of a joint", constant=True)
    angular = Field(dtype="int32", doc="1 rotation, 0 translation", constant=True)
    axis = Field(dtype="int32", doc="axis of the joint frame, 0 1 2, or -1 for the joint's own axis", constant=True)
    coord = Field(dtype="int32", doc="coordinate of a single-dof joint, else -1", constant=True)
    chain = Field(dtype="int32", doc="first mass matrix entry of this dof's row", constant=True)
    depth = Field(dtype="int32", doc="number of entries in its row: itself and its ancestors", constant=True)
    tree_first = Field(dtype="int32", doc="first dof of its tree", constant=True)
    scalar = Field(dtype="int32", doc="1 for the dof of a single-dof joint", constant=True)
    mimicked = Field(dtype="int32", doc="1 if a mimic constraint involves it", constant=True)
    turns = Field(
        dtype="int32", doc="1 for dofs of spherical joints, and of free roots of robots with such", constant=True
    )
    tree_end = Field(dtype="int32", doc="one past the last dof of its tree", constant=True)
    relations = Field(dtype="int32", doc="dof pair of this dof and dof k is relations + k", constant=True)
    walk = Field(dtype="int32", doc="dofs depth first, each tree's in the places of its rows", constant=True)
    walk_begin = Field(dtype="int32", doc="its place there; those that it moves come from there on", constant=True)
    walk_end = Field(dtype="int32", doc="one past the place of the last one that it moves", constant=True)


class DofModel(Component, table=Dof):
    """Passive properties of joints."""

    armature = Field(unit="kg m^2", doc="rotor inertia added to the joint's own", role="parameter", shared=True)
    damping = Field(unit="N m s/rad", doc="viscous friction", role="parameter", shared=True)
    friction = Field(unit="N m", doc="Coulomb friction of the moving joint", role="parameter", shared=True)
    static_friction = Field(
        unit="N m", doc="effort that it takes to set the joint moving, if above friction", role="parameter", shared=True
    )
    prescribed = Field(
        dtype="int32", doc="1: keeps the velocity that it is given, whatever acts on it", role="parameter", shared=True
    )
    max_depenetration_velocity = Field(
        unit="m/s",
        doc="cap on how fast contacts push out what it moves; negative: the world's",
        role="parameter",
        shared=True,
        initial=-1.0,
    )


class DofLimit(Component, table=Dof):
    """Limits of single-dof joints; infinite where there are none."""

    lower = Field(unit="rad", doc="lower position limit", role="parameter", shared=True, initial=float("-inf"))
    upper = Field(unit="rad", doc="upper position limit", role="parameter", shared=True, initial=float("inf"))
    velocity = Field(unit="rad/s", doc="speed limit", role="parameter", shared=True, initial=float("inf"))
    restitution = Field(
        doc="share of its speed with which the joint leaves a hard limit, above the bounce threshold",
        role="parameter",
        shared=True,
    )
    stiffness = Field(
        unit="N m/rad",
        doc="stiffness of compliant limits; 0 with 0 damping: hard",
        role="parameter",
        shared=True,
    )
    damping = Field(unit="N m s/rad", doc="damping of compliant limits", role="parameter", shared=True)


class Drive(Component, table=Dof):
    """A PD drive on a single-dof joint."""

    stiffness = Field(unit="N m/rad", doc="position gain", role="input")
    damping = Field(unit="N m s/rad", doc="velocity gain", role="input")
    effort_limit = Field(unit="N m", doc="bound on the drive's total effort", role="input", initial=float("inf"))
    explicit = Field(
        dtype="int32", doc="1: effort from the state at the start of the substep; 0: implicit", role="input"
    )


class DriveTarget(Component, table=Dof):
    """What the drive is asked for."""

    position = Field(unit="rad", doc="position target", role="input")
    velocity = Field(unit="rad/s", doc="velocity target", role="input")
    effort = Field(unit="N m", doc="feed-forward effort", role="input")


class DriveEffort(Component, table=Dof):
    """What the drive gives: ``offset - slope * velocity``, or what a constraint row finds if it may saturate."""

    offset = Field(unit="N m", doc="effort at zero velocity, 0 if a row finds it")
    slope = Field(unit="N m s/rad", doc="stiffness * timestep + damping of an implicit drive, 0 if a row finds it")
    row_offset = Field(unit="N m", doc="the same for the row, which keeps the effort limit")
    row_slope = Field(unit="N m s/rad", doc="the same for the row; 0: there is none")
    applied = Field(unit="N m", doc="effort of the last substep, within its limit", role="state")


class Coordinate(Component, table=Coord):
    """Generalised positions."""

    value = Field(unit="rad", doc="angle, length, or part of a position or quaternion (w x y z)", role="state")


class DofState(Component, table=Dof):
    """Generalised velocities."""

    velocity = Field(unit="rad/s", doc="generalised velocity", role="state")
    acceleration = Field(unit="rad/s^2", doc="change of velocity over the last substep", role="state")


class DofMotion(Component, table=Dof):
    """Motion of the body after this dof, at the origin of its link: (angular, linear), world axes."""

    axis = Field(3, doc="unit axis of rotation or translation")
    velocity = Field(6, unit="rad/s, m/s", doc="velocity")
    acceleration = Field(6, unit="rad/s^2, m/s^2", doc="acceleration at zero generalised acceleration")


class DofForce(Component, table=Dof):
    """Forces on the subtree that moves with this dof, about the origin of its link: (torque, force), world axes."""

    force = Field(6, unit="N m, N", doc="needed for DofMotion.acceleration")
    external = Field(6, unit="N m, N", doc="gravity, damping and external wrenches")
    bias = Field(unit="N m", doc="Coriolis and centrifugal effort")
    pushed = Field(unit="N m", doc="effort of gravity, damping and external wrenches")
    weighed = Field(4, unit="kg, kg m", doc="mass that gravity acts on, and its first moment; computed when asked for")
    gravity = Field(unit="N m", doc="effort that holds against gravity; computed when asked for")


class DofInertia(Component, table=Dof):
    """Inertia of the subtree that moves with this dof, about the origin of its link, world axes."""

    composite = Field(10, unit="kg, kg m, kg m^2", doc="mass; first moment x y z; second moment xx xy xz yy yz zz")
    momentum = Field(6, unit="kg m^2/s, kg m/s", doc="momentum (angular, linear) per unit velocity of the dof")


class DofSolve(Component, table=Dof):
    """Unknowns of the velocity solve."""

    implicit = Field(unit="kg m^2", doc="diagonal added by implicit drives and damping")
    inverse_pivot = Field(unit="1/(kg m^2)", doc="inverse pivots of the factorisation")
    velocity = Field(unit="rad/s", doc="velocity at the end of the substep; until the solver is done, without impulses")
    displacement = Field(unit="rad", doc="motion over the substep")


class DofGain(Component, table=Dof):
    """What the substep has added to decoupled velocities u = L v, of inertia D, where M + implicit terms = L^T D L."""

    velocity = Field(unit="rad/s", doc="forces and impulses, to the velocity at its start")
    forced = Field(unit="rad/s", doc="the share of forces in it")
    displacement = Field(unit="rad", doc="the same, to the way at the velocity at its start")


class DofSearch(Component, table=Dof):
    """Where the search for loads is (:mod:`phalanx.systems.solver.loads`); velocities are as DofGain.velocity."""

    begin = Field(unit="rad/s", doc="velocity that the search began with")
    start = Field(unit="rad/s", doc="velocity that the sweep started from")
    step = Field(unit="rad/s", doc="the last step")


class DofRow(Component, table=Dof):
    """Constraints on single dofs: limits, friction, effort and speed limits."""

    active = Field(dtype="int32", doc="1 if any of them may act in this substep")
    order = Field(dtype="int32", doc="the dofs that have rows, one behind the other")
    response = Field(unit="1/(kg m^2)", doc="velocity of the dof per unit impulse on it")
    friction = Field(unit="N m s", doc="impulse of Coulomb friction", role="state")
    drive = Field(unit="N m s", doc="impulse of a drive that may reach its effort limit", role="state")
    stop = Field(unit="N m s", doc="impulse of position and speed limits", role="state")


class DofRelation(Component, table=DofPair):
    """Relations between dofs."""

    moves = Field(dtype="int32", doc="row a, column b: 1 if b moves the link of a", constant=True)


class MimicConstraint(Component, table=Mimic):
    """``q(follower) = multiplier * q(leader) + offset``."""

    follower = Field(dtype="int32", doc="dof that follows", constant=True)
    leader = Field(dtype="int32", doc="dof that leads", constant=True)
    multiplier = Field(doc="ratio", role="parameter", shared=True)
    offset = Field(unit="rad", doc="offset", role="parameter", shared=True)
    impulse = Field(unit="N m s", doc="accumulated impulse", role="state")
