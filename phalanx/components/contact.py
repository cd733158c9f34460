"""Collision geometry against planes, and contacts.

A shape is probed by points with a radius: a sphere by one, a capsule by two, a box by its corners, a hull by its
vertices, a cylinder by five points of its rims that follow the plane. Contacts are kept per environment in fixed slots,
filled from the front in the order of shapes and points.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Plane = Table("plane", "static planes, the same in all environments")
PlanePair = Table("plane pair", "a collision shape against one static plane")
PlanePoint = Table("plane point", "a point of a shape against one plane")
Contact = Table("contact", "contact slot")
ContactRow = Table("contact row", "contact slot x dof")


class GroundPlane(Component, table=Plane):
    """Points x with normal . x = offset."""

    normal = Field(3, doc="unit normal, world", role="parameter", shared=True)
    tangent = Field(3, doc="first friction direction, world", role="parameter", shared=True)
    offset = Field(
        unit="m", doc="distance from the environment's origin along the normal", role="parameter", shared=True
    )


class GroundMaterial(Component, table=Plane):
    """Surface of a plane."""

    static_friction = Field(doc="static friction coefficient", role="parameter", shared=True)
    dynamic_friction = Field(doc="dynamic friction coefficient", role="parameter", shared=True)
    restitution = Field(doc="restitution coefficient", role="parameter", shared=True)


class PlanePairTopology(Component, table=PlanePair):
    """Which points belong to a shape."""

    plane = Field(dtype="int32", doc="the plane it is tested against", constant=True)
    link = Field(dtype="int32", doc="the link that carries it", constant=True)
    body = Field(dtype="int32", doc="the named body that forces are reported for", constant=True)
    dof = Field(dtype="int32", doc="last dof of its link", constant=True)
    first_point = Field(dtype="int32", doc="first plane point", constant=True)
    end_point = Field(dtype="int32", doc="one past its last plane point", constant=True)


class PlanePairMaterial(Component, table=PlanePair):
    """Surface of a shape."""

    static_friction = Field(doc="static friction coefficient", role="parameter", shared=True)
    dynamic_friction = Field(doc="dynamic friction coefficient", role="parameter", shared=True)
    restitution = Field(doc="restitution coefficient", role="parameter", shared=True)


class PlanePairState(Component, table=PlanePair):
    """Result of the first pass over points."""

    near = Field(dtype="int32", doc="number of its points that may touch in this substep")


class PointTopology(Component, table=PlanePoint):
    """Where a point belongs."""

    plane = Field(dtype="int32", doc="plane", constant=True)
    link = Field(dtype="int32", doc="link", constant=True)
    dof = Field(dtype="int32", doc="last dof of the link", constant=True)
    rim = Field(dtype="int32", doc="-1: a point fixed to its link; 0..4: the rim point of a cylinder", constant=True)


class PointGeometry(Component, table=PlanePoint):
    """Geometry of a point in its link."""

    position = Field(3, unit="m", doc="point, or centre of the cylinder, link frame", role="parameter", shared=True)
    axis = Field(3, unit="m", doc="half axis of the cylinder, link frame", role="parameter", shared=True)
    radius = Field(
        unit="m", doc="radius of the sphere about the point, or of the cylinder", role="parameter", shared=True
    )


class PointState(Component, table=PlanePoint):
    """Where a point is."""

    arm = Field(3, unit="m", doc="surface point nearest the plane, from the root link's origin, world axes")
    distance = Field(unit="m", doc="distance of that point from the plane")
    near = Field(dtype="int32", doc="1 if it may touch in this substep")


class ContactCount(Component, table=World):
    """How many slots are in use."""

    current = Field(dtype="int32", doc="contacts of this substep", role="state")


class ContactPoint(Component, table=Contact):
    """A contact point."""

    key = Field(dtype="int32", doc="plane point, names the contact from step to step", role="state")
    shape = Field(dtype="int32", doc="shape")
    dof = Field(dtype="int32", doc="last dof of the touching link")
    arm = Field(3, unit="m", doc="contact point from the root link's origin, world axes")
    separation = Field(unit="m", doc="distance, negative when penetrating")
    approach = Field(unit="m/s", doc="normal velocity at the start of the substep")


class PreviousContact(Component, table=Contact):
    """The list of the substep before, while the new one is made."""

    key = Field(dtype="int32", doc="as ContactPoint.key")
    impulse = Field(3, unit="N s", doc="as ContactImpulse.value")


class ContactImpulse(Component, table=Contact):
    """What contacts transmit."""

    value = Field(3, unit="N s", doc="normal, tangent 1, tangent 2", role="state")


class ContactBlock(Component, table=Contact):
    """A contact's own response: velocity along its directions per unit impulse along them."""

    normal = Field(unit="1/kg", doc="normal to normal")
    tangent = Field(
        4, unit="kg", doc="inverse of the 2 x 2 tangential block: 11, 12, 22; and of the mean of its diagonal"
    )


class ContactJacobian(Component, table=ContactRow):
    """Jacobian of a contact: velocity along normal, tangent 1, tangent 2 per generalised velocity."""

    value = Field(3, doc="rows normal, tangent 1, tangent 2")


class ContactResponse(Component, table=ContactRow):
    """Generalised velocity change per unit impulse."""

    velocity = Field(3, doc="for impulses along normal, tangent 1, tangent 2")


class ContactForce(Component, table=PlanePair):
    """Force on a shape's body from one plane, last substep."""

    force = Field(3, unit="N", doc="world", role="state")
