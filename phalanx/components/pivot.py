"""Spherical joints, whose momentum is restored in the pose that a substep ends in."""

from phalanx.components.dof import Dof
from phalanx.components.mass import MassEntry
from phalanx.ecs import Component, Field, Table

Pivot = Table("pivot", "joints that turn any way: spherical ones, and the free roots of robots that have some")


class PivotTopology(Component, table=Pivot):
    """Which joints they are."""

    dof = Field(dtype="int32", doc="its first dof of rotation, which two more follow", constant=True)


class PivotState(Component, table=Pivot):
    """What hangs on a pivot."""

    angular = Field(3, unit="kg m^2/s", doc="its angular momentum about the pivot after the substep, world axes")


class PivotDof(Component, table=Dof):
    """Dofs of pivots in the solve for their momentum."""

    kept = Field(dtype="int32", doc="1: a pivot's, and its momentum is restored")
    inverse_pivot = Field(unit="1/(kg m^2)", doc="inverse pivots of the factorisation")
    change = Field(unit="rad/s", doc="velocity at the substep's end beyond its mean")
    velocity = Field(unit="rad/s", doc="mean velocity over the substep")
    momentum = Field(unit="kg m^2/s", doc="generalised momentum after the substep; then the velocity that it takes")


class PivotFactor(Component, table=MassEntry):
    """Factorisation L^T D L of the rows and columns of M that are of pivots."""

    value = Field(unit="kg m^2", doc="entry of L (unit diagonal not stored), D on the diagonal")
