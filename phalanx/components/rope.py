"""Ropes: chains of nodes that resist stretch and bending, and the linear systems that are solved for them."""

from phalanx.components.deformable import Deformable
from phalanx.ecs import Component, Field, Table

Rope = Table("rope", "a deformable body that is a rope")
RopeNode = Table("rope node", "a node of a rope; those of a rope are consecutive, from one end to the other")


class RopeMaterial(Component, table=Deformable):
    """What a rope is made of, besides DeformableMaterial."""

    radius = Field(unit="m", doc="radius of its cross-section; 0: the body is no rope", role="parameter", shared=True)
    bending_stiffness = Field(unit="N m^2", doc="flexural rigidity, E I", role="parameter", shared=True)


class RopeTopology(Component, table=Rope):
    """Which rows are a rope's."""

    first = Field(dtype="int32", doc="its first rope node", constant=True)
    end = Field(dtype="int32", doc="one past its last rope node", constant=True)


class RopeElasticity(Component, table=Rope):
    """Constants of the energy, from the material, as far as small steps can follow."""

    stretch = Field(unit="N", doc="E A")
    bending = Field(unit="N m^2", doc="E I")


class RopeNodeTopology(Component, table=RopeNode):
    """Which node it is."""

    node = Field(dtype="int32", doc="the node", constant=True)
    rope = Field(dtype="int32", doc="its rope", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)
    before = Field(dtype="int32", doc="number of nodes of the rope before it", constant=True)
    after = Field(dtype="int32", doc="number of nodes of the rope behind it", constant=True)


class RopeShape(Component, table=RopeNode):
    """The rope where nothing is strained."""

    length = Field(unit="m", doc="of the segment to the next node; 1 at the last", constant=True)
    bend = Field(
        3,
        unit="1/m^3",
        doc="entries of the matrix of bending: of the node, with the next, with the one after that",
        constant=True,
    )


class RopeSystem(Component, table=RopeNode):
    """The node's row of the linear system, symmetric and five blocks of 3 x 3 wide."""

    force = Field(3, unit="N", doc="force on the node, then what is left of it")
    own = Field(6, unit="N/m", doc="block of the node, xx xy xz yy yz zz")
    tie = Field(6, unit="N/m", doc="block with the next node, likewise")
    far = Field(unit="N/m", doc="block with the node after that")
    inverse = Field(6, unit="m/N", doc="inverse of the block of the node when those before it are eliminated")
    next = Field(9, unit="N/m", doc="block with the next node then, row by row")
