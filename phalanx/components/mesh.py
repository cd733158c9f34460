"""Triangle meshes and height fields: what is static, or kinematic, and not convex.

The vertices of meshes are rows of ``HullVertex``, the triangles of a shape are the rows ``first_face``..``end_face`` of
``MeshTriangle``; everything is in the shape's frame. All fields are filled by :mod:`phalanx.world.layout.geometry`.
"""

from phalanx.components.shape import HullVertex, Shape
from phalanx.ecs import Component, Field, Table

MeshTriangle = Table("mesh triangle", "triangles of all meshes, in the order of their trees' leaves")
MeshNode = Table("mesh node", "nodes of the trees of bounding boxes over triangles")
MeshNeighbour = Table("mesh neighbour", "for each vertex of a mesh the vertices that it shares an edge with")
HeightSample = Table("height sample", "heights of all height fields, row by row")


class MeshTopology(Component, table=Shape):
    """Where the parts of a mesh or height field are."""

    root = Field(dtype="int32", doc="of a mesh: root of its tree", constant=True)
    double_sided = Field(dtype="int32", doc="of a mesh: whether it collides from behind, too", constant=True)
    first_sample = Field(dtype="int32", doc="of a height field: its first height", constant=True)
    samples = Field(2, dtype="int32", doc="of a height field: number of heights along x, y", constant=True)


class HeightFieldGeometry(Component, table=Shape):
    """Geometry of a height field."""

    spacing = Field(2, unit="m", doc="between heights along x, y", constant=True)


class MeshVertexNeighbours(Component, table=HullVertex):
    """Neighbours of a mesh's vertex."""

    first = Field(dtype="int32", doc="first mesh neighbour", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)


class MeshNeighbourVertex(Component, table=MeshNeighbour):
    """A neighbour."""

    vertex = Field(dtype="int32", doc="hull vertex", constant=True)


class MeshTriangleGeometry(Component, table=MeshTriangle):
    """Triangles, counter-clockwise from the side that collides."""

    vertex = Field(3, dtype="int32", doc="hull vertices", constant=True)
    across = Field(
        3, dtype="int32", doc="third vertex of the neighbour over corner k to k + 1; -1: none", constant=True
    )
    normal = Field(3, doc="unit normal, shape frame", constant=True)


class MeshNodeBox(Component, table=MeshNode):
    """A node of a tree of boxes."""

    low = Field(3, unit="m", doc="least coordinates, shape frame", constant=True)
    high = Field(3, unit="m", doc="greatest coordinates, shape frame", constant=True)
    first = Field(
        dtype="int32", doc="of a leaf: its first triangle; else: the first of its two children", constant=True
    )
    count = Field(dtype="int32", doc="of a leaf: its triangles; else: 0", constant=True)


class HeightSampleValue(Component, table=HeightSample):
    """A height."""

    height = Field(unit="m", doc="along local z", constant=True)
