"""Cloth: the triangles between a deformable body's nodes, and how they resist bending."""

from phalanx.components.deformable import Deformable, Node
from phalanx.ecs import Component, Field, Table

ClothCorner = Table("cloth corner", "a triangle as one of its nodes sees it; those of a node are consecutive")
ClothBend = Table("cloth bend", "a node that bending ties to another; those of a node are consecutive")


class ClothMaterial(Component, table=Deformable):
    """What cloth is made of, besides DeformableMaterial."""

    thickness = Field(unit="m", doc="thickness; 0: the body is no cloth", role="parameter", shared=True)
    shear_modulus = Field(unit="Pa", doc="shear modulus of the sheet in its plane", role="parameter", shared=True)
    bending_stiffness = Field(unit="N m", doc="flexural rigidity", role="parameter", shared=True)
    pressure = Field(unit="Pa", doc="pressure inside less that outside", role="parameter", shared=True)
    touch_offset = Field(
        unit="m", doc="it rests on other cloth at the sum of both bodies'", role="parameter", shared=True
    )


class ClothElasticity(Component, table=Deformable):
    """Constants of the energy in the plane, from the material."""

    along = Field(unit="N/m", doc="E t / (1 - nu^2): of a strain along an axis, along that axis")
    across = Field(unit="N/m", doc="nu times that: along the other axis")
    shear = Field(unit="N/m", doc="G t")
    carried = Field(doc="share of the last small step's motion that sweeps begin with")


class ClothNode(Component, table=Node):
    """The elements that a node of cloth belongs to."""

    first_corner = Field(dtype="int32", doc="its first corner", constant=True)
    end_corner = Field(dtype="int32", doc="one past its last corner", constant=True)
    first_bend = Field(dtype="int32", doc="the first node that bending ties it to", constant=True)
    end_bend = Field(dtype="int32", doc="one past the last", constant=True)
    bend = Field(unit="1/m^2", doc="its own entry in the matrix of bending", constant=True)


class ClothCornerTopology(Component, table=ClothCorner):
    """The other nodes of the triangle."""

    others = Field(2, dtype="int32", doc="a, b: from the front, node, a, b are counter-clockwise", constant=True)


class ClothCornerShape(Component, table=ClothCorner):
    """The triangle where nothing is strained."""

    inverse = Field(
        4,
        unit="1/m",
        doc="rows of the inverse of the matrix whose columns are the edges to a and b, in axes of the material",
        constant=True,
    )
    area = Field(unit="m^2", doc="area", constant=True)


class ClothBendTopology(Component, table=ClothBend):
    """The other node."""

    other = Field(dtype="int32", doc="the node", constant=True)
    weight = Field(unit="1/m^2", doc="entry of the two in the matrix of bending", constant=True)
