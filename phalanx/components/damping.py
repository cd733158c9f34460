"""Damping of elastic motion: what soft bodies that have it need besides."""

from phalanx.components.deformable import Deformable, Node
from phalanx.ecs import Component, Field, Table

DampedNode = Table(
    "damped node",
    "a node of a soft body with damping of elastic motion, corotational, or with a collision mesh, body by body",
)
DampedCorner = Table("damped corner", "a corner of such a node; those of a node are consecutive, as its corners are")


class DeformableDamping(Component, table=Deformable):
    """How a body damps elastic motion."""

    elasticity = Field(
        unit="s",
        doc="stress that a rate of strain makes, by that which the strain makes",
        role="parameter",
        shared=True,
    )


class NodeDamping(Component, table=Node):
    """Which rows are a node's."""

    row = Field(dtype="int32", doc="its damped node, -1: it has none", constant=True)


class DampedNodeTopology(Component, table=DampedNode):
    """Which corners it has."""

    first = Field(dtype="int32", doc="its first damped corner, -1: its body has no damping", constant=True)


class DampedCornerShape(Component, table=DampedCorner):
    """The tetrahedron where nothing is strained."""

    inverse = Field(
        9, unit="1/m", doc="inverse of the matrix of edges from the node to the others, row by row", constant=True
    )


class DampedNodeForce(Component, table=DampedNode):
    """What damping, rotations of corotational elements and the collision points that it carries do to a node."""

    force = Field(3, unit="N", doc="where it is now")
    stiffness = Field(6, unit="N/m", doc="xx xy xz yy yz zz: how that resists its motion")
