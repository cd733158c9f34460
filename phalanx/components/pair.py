"""Pairs of shapes that may touch: which are allowed, which are near, and where they touch.

In a pair the kinds are in the order of :mod:`phalanx.components.shape`; the normal points from b to a.
"""

from phalanx.components.shape import Shape
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

AllowedPair = Table("allowed pair", "pairs of shapes that filters let collide, where they are few enough to list")
Candidate = Table("candidate", "slots for pairs whose bounds overlap")
ManifoldPoint = Table("manifold point", "slots for contact points: the same number for each candidate")


class PairTopology(Component, table=AllowedPair):
    """The shapes of a pair."""

    a = Field(dtype="int32", doc="shape of the lower kind", constant=True)
    b = Field(dtype="int32", doc="shape of the higher kind", constant=True)


class PairState(Component, table=AllowedPair):
    """Result of the test of bounds."""

    near = Field(dtype="int32", doc="1 if the bounds overlap")


class CandidateCount(Component, table=World):
    """How many slots are in use."""

    current = Field(dtype="int32", doc="candidates of this substep")


class CandidatePair(Component, table=Candidate):
    """A pair whose bounds overlap, in the order of pairs."""

    a = Field(dtype="int32", doc="shape of the lower kind")
    b = Field(dtype="int32", doc="shape of the higher kind")
    key = Field(dtype="int32", doc="number of the pair, growing")
    between = Field(3, unit="m", doc="from the origin of a to that of b, world axes")
    reach = Field(unit="m", doc="contact points farther apart than this are of no use in this substep")
    way = Field(unit="m", doc="points of the shapes come nearer to each other by no more than this in this substep")
    fast = Field(dtype="int32", doc="1 if one of the shapes is fast: it may need a ball that stands for it")


class Manifold(Component, table=Candidate):
    """What the narrow phase finds for a pair."""

    count = Field(dtype="int32", doc="contact points, filled from the front of the candidate's slots")
    first_contact = Field(dtype="int32", doc="contact slot of the first of them")
    passed = Field(dtype="int32", doc="how many of the last of them are of what the expected motion leads past")
    clearance = Field(unit="m", doc="how near it leads past those; -1 where these are kept")
    dropped = Field(
        dtype="int32",
        doc="how many are left out (bits 0 to 7): those whose bits, from 8 on, are set, and the last ones",
    )


class CandidateChain(Component, table=Candidate):
    """Candidates with points that share a shape, one after the other from ``ShapeChain.last`` on; CPUs alone."""

    before = Field(2, dtype="int32", doc="the candidate before that has shape a, and shape b; -1: none")
    nearest = Field(dtype="int32", doc="its manifold point of the least separation that is not only passed")


class ShapeChain(Component, table=Shape):
    """Where the chain of a shape's candidates begins; CPUs alone."""

    last = Field(dtype="int32", doc="its last candidate with points that are not only passed; -1: none")


class MotionClamp(Component, table=Candidate):
    """Where a single body would go through what no contact moves; see ``systems/dynamics/motion_clamping.py``."""

    left = Field(doc="part of its way that is free, 1: all")
    back = Field(3, unit="m", doc="what takes it back to there, world axes, where that is less than 1")


class ManifoldPointState(Component, table=ManifoldPoint):
    """A contact point."""

    position = Field(3, unit="m", doc="midway between the surfaces, from the origin of shape a, world axes")
    normal = Field(3, doc="unit normal, from b to a, world axes")
    separation = Field(unit="m", doc="distance of the surfaces along the normal, negative when they overlap")
