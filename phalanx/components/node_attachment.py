"""Attachments: nodes of deformable bodies that are tied to points of links, or of the world.

An attachment is a spring of a node to its anchor, which moves with the link, and a load that takes over what the
spring holds, so that at rest the node is at its anchor.
"""

from phalanx.components.deformable import Node
from phalanx.components.node_contact import CoupledBody
from phalanx.ecs import Component, Field, Table

NodeAttachment = Table(
    "node attachment", "a node tied to a point; those of one deformable body and one coupled link are consecutive"
)

OFF, ON, PLACE = 0, 1, 2
"""Modes: the node is free; it is tied; it will be tied where it is when the next substep begins."""


class NodeAttachmentTopology(Component, table=NodeAttachment):
    """What is tied to what."""

    node = Field(dtype="int32", doc="the node", constant=True)
    link = Field(dtype="int32", doc="the link, -1: the world", constant=True)
    coupled = Field(dtype="int32", doc="the link's row among coupled links, -1: it does not move", constant=True)
    mass = Field(unit="kg", doc="mass that gives the spring its stiffness", constant=True)
    learning = Field(doc="share of what the spring holds that the load takes over in a small step", constant=True)


class AttachedNode(Component, table=Node):
    """Whether a node is tied."""

    attachment = Field(dtype="int32", doc="its attachment, -1: it has none", constant=True)


class CoupledAttachments(Component, table=CoupledBody):
    """Attachments between a body and a link."""

    first = Field(dtype="int32", doc="the first", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)


class NodeAttachmentState(Component, table=NodeAttachment):
    """What an attachment remembers."""

    mode = Field(dtype="int32", doc="OFF, ON or PLACE", role="state")
    spot = Field(3, unit="m", doc="the anchor in the link's frame, or from the environment's origin", role="state")
    load = Field(3, unit="N", doc="force on the node where it is at its anchor, world axes", role="state")
    impulse = Field(3, unit="N s", doc="on the node, over the substep so far", role="state")


class NodeAttachmentPoint(Component, table=NodeAttachment):
    """Where an attachment is, and what it does in a small step."""

    anchor = Field(3, unit="m", doc="the anchor, from DeformableMotion.origin")
    moment = Field(3, unit="N m s", doc="the impulse's moment about the body's centre of mass, over the substep so far")
    pulse = Field(3, unit="N s", doc="impulse on the node, over the small step")
