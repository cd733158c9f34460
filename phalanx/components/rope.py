"""Ropes: chains of nodes that resist stretch and bending, and the linear systems that are solved for them."""

from phalanx.components.deformable import Deformable
from phalanx.ecs import Component, Field, Table

Rope = Table("rope", "a deformable body that is a rope")
RopeNode = Table("rope node", "a node of a rope; those of a rope are consecutive, from one end to the other")
FramedRope = Table("framed rope", "a rope that resists twist, or is bent at rest; its segments have frames")


class RopeMaterial(Component, table=Deformable):
    """What a rope is made of, besides DeformableMaterial."""

    radius = Field(unit="m", doc="radius of its cross-section; 0: the body is no rope", role="parameter", shared=True)
    bending_stiffness = Field(unit="N m^2", doc="flexural rigidity, E I", role="parameter", shared=True)
    twisting_stiffness = Field(unit="N m^2", doc="torsional rigidity, G J", role="parameter", shared=True)
    joined = Field(
        dtype="int32", doc="what fewer nodes lie between does not touch; 0: the body is no rope", constant=True
    )


class RopeTopology(Component, table=Rope):
    """Which rows are a rope's."""

    first = Field(dtype="int32", doc="its first rope node", constant=True)
    end = Field(dtype="int32", doc="one past its last rope node", constant=True)
    framed = Field(dtype="int32", doc="1: its segments have frames", constant=True)


class FramedRopeTopology(Component, table=FramedRope):
    """Which rope it is."""

    rope = Field(dtype="int32", doc="its row among ropes", constant=True)


class RopeElasticity(Component, table=Rope):
    """Constants of the energy, from the material, as far as small steps can follow."""

    stretch = Field(unit="N", doc="E A")
    bending = Field(unit="N m^2", doc="E I")
    twisting = Field(unit="N m^2", doc="G J")
    steady = Field(unit="N m^2", doc="bending that the matrix has, with frames")


class RopeTurning(Component, table=Rope):
    """What twist does to a rope as a whole."""

    impulse = Field(3, unit="N m s", doc="angular momentum that its nodes get, over the substep so far")


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
    curvature = Field(
        3,
        doc="parts along the two directors of the sine of the angle between the segments at an inner node; its cosine",
        constant=True,
    )


class RopeFrame(Component, table=RopeNode):
    """The frame of the segment to the next node; the third axis is tangent x director."""

    tangent = Field(3, doc="unit vector along the segment, when the frame last followed it", role="state")
    director = Field(3, doc="unit vector across it, which is fixed to the material", role="state")
    spin = Field(unit="rad/s", doc="how the frame turns about the tangent", role="state")
    angle = Field(unit="rad", doc="by how much it has turned about the tangent since the reset", role="state")
    twist = Field(unit="rad", doc="of an inner node, from the frame before it to that behind it", role="state")


class RopeFrameTarget(Component, table=RopeNode):
    """Where the user turns a segment."""

    angle = Field(unit="rad", doc="RopeFrame.angle after the next step", role="input")
    held = Field(dtype="int32", doc="1: it turns to its target, whatever acts on it; 0: it is free", role="input")


class RopeFrameStep(Component, table=RopeNode):
    """A small step of a frame."""

    turned = Field(unit="rad", doc="by how much it has turned about the tangent")
    goal = Field(unit="rad", doc="by how much a held one has to")


class RopeSystem(Component, table=RopeNode):
    """The node's row of the linear system, symmetric and five blocks of 3 x 3 wide."""

    force = Field(3, unit="N", doc="force on the node, then what is left of it")
    own = Field(6, unit="N/m", doc="block of the node, xx xy xz yy yz zz")
    tie = Field(6, unit="N/m", doc="block with the next node, likewise")
    slope = Field(6, unit="N", doc="derivative of the energy of bending and twist by the edges before and behind")
    couple = Field(3, unit="N m", doc="couple on nodes of the same")
    row = Field(2, doc="of the system for turns of frames: what it takes of the next one's, and its own")
    far = Field(unit="N/m", doc="block with the node after that")
    inverse = Field(6, unit="m/N", doc="inverse of the block of the node when those before it are eliminated")
    next = Field(9, unit="N/m", doc="block with the next node then, row by row")
