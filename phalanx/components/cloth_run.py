"""Cloth as blocks of GPU threads sweep it: nodes of a colour in runs, each for a warp, and what each thread takes.

The numbers are those of :mod:`phalanx.components.cloth`, in the order in which neighbouring threads read them.
"""

from phalanx.ecs import Component, Field, Table

LANES = 4
"""Threads that share out a node: at least one more than it has contacts."""

WARP = 32
"""Threads of a warp."""

RUN = WARP // LANES
"""Nodes of a run."""

CORNERS, BENDS = 2, 5
"""Triangles, and ends of bending, that a thread takes at once: it waits for all their numbers together."""

MOST_NODES = 2048
"""Of an environment, that a block has room for; where there are more, cloth has no runs."""

ClothColour = Table("cloth colour", "nodes of cloth of which none sees another one")
ClothRun = Table("cloth run", "RUN nodes of one colour")
ClothRunNode = Table("cloth run node", "a node of a run; RUN for each")
ClothRunCorner = Table("cloth run corner", "a triangle for a thread; WARP, CORNERS times or more, for each run")
ClothRunBend = Table("cloth run bend", "an end of bending for a thread; WARP, BENDS times or more, for each run")


class ClothColourRuns(Component, table=ClothColour):
    """Which runs it has."""

    first = Field(dtype="int32", doc="its first run", constant=True)
    end = Field(dtype="int32", doc="one past its last", constant=True)


class ClothRunTopology(Component, table=ClothRun):
    """Which rows its threads take."""

    first_corner = Field(dtype="int32", doc="the first triangle of its first thread", constant=True)
    end_corner = Field(dtype="int32", doc="one past its last triangle", constant=True)
    first_bend = Field(dtype="int32", doc="the first end of bending of its first thread", constant=True)
    end_bend = Field(dtype="int32", doc="one past its last end of bending", constant=True)


class ClothRunNodeTopology(Component, table=ClothRunNode):
    """Which node it is."""

    node = Field(dtype="int32", doc="the node; -1 - another one where the run has no more", constant=True)
    body = Field(dtype="int32", doc="its body", constant=True)
    surface = Field(dtype="int32", doc="as NodeTopology.surface", constant=True)
    bend = Field(unit="1/m^2", doc="as ClothNode.bend", constant=True)


class ClothRunCornerShape(Component, table=ClothRunCorner):
    """As ClothCornerTopology and ClothCornerShape; no area where the node has no more triangles."""

    others = Field(2, dtype="int32", doc="the other nodes", constant=True)
    inverse = Field(4, unit="1/m", doc="as ClothCornerShape.inverse", constant=True)
    area = Field(unit="m^2", doc="area", constant=True)


class ClothRunBendTopology(Component, table=ClothRunBend):
    """As ClothBendTopology; no weight where the node has no more of them."""

    other = Field(dtype="int32", doc="the other node", constant=True)
    weight = Field(unit="1/m^2", doc="as ClothBendTopology.weight", constant=True)
