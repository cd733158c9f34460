"""Limits of the angles of loop joints: rows that push one way, beside the rows that hold.

An angle is that of frame A against frame B: the turn about their x axis, counted on beyond a full turn, of a revolute
joint; the swing of the x axis and the twist about it of a spherical one. Impulses act on a, and on b with the opposite
sign.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

LoopLimit = Table("loop joint limit", "limited angles of loop joints, those of a joint behind each other")
LoopLimitDof = Table(
    "loop joint limit dof",
    "for each limit the dofs from the first to the last that joints connect with it",
)
LoopLimitLine = Table(
    "loop joint limit row",
    "for each limit the rows of loop joints from the first to the last that are connected with it",
)

TURN_LIMIT, SWING_LIMIT, TWIST_LIMIT = range(3)
"""Kinds: the angle of a revolute joint; swing and twist of a spherical one."""


class LoopLimitTopology(Component, table=LoopLimit):
    """Whose limit it is, and what is connected with it."""

    kind = Field(dtype="int32", doc="TURN_LIMIT, ...", constant=True)
    loop = Field(dtype="int32", doc="the joint", constant=True)
    leads = Field(dtype="int32", doc="1: first limit of its joint", constant=True)
    next = Field(dtype="int32", doc="end of the limits of its joint", constant=True)
    first_dof = Field(dtype="int32", doc="first dof that it has an entry for", constant=True)
    end_dof = Field(dtype="int32", doc="end of those", constant=True)
    entry = Field(dtype="int32", doc="entry of the first", constant=True)
    first_line = Field(dtype="int32", doc="first row of loop joints that it has a share for", constant=True)
    end_line = Field(dtype="int32", doc="end of those", constant=True)
    share = Field(dtype="int32", doc="share of the first", constant=True)


class LoopLimitModel(Component, table=LoopLimit):
    """How far it lets its joint go."""

    lower = Field(unit="rad", doc="least angle, of a turn or twist", role="parameter", shared=True)
    upper = Field(unit="rad", doc="greatest angle, of a turn or twist", role="parameter", shared=True)
    cone = Field(
        2,
        doc="of a swing: 1 / tan(angle / 4)^2 for its greatest angles about y and z",
        role="parameter",
        shared=True,
    )
    restitution = Field(doc="share of its speed with which the angle leaves a limit", role="parameter", shared=True)
    stiffness = Field(
        unit="N m/rad", doc="of a compliant limit; hard where this and the damping are 0", role="parameter", shared=True
    )
    damping = Field(unit="N m s/rad", doc="of a compliant limit", role="parameter", shared=True)


class LoopLimitState(Component, table=LoopLimit):
    """What it carries from substep to substep."""

    angle = Field(
        unit="rad", doc="of a revolute joint: its angle when the last substep began, turns counted", role="state"
    )
    impulse = Field(unit="N m s", doc="impulse over the last substep, along LoopLimitRow.direction", role="state")


class LoopLimitRow(Component, table=LoopLimit):
    """The row at the start of the substep."""

    near = Field(dtype="int32", doc="1: it may act in this substep")
    below = Field(unit="rad", doc="least angle less the angle: negative inside")
    above = Field(unit="rad", doc="greatest angle less the angle: positive inside")
    rate = Field(unit="rad/s", doc="velocity of the angle")
    direction = Field(3, doc="gradient of the angle by the angular velocity of A against B, world axes")
    response = Field(unit="1/(kg m^2)", doc="its velocity per unit impulse, with what the joints' rows do about it")
    goal = Field(unit="rad", doc="displacement that a sweep pushes an angle to that is beyond its limit")


class LoopLimitResponse(Component, table=LoopLimitDof):
    """How dofs take part."""

    jacobian = Field(doc="velocity of the angle per decoupled velocity")
    held = Field(doc="the same with what the joints' rows do about it: what a unit acts on")


class LoopLimitShare(Component, table=LoopLimitLine):
    """What the rows of joints do to hold against a limit."""

    value = Field(doc="impulse that a row gives up per unit impulse of the limit, so that its velocity stays")


class LoopLimitScratch(Component, table=World):
    """What limits share."""

    acting = Field(dtype="int32", doc="limits that may act in this substep")
