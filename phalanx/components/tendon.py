"""Tendons: lengths over several joints of a robot, with springs, dampers and limits on them.

The limits of spherical joints are rows of the same sort: the chord of an angle is a length on the unit circle.

A tendon is a row: of a fixed tendon a sum of joint positions, of a spatial one the way from its root attachment to one
of its leaves. Forces follow from virtual work, so a tendon takes from its joints what it stores.
"""

from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

Tendon = Table("tendon", "fixed tendons, paths of spatial tendons from root to leaf, limits of spherical joints")
TendonTerm = Table("tendon term", "joints of fixed tendons, tendon by tendon, and limited spherical joints")
TendonSegment = Table("tendon segment", "stretches of spatial tendons between two attachments, path by path")
TendonEntry = Table("tendon entry", "for each tendon the dofs of its tree")

SUM, PATH, SWING, TWIST = range(4)
"""Kinds: a fixed tendon; a path of a spatial one; the swing of a spherical joint's axis; its twist about the axis."""


class TendonTopology(Component, table=Tendon):
    """What a tendon is made of."""

    kind = Field(dtype="int32", doc="SUM, PATH, SWING, TWIST", constant=True)
    first = Field(dtype="int32", doc="first of its terms or segments", constant=True)
    end = Field(dtype="int32", doc="one past the last of them", constant=True)
    first_dof = Field(dtype="int32", doc="first dof of its tree", constant=True)
    end_dof = Field(dtype="int32", doc="one past the last dof of its tree", constant=True)
    entry = Field(dtype="int32", doc="its first tendon entry", constant=True)


class TendonModel(Component, table=Tendon):
    """Springs, dampers and limits."""

    stiffness = Field(unit="N/m", doc="of the spring between length and rest length", role="input")
    damping = Field(unit="N s/m", doc="of changes of length", role="input")
    limit_stiffness = Field(
        unit="N/m", doc="of the spring beyond a limit; 0: there are no limits; infinite: they are hard", role="input"
    )
    rest_length = Field(unit="m", doc="length without force", role="input")
    offset = Field(unit="m", doc="added to the length", role="input")
    lower = Field(unit="m", doc="least length", role="input", initial=float("-inf"))
    upper = Field(unit="m", doc="greatest length", role="input", initial=float("inf"))


class TendonTermModel(Component, table=TendonTerm):
    """A joint's part in a fixed tendon."""

    dof = Field(dtype="int32", doc="dof of the joint, the first if it is spherical", constant=True)
    coord = Field(dtype="int32", doc="its coordinate, likewise", constant=True)
    axis = Field(3, doc="of a spherical joint: unit axis in the joint frame", role="parameter", shared=True)
    coefficient = Field(unit="m/rad", doc="length per joint position", role="parameter", shared=True)


class TendonSegmentModel(Component, table=TendonSegment):
    """A straight stretch from attachment a to b, farther from the root."""

    link = Field(2, dtype="int32", doc="links of a, b", constant=True)
    body = Field(2, dtype="int32", doc="bodies of a, b", constant=True)
    dof = Field(2, dtype="int32", doc="last dofs of their links, -1: cannot move", constant=True)
    position_a = Field(3, unit="m", doc="a in its link's frame", role="parameter", shared=True)
    position_b = Field(3, unit="m", doc="b in its link's frame", role="parameter", shared=True)
    coefficient = Field(doc="gearing: how many times it counts", role="parameter", shared=True)


class TendonLength(Component, table=Tendon):
    """Where it is."""

    value = Field(unit="m", doc="length without offset")
    response = Field(unit="1/kg", doc="velocity of the length per unit impulse; filled in each substep")
    speed = Field(unit="m/s", doc="velocity of the length at the start of the substep")


class TendonState(Component, table=Tendon):
    """What it carries from substep to substep."""

    impulse = Field(unit="N s", doc="impulse that lengthens it, over the last substep", role="state")


class TendonJacobian(Component, table=TendonEntry):
    """How dofs change the length."""

    value = Field(unit="m/rad", doc="velocity of the length per generalised velocity")
    decoupled = Field(unit="m/rad", doc="the same per decoupled velocity; filled in each substep")


class TendonScratch(Component, table=World):
    """The tendon being solved."""

    sum = Field(2, unit="m/s, m", doc="velocity of its length, and displacement")
    change = Field(unit="N s", doc="change of its impulse")
    segment = Field(9, unit="m", doc="of a segment: unit direction b to a, and both ends from the root link's origin")
