"""Signed distance fields of meshes: regular grids of distances, and the points of the surface.

Everything is in the shape's frame and filled by :mod:`phalanx.world.layout.geometry`, once for all shapes that have the
same mesh. The tree over a shape's points has its nodes in ``MeshNode``; its leaves hold ``SurfacePoint`` rows.
"""

from phalanx.components.shape import Shape
from phalanx.ecs import Component, Field, Table

DistanceSample = Table("distance sample", "nodes of all distance fields: along x, then y, then z fastest")
SurfacePoint = Table("surface point", "points on the surfaces of meshes with distance fields, in the order of trees")


class DistanceFieldTopology(Component, table=Shape):
    """Where the parts of a distance field are."""

    first_sample = Field(dtype="int32", doc="its first distance", constant=True)
    samples = Field(3, dtype="int32", doc="number of distances along x, y, z", constant=True)
    root = Field(dtype="int32", doc="root of the tree over its surface points", constant=True)


class DistanceFieldGeometry(Component, table=Shape):
    """Geometry of a distance field's grid."""

    corner = Field(3, unit="m", doc="place of the first distance, shape frame", constant=True)
    cell = Field(unit="m", doc="between distances, along each axis", constant=True)


class DistanceSampleValue(Component, table=DistanceSample):
    """A distance."""

    distance = Field(unit="m", doc="from the surface, negative inside", constant=True)


class SurfacePointGeometry(Component, table=SurfacePoint):
    """A point of the surface."""

    position = Field(3, unit="m", doc="shape frame", constant=True)
    normal = Field(3, doc="outward unit normal, at corners the mean; shape frame", constant=True)
    limit = Field(doc="greatest cosine of that normal with the normal of what touches here", constant=True)
