"""Rays and probes that a user asks for at once, and what they hit.

Rows of ``Query`` are slots for rays and probes, the same number for each environment; each has its share of the slots
of ``QueryHit``, filled from the front. Nothing here is allocated in a world that nobody asks.
"""

from phalanx.components.shape import Shape
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

OVERLAP, SWEEP, DEPTH = range(3)
"""What is asked of probes: whether they touch; how far they get; how deep they are."""

Query = Table("query", "slots for rays and probes that are asked for at once")
QueryHit = Table("query hit", "slots for hits: the same number for each ray or probe")


class QueryRequest(Component, table=World):
    """What is asked."""

    task = Field(dtype="int32", doc="of probes: OVERLAP, SWEEP or DEPTH", shared=True)
    slots = Field(dtype="int32", doc="hits to keep for each ray or probe", shared=True)
    first_only = Field(dtype="int32", doc="1: the hits kept are all that count; 0: all are counted", shared=True)
    any_hit = Field(dtype="int32", doc="1: some hit will do", shared=True)
    both_sides = Field(dtype="int32", doc="1: triangles are hit from behind, too", shared=True)
    active = Field(dtype="int32", doc="rays or probes in this environment")


class QueryFilter(Component, table=Shape):
    """Which shapes can be hit."""

    seen = Field(dtype="int32", doc="1 if it can", shared=True)


class QueryPose(Component, table=Shape):
    """Where shapes are when a query is made."""

    root = Field(3, unit="m", doc="origin of the root link that it belongs to, from the environment's origin")
    offset = Field(3, unit="m", doc="its origin from the root link's origin, world axes")
    rotation = Field(9, doc="row-major matrix, shape to world axes")
    low = Field(3, unit="m", doc="least coordinates, from the environment's origin, world axes")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin, world axes")


class QueryPath(Component, table=Query):
    """A ray, or where a probe is and how it moves."""

    origin = Field(3, unit="m", doc="where it starts, from the environment's origin")
    direction = Field(3, doc="unit vector, world axes; zero for a probe that does not move")
    reach = Field(unit="m", doc="how far it goes; may be infinite")


class QueryProbe(Component, table=Query):
    """A convex shape that is moved through the scene."""

    kind = Field(dtype="int32", doc="SPHERE to HULL")
    first_vertex = Field(dtype="int32", doc="of a hull: its first vertex")
    end_vertex = Field(dtype="int32", doc="one past its last vertex")
    size = Field(3, unit="m", doc="as ShapeGeometry.size")
    low = Field(3, unit="m", doc="least coordinates, its own frame")
    high = Field(3, unit="m", doc="greatest coordinates, its own frame")
    rotation = Field(9, doc="row-major matrix, its own to world axes")


class QueryCount(Component, table=Query):
    """How much was found."""

    total = Field(dtype="int32", doc="shapes that were hit, kept or not")


class QueryHitState(Component, table=QueryHit):
    """A hit, in the order of distance."""

    distance = Field(unit="m", doc="way to the hit; of DEPTH: signed distance, negative")
    position = Field(3, unit="m", doc="on the surface of what was hit, from the environment's origin")
    normal = Field(3, doc="unit normal of what was hit, towards the ray or the probe, world axes")
    shape = Field(dtype="int32", doc="what was hit")
    face = Field(dtype="int32", doc="row of the mesh's triangle; of a height field its triangle; else -1")
