"""Contact of cloth with itself and with other cloth: which triangles are near, and what touches each node."""

from phalanx.components.cloth import ClothCorner
from phalanx.components.deformable import Deformable, Node, NodeGroup
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

NEAR = 96
"""Most triangles that are kept as near a triangle."""

TOUCHES = 32
"""Most things near a node of cloth, its contacts with cloth among them, that are kept one by one."""

NEAR_REGIONS = 32
"""Most regions that are kept as near a region; where there are more, its triangles look at all."""

PARTNERS = 16
"""Most other bodies that a body of cloth is known to touch."""

ClothTriangle = Table("cloth triangle", "a triangle of cloth that touches cloth; those of a patch are consecutive")
ClothPatch = Table("cloth patch", "some triangles that lie together")
ClothRegion = Table("cloth region", "some patches that lie together, one after the other")
ClothNear = Table("near cloth", "slots for triangles near a triangle, NEAR for each")
ClothTouch = Table("cloth touch", "slots for what is near a node of cloth, TOUCHES for each such node")


class ClothTriangleTopology(Component, table=ClothTriangle):
    """What a triangle consists of. Each node and edge belongs to one triangle, so that it is tested once."""

    nodes = Field(3, dtype="int32", doc="its corners", constant=True)
    owns = Field(
        dtype="int32", doc="bits: 1, 2, 4 its corners; 8, 16, 32 the edges from each to the next", constant=True
    )
    region = Field(dtype="int32", doc="the region of its patch", constant=True)


class ClothTriangleBounds(Component, table=ClothTriangle):
    """Where a triangle can be in the small step."""

    low = Field(3, unit="m", doc="least coordinates, from the environment's origin")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin")
    near = Field(dtype="int32", doc="number of triangles near it; more than NEAR: some are not known")


class ClothPatchTopology(Component, table=ClothPatch):
    """Its triangles."""

    first = Field(dtype="int32", doc="the first", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)


class ClothPatchBounds(Component, table=ClothPatch):
    """Bounds of its triangles'."""

    low = Field(3, unit="m", doc="least coordinates, from the environment's origin")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin")


class ClothRegionTopology(Component, table=ClothRegion):
    """Its patches."""

    first = Field(dtype="int32", doc="the first", constant=True)
    end = Field(dtype="int32", doc="one past the last", constant=True)


class ClothRegionBounds(Component, table=ClothRegion):
    """Bounds of its patches'."""

    low = Field(3, unit="m", doc="least coordinates, from the environment's origin")
    high = Field(3, unit="m", doc="greatest coordinates, from the environment's origin")


class ClothNearRegions(Component, table=ClothRegion):
    """Regions whose bounds overlap a region's."""

    count = Field(dtype="int32", doc="how many; more than NEAR_REGIONS: not all are known")
    region = Field(NEAR_REGIONS, dtype="int32", doc="their numbers, in order")


class ClothNearTriangle(Component, table=ClothNear):
    """A triangle near a triangle."""

    triangle = Field(dtype="int32", doc="its number")


class ClothCornerTriangle(Component, table=ClothCorner):
    """The triangle of a corner."""

    triangle = Field(dtype="int32", doc="its row among triangles that touch cloth, -1: it does not", constant=True)
    edges = Field(dtype="int32", doc="bits: 1, 2 the edge to a, b is tested by this corner of the node", constant=True)


class ClothNodeContact(Component, table=Node):
    """How far a node may go, and what its contacts do."""

    row = Field(dtype="int32", doc="its row among nodes that touch cloth, -1: it does not", constant=True)
    owner = Field(dtype="int32", doc="the triangle to which it belongs", constant=True)
    colour = Field(dtype="int32", doc="its colour", constant=True)
    count = Field(dtype="int32", doc="number of its slots in use")
    crowded = Field(dtype="int32", doc="1: not all that is near it is known")
    limit = Field(unit="m", doc="how far it may go in the small step, beside the drift")
    back = Field(3, unit="m", doc="how far it may go against each axis, beside the drift")
    ahead = Field(3, unit="m", doc="how far it may go along each axis, beside the drift")
    kept = Field(doc="share of its way, beside the drift, that it may go")
    force = Field(3, unit="N", doc="of its contacts, where it is now")
    stiffness = Field(6, unit="N/m", doc="xx xy xz yy yz zz: a bound on how contacts resist its motion")


class ClothDrift(Component, table=World):
    """Motion that all cloth shares, which brings nothing nearer."""

    velocity = Field(3, unit="m/s", doc="mean velocity of all cloth that touches cloth")
    there = Field(dtype="int32", doc="0: there is no such environment, it only fills up a block")
    way = Field(3, unit="m", doc="its mean way in the small step")


class ClothTouchPoint(Component, table=ClothTouch):
    """A triangle and a node, or two edges, that are near each other, as one of the four nodes sees it."""

    body = Field(dtype="int32", doc="the body of the other side")
    nodes = Field(3, dtype="int32", doc="the other three nodes, those of its own side first")
    mates = Field(dtype="int32", doc="how many of them are on its own side")
    shares = Field(3, doc="their shares of the way between the sides; negative on the other side")
    weight = Field(doc="the node's own share")
    answer = Field(doc="sum of the shares, without sign, of those of the four that are swept together")
    distance = Field(unit="m", doc="distance at the start of the small step")
    gap = Field(unit="m", doc="how far from touching that is")
    normal = Field(3, doc="unit normal, towards the side of the node")
    stiffness = Field(unit="N/m", doc="stiffness; 0: the two are near and do not touch")
    friction = Field(doc="coefficient of friction")


class ClothCluster(Component, table=Deformable):
    """Bodies of cloth that have touched each other in a substep, at once or by way of others."""

    first = Field(dtype="int32", doc="the first of them")
    size = Field(dtype="int32", doc="how many there are")
    met = Field(PARTNERS, dtype="int32", doc="bodies that it touches in the small step, -1: none")
    folded = Field(dtype="int32", doc="1 if it has touched itself in the substep")
    touched = Field(dtype="int32", doc="1 if it touches other bodies in the small step")
    middle = Field(3, unit="m", doc="centre of mass at the start of the substep, from DeformableMotion.origin")


class ClothGroupPartners(Component, table=NodeGroup):
    """Other bodies that a group's nodes touch."""

    count = Field(dtype="int32", doc="how many are known")
    met = Field(PARTNERS, dtype="int32", doc="the bodies, in the order in which nodes touch them")
