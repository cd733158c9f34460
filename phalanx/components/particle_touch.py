"""Contact of particles with cloth and with the surfaces of soft bodies and ropes that touch cloth."""

from phalanx.components.cloth_contact import ClothTriangle
from phalanx.components.deformable import Deformable, NodeGroup
from phalanx.ecs import Component, Field, Table

MOST_TOUCHED = 6
"""Slots that a particle has for triangles that it may touch."""

ParticleTouch = Table(
    "particle touch", "slots for triangles near a particle: the first of each, the second of each, ..."
)


class ParticleTouchPoint(Component, table=ParticleTouch):
    """A particle and the place of a triangle that is nearest to it."""

    triangle = Field(dtype="int32", doc="the triangle, -1: none", role="state", initial=-1)
    impulse = Field(3, unit="N s", doc="on the particle, in the small step", role="state")
    turned = Field(
        3, unit="N m s", doc="angular momentum that it got by rolling resistance and by moves without a push"
    )
    shares = Field(3, doc="of the triangle's nodes in the place")
    normal = Field(3, doc="unit vector from the place to the particle")
    gap = Field(unit="m", doc="distance of their surfaces at the start of the small step")
    way = Field(3, unit="m", doc="that the particle would go in the small step without this contact's force")
    stiffness = Field(unit="N/m", doc="along the normal: of the particle's inertia, as the triangle feels it")
    across = Field(unit="N/m", doc="the same along the surface")
    behind = Field(doc="share of the fluid behind the place that counts: what is behind nearer places counts there")
    friction = Field(doc="coefficient of friction")
    next = Field(dtype="int32", doc="the next slot that has the same triangle, -1: none")


class ClothTriangleParticles(Component, table=ClothTriangle):
    """Particles that may touch a triangle."""

    first = Field(dtype="int32", doc="a slot among those of ParticleTouch, -1: none")


class GroupParticles(Component, table=NodeGroup):
    """What particles do to triangles whose first node is in a group."""

    impulse = Field(6, unit="N s, N m s", doc="over the substep so far, and its moment about the body's centre of mass")
    by_shapes = Field(dtype="int32", doc="1: shapes push the group, too")
    pulse = Field(3, unit="N s", doc="the impulse, of the small step")


class BodyParticles(Component, table=Deformable):
    """The momentum that a body should have while particles push it, and where its centre of mass goes beside it."""

    momentum = Field(3, unit="kg m/s", doc="of its start, gravity and particles")
    moment = Field(3, unit="N m s", doc="sum of ways of the centre of mass, with the sign turned, cross that")
    only = Field(dtype="int32", doc="1: there are particles, and no shapes push it")
