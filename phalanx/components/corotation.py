"""Corotational elasticity: what soft bodies that have it need besides."""

from phalanx.components.damping import DampedNode
from phalanx.ecs import Component, Field, Table

CorotatedCorner = Table(
    "corotated corner", "a corner of a node of a corotational body; those of a node are consecutive, as its corners are"
)


class CorotatedNode(Component, table=DampedNode):
    """Which corners such a node has."""

    first = Field(dtype="int32", doc="its first corotated corner, -1: its body is not corotational", constant=True)


class CorotatedCornerShape(Component, table=CorotatedCorner):
    """The tetrahedron where nothing is strained."""

    inverse = Field(
        9, unit="1/m", doc="inverse of the matrix of edges from the node to the others, row by row", constant=True
    )
