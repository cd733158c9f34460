"""Ties: nodes of deformable bodies that are tied to points of other deformable bodies.

A tie is a spring between a node and a point that up to four nodes of the other body carry, and a load that takes over
what the spring holds. All nodes that ties pull have a row among attachments, through which sweeps, rigid motions and
momenta know the sum of what their ties do.
"""

from phalanx.components.deformable import Deformable, Node
from phalanx.ecs import Component, Field, Table

NodeTie = Table("node tie", "a node tied to a point that nodes of another deformable body carry")
TiedNode = Table("tied node", "a node that ties pull: one that is tied, or that carries points of ties")
TiedShare = Table("tied share", "a tie as one of the nodes that it pulls sees it; those of a node are consecutive")


class NodeTieTopology(Component, table=NodeTie):
    """What is tied to what."""

    node = Field(dtype="int32", doc="the node", constant=True)
    carriers = Field(4, dtype="int32", doc="the nodes that carry the point", constant=True)
    weights = Field(4, doc="their weights, which add to 1", constant=True)
    mass = Field(unit="kg", doc="mass that gives the spring its stiffness", constant=True)
    learning = Field(doc="share of what the spring holds that the load takes over in a small step", constant=True)


class NodeTieState(Component, table=NodeTie):
    """What a tie remembers."""

    mode = Field(dtype="int32", doc="OFF or ON, as of attachments", role="state")
    load = Field(3, unit="N", doc="force on the node where it is at its point, world axes", role="state")
    impulse = Field(3, unit="N s", doc="on the node, over the substep so far", role="state")


class NodeTiePoint(Component, table=NodeTie):
    """What a tie does in a small step."""

    force = Field(3, unit="N", doc="on the node")
    pulse = Field(3, unit="N s", doc="impulse on the node, over the small step")


class NodeTies(Component, table=Node):
    """Whether ties pull a node."""

    row = Field(dtype="int32", doc="its row among tied nodes, -1: none does", constant=True)


class TiedNodeTopology(Component, table=TiedNode):
    """Which ties pull a node."""

    node = Field(dtype="int32", doc="the node", constant=True)
    attachment = Field(dtype="int32", doc="its row among attachments", constant=True)
    first = Field(dtype="int32", doc="its first share", constant=True)
    end = Field(dtype="int32", doc="one past its last share", constant=True)


class TiedNodeImpulse(Component, table=TiedNode):
    """What ties have done to a node in the substep so far."""

    impulse = Field(3, unit="N s", doc="on the node")


class TiedShareTopology(Component, table=TiedShare):
    """What a node gets of a tie."""

    tie = Field(dtype="int32", doc="the tie", constant=True)
    weight = Field(doc="share in what pulls the tied node; not above 0 where it carries the point", constant=True)


class TieCluster(Component, table=Deformable):
    """The bodies that ties join in a substep, and what else acts on them."""

    first = Field(dtype="int32", doc="the least number of a body that ties join this one to; its own if none does")
    size = Field(dtype="int32", doc="number of bodies that are joined, with this one")
    pushed = Field(dtype="int32", doc="1: shapes, links or the world push the body")
    middle = Field(3, unit="m", doc="centre of mass when the substep began, from the origin")
