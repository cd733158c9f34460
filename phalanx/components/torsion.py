"""Torsional friction: contacts that resist spinning about their normal. Only in worlds where some shape has it."""

from phalanx.components.contact import Contact, ContactRow
from phalanx.ecs import Component, Field


class ContactSpin(Component, table=Contact):
    """A contact's resistance against spinning about its normal."""

    radius = Field(unit="m", doc="radius of the patch that friction twists at; 0: nothing resists")
    speed = Field(unit="rad/s", doc="spin of a less that of b about the normal at the start of the substep")
    inverse = Field(unit="kg m^2", doc="torsional impulse per spin that it takes away in a sweep; 0: none can")
    value = Field(
        unit="N m s", doc="torsional impulse over the substep, on a about the normal, on b against", role="state"
    )
    last = Field(
        unit="N m s", doc="what it would be had all sweeps given what the last one gave; the solver's", role="state"
    )


class PreviousSpin(Component, table=Contact):
    """The list of the substep before."""

    key = Field(dtype="int32", doc="as ContactPoint.key")
    impulse = Field(unit="N m s", doc="torsional impulse")


class SpinJacobian(Component, table=ContactRow):
    """Jacobian of a contact's spin: that of a less that of b, about the normal, per decoupled velocity."""

    value = Field(doc="in rows as of ContactDof")
