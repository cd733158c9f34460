"""What probes keep of steps: a row for each row of the sampled table and each sample, one sample after another."""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

CoordSample = Table("coord_sample", "a generalised position in a sample")
DofSample = Table("dof_sample", "a degree of freedom in a sample")
BodySample = Table("body_sample", "a body in a sample")
DeformableSample = Table("deformable_sample", "a deformable body in a sample")
NodeSample = Table("node_sample", "a node of a deformable body in a sample")
ContactSample = Table("contact_sample", "a contact in a sample")


class SampleSlot(Component, table=World):
    """Where the next sample goes."""

    current = Field(dtype="int32", doc="samples before it, from the start of the arrays")
    contacts = Field(dtype="int32", doc="contacts of a sample that there is room for")


class SampledCoordinate(Component, table=CoordSample):
    """Generalised positions after steps."""

    value = Field(unit="rad", doc="angle, length, or part of a position or quaternion (w x y z)")


class SampledDof(Component, table=DofSample):
    """Velocities and targets after steps."""

    velocity = Field(unit="rad/s", doc="generalised velocity")
    acceleration = Field(unit="rad/s^2", doc="change of velocity over the last substep")
    position_target = Field(unit="rad", doc="position target")
    velocity_target = Field(unit="rad/s", doc="velocity target")
    effort_target = Field(unit="N m", doc="feed-forward effort")


class SampledBody(Component, table=BodySample):
    """Bodies after steps."""

    pose = Field(7, unit="m, 1", doc="origin and orientation (w x y z), world")
    velocity = Field(6, unit="m/s, rad/s", doc="linear velocity of the origin and angular velocity, world")
    contact_force = Field(3, unit="N", doc="sum of all contact forces, world axes")


class SampledDeformable(Component, table=DeformableSample):
    """Deformable bodies after steps."""

    origin = Field(3, unit="m", doc="where positions of nodes start from")


class SampledNode(Component, table=NodeSample):
    """Nodes of deformable bodies after steps."""

    offset = Field(3, unit="m", doc="position from the body's origin, world axes")
    velocity = Field(3, unit="m/s", doc="velocity, world")


class SampledContact(Component, table=ContactSample):
    """Contacts of the last substep of steps; 0 where there are no more."""

    count = Field(doc="contacts that there were, also those without room; one a sample")
    point = Field(3, unit="m", doc="midway between the surfaces, where they met when the substep began, world")
    normal = Field(3, doc="unit normal, from b to a, world axes")
    force = Field(3, unit="N", doc="on a, normal part and friction, world axes")
    separation = Field(unit="m", doc="distance less rest offsets, negative when penetrating")
