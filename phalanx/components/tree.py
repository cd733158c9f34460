"""Trees: robots as wholes."""

from phalanx.ecs import Component, Field, Table

Tree = Table("tree", "a robot: a root link and all that hangs on it")


class TreeTopology(Component, table=Tree):
    """Which rows are a tree's."""

    first_dof = Field(dtype="int32", doc="its first dof", constant=True)
    end_dof = Field(dtype="int32", doc="one past its last dof", constant=True)
    is_free = Field(dtype="int32", doc="1 if its root link is free", constant=True)
    spherical = Field(dtype="int32", doc="1 if it has spherical joints", constant=True)
    yields = Field(dtype="int32", doc="1 if forces can move any of it", constant=True)
    first_link = Field(dtype="int32", doc="its first link", constant=True)
    end_link = Field(dtype="int32", doc="one past its last link", constant=True)
    first_coord = Field(dtype="int32", doc="its first coordinate", constant=True)
    end_coord = Field(dtype="int32", doc="one past its last coordinate", constant=True)


class TreeSearch(Component, table=Tree):
    """Islands of the search for loads (:mod:`phalanx.systems.solver.loads`)."""

    island = Field(dtype="int32", doc="first tree of those that contacts tie it to")
    known = Field(
        dtype="int32",
        doc="of an island, at its first tree: 0 loads are sought, 1 known since the first sweep, 2 since a later one; "
        "negative: since the last one",
    )
    sum = Field(9, doc="dot products of what its dofs and contacts do; those of an island at its first tree")


class TreeLimits(Component, table=Tree):
    """Caps on the motion of a free root link."""

    linear_velocity = Field(
        unit="m/s", doc="most speed of its centre of mass", role="parameter", shared=True, initial=float("inf")
    )
    angular_velocity = Field(
        unit="rad/s", doc="most angular speed", role="parameter", shared=True, initial=float("inf")
    )


class TreeMomentum(Component, table=Tree):
    """Momentum that a free tree must have after the substep, about its centre of mass."""

    angular = Field(3, unit="kg m^2/s", doc="angular momentum, world axes")
    linear = Field(3, unit="kg m/s", doc="linear momentum, world axes")
    com = Field(3, unit="m", doc="where its centre of mass goes, from where its root link was, world axes")
    change = Field(
        6, unit="m/s, rad/s", doc="velocity of the root at the substep's end beyond its mean (linear, angular)"
    )
    bend = Field(
        3, unit="m/s^2", doc="acceleration of its root while dofs keep their velocities and the centre of mass its own"
    )
    trusts_pivots = Field(dtype="int32", doc="1: its spherical joints turn at the mean of their turn in this substep")
    energy = Field(unit="J", doc="kinetic energy that a tree with spherical joints must have, about its centre of mass")
    keeps_linear = Field(doc="1 if the linear part is restored, 0 where some dof of its root is prescribed")
    keeps_angular = Field(doc="the same of the angular part, 0 also where a link has no gyroscopic torques")
