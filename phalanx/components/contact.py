"""Shapes against planes, and contacts.

Against a plane a shape is probed by points with a radius: a sphere by one, a capsule by two, a box by its corners, a
hull by its vertices, cylinders and cones by points of their rims that follow the plane. Contacts are kept per
environment in slots, filled from the front: those with planes in the order of probe points, then those of candidates
(:mod:`phalanx.components.pair`).
"""

from phalanx.components.link import Body, Link
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Plane = Table("plane", "static planes, the same in all environments")
PlanePair = Table("plane pair", "a collision shape against one static plane")
PlanePoint = Table("plane point", "a point of a shape against one plane")
Contact = Table("contact", "contact slot")
ContactRow = Table("contact row", "for each contact slot the dofs that it can move")


class GroundPlane(Component, table=Plane):
    """Points x with normal . x = offset."""

    normal = Field(3, doc="unit normal, world", role="parameter", shared=True)
    tangent = Field(3, doc="a direction in the plane, world", role="parameter", shared=True)
    offset = Field(
        unit="m", doc="distance from the environment's origin along the normal", role="parameter", shared=True
    )


class PlanePairTopology(Component, table=PlanePair):
    """Which points belong to a pair."""

    plane = Field(dtype="int32", doc="the plane", constant=True)
    a = Field(dtype="int32", doc="the shape", constant=True)
    b = Field(dtype="int32", doc="the plane's own row among shapes", constant=True)
    first_point = Field(dtype="int32", doc="first plane point", constant=True)
    end_point = Field(dtype="int32", doc="one past its last plane point", constant=True)


class PlanePairState(Component, table=PlanePair):
    """Result of the first pass over points."""

    near = Field(dtype="int32", doc="number of its points that may touch in this substep")
    first_contact = Field(dtype="int32", doc="contact slot of the first of those that are kept")


class PointTopology(Component, table=PlanePoint):
    """Where a point belongs."""

    plane = Field(dtype="int32", doc="plane", constant=True)
    shape = Field(dtype="int32", doc="shape", constant=True)
    other = Field(dtype="int32", doc="the plane's own row among shapes", constant=True)
    link = Field(dtype="int32", doc="link", constant=True)
    dof = Field(dtype="int32", doc="last dof of the link", constant=True)
    rim = Field(
        dtype="int32",
        doc="-1: a point fixed to its link; 0..4: a rim point of a cylinder; 5..8: of a cone's base",
        constant=True,
    )


class PointGeometry(Component, table=PlanePoint):
    """Geometry of a point in its link."""

    position = Field(3, unit="m", doc="point, or centre of the cylinder, link frame", role="parameter", shared=True)
    axis = Field(
        3, unit="m", doc="half axis of a cylinder, or to the base of a cone, link frame", role="parameter", shared=True
    )
    radius = Field(unit="m", doc="radius of the sphere about the point, or of the rim", role="parameter", shared=True)


class PointState(Component, table=PlanePoint):
    """Where a point is."""

    arm = Field(3, unit="m", doc="surface point nearest the plane, from the root link's origin, world axes")
    distance = Field(unit="m", doc="distance of that point from the plane, less rest offsets")
    near = Field(dtype="int32", doc="1 if it may touch in this substep")


class ContactCount(Component, table=World):
    """How many slots are in use."""

    current = Field(dtype="int32", doc="contacts of this substep", role="state")


class ContactPoint(Component, table=Contact):
    """A contact of shape a with shape b."""

    key = Field(dtype="int32", doc="names what touches from step to step, growing", role="state")
    a = Field(dtype="int32", doc="shape a", role="state")
    b = Field(dtype="int32", doc="shape b", role="state")
    place = Field(3, unit="m", doc="from the origin of shape a, world axes; tells the points of a pair", role="state")
    arm_a = Field(3, unit="m", doc="from the origin of a's root link, world axes", role="state")
    arm_b = Field(3, unit="m", doc="from the origin of b's root link, world axes; of no use if b is a plane")
    normal = Field(3, doc="unit normal, from b to a, world axes", role="state")
    tangent = Field(3, doc="first friction direction, world axes; the second is normal x tangent", role="state")
    separation = Field(unit="m", doc="distance less rest offsets, negative when penetrating", role="state")


class ContactSurface(Component, table=Contact):
    """The two surfaces of a contact together."""

    static_friction = Field(doc="static friction coefficient")
    dynamic_friction = Field(doc="dynamic friction coefficient")
    restitution = Field(doc="restitution coefficient")
    drift = Field(2, unit="m/s", doc="velocity of a's moving surface less that of b's, along tangent 1, tangent 2")


class ContactMotion(Component, table=Contact):
    """How the bodies of a contact can move and do."""

    dof_a = Field(dtype="int32", doc="last dof of a's link, -1: cannot move")
    dof_b = Field(dtype="int32", doc="last dof of b's link, -1: cannot move")
    approach = Field(unit="m/s", doc="normal velocity at the start of the substep")
    gap = Field(unit="m", doc="the separation, or 0 where what rests within the slop takes part in bearing")
    member = Field(dtype="int32", doc="place in its window of contacts that are solved together, 0 to 3")
    extent = Field(dtype="int32", doc="number of dofs that it moves")
    rebound = Field(
        unit="m/s",
        doc="normal velocity that it bounces off with, 0: it does not bounce; negative: it gives way, less its "
        "compliance (1/kg)",
    )
    slip = Field(2, unit="m/s", doc="velocity along tangent 1, tangent 2 at the start of the substep, without drift")


class PreviousContact(Component, table=Contact):
    """The list of the substep before, while the new one is made."""

    key = Field(dtype="int32", doc="as ContactPoint.key")
    place = Field(3, unit="m", doc="as ContactPoint.place")
    push = Field(unit="N s", doc="normal impulse")
    rub = Field(3, unit="N s", doc="friction impulse, world axes")


class ContactImpulse(Component, table=Contact):
    """What contacts transmit: on a as it stands, on b with the opposite sign."""

    value = Field(3, unit="N s", doc="normal, tangent 1, tangent 2; over the substep", role="state")
    last = Field(3, unit="N s", doc="as value, but for blows: what the next substep starts from", role="state")


class ContactSearch(Component, table=Contact):
    """Where the search for loads is (:mod:`phalanx.systems.solver.loads`)."""

    begin = Field(3, unit="N s", doc="impulses that the search began with")
    start = Field(3, unit="N s", doc="impulses that the sweep started from")
    step = Field(3, unit="N s", doc="the last step")
    velocity = Field(3, unit="m/s", doc="along normal and tangents after the sweep, less drift of the surfaces")
    cut = Field(3, unit="N s", doc="what was taken off a step to stay within bounds")
    held = Field(dtype="int32", doc="bits: 1 apart, 2 sliding after the sweep; or 1: the step was cut")
    island = Field(dtype="int32", doc="first tree of those that contacts tie together here")


class ContactBlock(Component, table=Contact):
    """A contact's own response: velocity along its directions per unit impulse along them."""

    normal = Field(
        4, unit="1/kg", doc="along its normal, per unit normal impulse of each member of its window up to itself"
    )
    gap = Field(unit="m", doc="ContactMotion.gap, but less deep where a push would move dofs much farther")
    tangent = Field(
        4, unit="kg", doc="inverse of the 2 x 2 tangential block: 11, 12, 22; and of the mean of its diagonal"
    )


class ContactDof(Component, table=ContactRow):
    """Which dof a row is of."""

    dof = Field(dtype="int32", doc="the dof; those of a contact ascend, with all ancestors of each")


class ContactJacobian(Component, table=ContactRow):
    """Jacobian of a contact: velocity of a less that of b, per decoupled velocity."""

    value = Field(3, doc="rows normal, tangent 1, tangent 2")


class BodyContact(Component, table=Body):
    """Contact forces on a body in the last substep; computed when asked for."""

    force = Field(3, unit="N", doc="sum of all contact forces, world axes")
    normal_force = Field(3, unit="N", doc="sum of the normal parts, world axes")


class LinkContact(Component, table=Link):
    """Contact forces on a link in the last substep; computed when asked for."""

    wrench = Field(6, unit="N m, N", doc="torque about the link's origin, force; world axes")
