"""Links (bodies that move), the joints that carry them, and the named bodies fixed to them."""

from phalanx.ecs import Component, Field, Table

Link = Table("link", "a rigid body with its inbound joint; parents come before children")
Body = Table("body", "a body named in the robot's file: a frame fixed to a link")

FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE = 0, 1, 2, 3, 4
"""Joint types. FIXED occurs only at a root; it keeps its pose in coordinates, like FREE."""


class LinkTopology(Component, table=Link):
    """How links hang together."""

    parent = Field(dtype="int32", doc="parent link, -1 for a root", constant=True)
    joint_type = Field(dtype="int32", doc="one of FIXED, REVOLUTE, PRISMATIC, SPHERICAL, FREE", constant=True)
    coord = Field(dtype="int32", doc="first coordinate of the inbound joint", constant=True)
    first_dof = Field(dtype="int32", doc="first dof of the inbound joint", constant=True)
    last_dof = Field(dtype="int32", doc="dof whose motion is this link's; -1 if it cannot move", constant=True)
    root = Field(dtype="int32", doc="root link of its tree", constant=True)
    tree = Field(dtype="int32", doc="its tree", constant=True)


class JointFrame(Component, table=Link):
    """Where the inbound joint sits in the parent link."""

    position = Field(3, unit="m", doc="joint origin in the parent link's frame", role="parameter", shared=True)
    orientation = Field(4, doc="joint frame in the parent link's frame, w x y z", role="parameter", shared=True)
    axis = Field(3, doc="unit axis in the joint frame", role="parameter", shared=True)


class LinkInertia(Component, table=Link):
    """Mass properties, links merged by fixed joints included."""

    mass = Field(unit="kg", doc="mass", role="parameter", shared=True)
    com = Field(3, unit="m", doc="centre of mass in the link frame", role="parameter", shared=True)
    inertia = Field(
        6, unit="kg m^2", doc="xx xy xz yy yz zz about the centre of mass, link axes", role="parameter", shared=True
    )


class LinkDynamics(Component, table=Link):
    """What acts on a link besides joints and contacts."""

    gravity_scale = Field(doc="share of gravity that acts on it", role="parameter", shared=True, initial=1)
    linear_damping = Field(
        unit="1/s", doc="decay of the centre of mass's velocity, d in 1 / (1 + d h)", role="parameter", shared=True
    )
    angular_damping = Field(unit="1/s", doc="the same for the angular velocity", role="parameter", shared=True)
    gyroscopic = Field(doc="1 with gyroscopic torques, 0 without", role="parameter", shared=True, initial=1)


class LinkPose(Component, table=Link):
    """Where the link is."""

    offset = Field(3, unit="m", doc="origin of the link frame from that of the root link, world axes")
    orientation = Field(4, doc="link frame in world, w x y z")
    rotation = Field(9, doc="the same as a row-major matrix")


class ExternalWrench(Component, table=Link):
    """Set by the user; acts until changed."""

    force = Field(3, unit="N", doc="force at the centre of mass, world", role="input")
    torque = Field(3, unit="N m", doc="torque, world", role="input")


class BodyFrame(Component, table=Body):
    """Where a named body sits on its link."""

    link = Field(dtype="int32", doc="the link it is fixed to", constant=True)
    position = Field(3, unit="m", doc="its origin in the link frame", role="parameter", shared=True)
    orientation = Field(4, doc="its frame in the link frame, w x y z", role="parameter", shared=True)


class BodyState(Component, table=Body):
    """Computed when asked for."""

    pose = Field(7, unit="m, 1", doc="origin and orientation (w x y z), world")
    velocity = Field(6, unit="m/s, rad/s", doc="linear velocity of the origin and angular velocity, world")
