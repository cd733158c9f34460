"""Collision meshes of soft bodies: points of a surface that nodes of tetrahedra carry.

A point is a row among nodes, after those of its body, so that contacts treat it as they treat a node. It has no
inertia: where it is follows from the nodes of its tetrahedron, and what acts on it acts on them, by the same weights.
"""

from phalanx.components.deformable import Deformable, Node
from phalanx.ecs import Component, Field, Table

CollisionPoint = Table("collision point", "a point of a collision mesh; those of a body are consecutive")
CollisionShare = Table("collision share", "a collision point as a node that carries it sees it; node by node")


class CollisionPointTopology(Component, table=CollisionPoint):
    """Which row it is, and who carries it."""

    node = Field(dtype="int32", doc="its own row among nodes", constant=True)
    carriers = Field(4, dtype="int32", doc="the nodes of its tetrahedron", constant=True)
    weights = Field(4, doc="their weights, which add up to 1", constant=True)


class CollisionShareTopology(Component, table=CollisionShare):
    """The point."""

    node = Field(dtype="int32", doc="the point's row among nodes", constant=True)
    weight = Field(doc="weight of the node that carries it", constant=True)


class NodeCollision(Component, table=Node):
    """The points that a node carries, and which one it is itself."""

    first = Field(dtype="int32", doc="its first share", constant=True)
    end = Field(dtype="int32", doc="one past its last share", constant=True)
    point = Field(dtype="int32", doc="its row among collision points, -1: it is a node", constant=True)
    pressed = Field(doc="sum of its weights in points that touch shapes")


class DeformableCollision(Component, table=Deformable):
    """The points of a body."""

    first_point = Field(dtype="int32", doc="row among nodes of its first point", constant=True)
    end_point = Field(dtype="int32", doc="one past its last point; the first again where it has none", constant=True)
    kept = Field(doc="share of their ways, beside the drift, that its nodes may go in the small step")
