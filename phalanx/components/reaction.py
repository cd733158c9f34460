"""What joints transmit to the bodies that they carry; computed when asked for."""

from phalanx.components.dof import Dof
from phalanx.components.link import Body
from phalanx.ecs import Component, Field


class BodyTopology(Component, table=Body):
    """How bodies hang together, those that are fixed to another one's link included."""

    parent = Field(dtype="int32", doc="body that carries it, -1 for a root", constant=True)
    carrier = Field(dtype="int32", doc="body whose frame is the link's; itself unless it is fixed to it", constant=True)


class BodyInertia(Component, table=Body):
    """Mass properties of a body alone, without what is fixed to it."""

    mass = Field(unit="kg", doc="mass", role="parameter", shared=True)
    com = Field(3, unit="m", doc="centre of mass in the link frame", role="parameter", shared=True)
    inertia = Field(
        6, unit="kg m^2", doc="xx xy xz yy yz zz about the centre of mass, link axes", role="parameter", shared=True
    )


class DofReaction(Component, table=Dof):
    """Motion over the last substep."""

    acceleration = Field(
        6, unit="rad/s^2, m/s^2", doc="(angular, linear) acceleration of the body after this dof, at its link's origin"
    )


class BodyReaction(Component, table=Body):
    """The balance of forces on a body: torque about the origin of its link, force; world axes; but see ``wrench``."""

    need = Field(6, unit="N m, N", doc="mass times acceleration, less gravity, damping and external wrenches")
    acting = Field(6, unit="N m, N", doc="sum of contacts and other constraints between bodies")
    total = Field(6, unit="N m, N", doc="what the joint to its parent transmits")
    wrench = Field(6, unit="N, N m", doc="the same as force, torque about the body's origin; body frame")
