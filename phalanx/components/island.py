"""Islands, as the contact solver for the GPU sees them: trees that contacts tie together, small enough for a team."""

from phalanx.components.contact import Contact
from phalanx.components.dof import Dof
from phalanx.components.tree import Tree
from phalanx.components.world import World
from phalanx.ecs import Component, Field, Table

FEW_DOFS = 32
"""Dofs of an island that eight threads solve, four in the registers of each; those of a tree are whole fours."""

FEW_CONTACTS = 24
"""Contacts of such an island: what sweeps need to know of each is in the memory of a block."""

MOST_DOFS = 128
"""Dofs of an island that a whole warp solves."""

MOST_CONTACTS = 96
"""Contacts of such an island."""

ROW = 24
"""What sweeps need to know of a dof with rows, besides its row of L^-1."""

LINK = 8
"""What rows of contacts need to know of a link, besides its velocities per decoupled velocity."""

IslandDofFour = Table("island dof four", "fours of numbers that solvers of islands know of dofs")
IslandLinkFour = Table("island link four", "fours of numbers that solvers of islands know of links")
IslandRowFour = Table("island row four", "fours of dofs in the rows of contacts that solvers of islands have")


class IslandTree(Component, table=Tree):
    """Which trees are one island; what is known of it is in the row of its first tree."""

    first = Field(dtype="int32", doc="first tree of the island")
    sort = Field(dtype="int32", doc="1: eight threads solve it; 2: a warp; 0: not the first tree, or too large")
    groups = Field(dtype="int32", doc="its number of groups: up to four dofs, one after the other, of one tree")
    groups_before = Field(dtype="int32", doc="of any tree: its island's groups of trees before it")
    begin = Field(dtype="int32", doc="where its groups begin in IslandDof.order")
    rows = Field(dtype="int32", doc="how many of its dofs have rows")
    first_row = Field(dtype="int32", doc="where those begin in IslandDof.row")
    contacts = Field(dtype="int32", doc="its number of contacts")
    first_contact = Field(dtype="int32", doc="where they begin in IslandContact.order")


class IslandDof(Component, table=Dof):
    """Dofs island by island."""

    order = Field(dtype="int32", doc="first dofs of groups, island by island")
    row = Field(dtype="int32", doc="dofs that have rows, island by island")
    place = Field(
        dtype="int32",
        doc="of the link that it is the last dof of: its place in IslandLinkNumbers, -1: none",
        constant=True,
    )
    reach = Field(dtype="int32", doc="groups of its tree that move it, as bits", constant=True)


class IslandDofNumbers(Component, table=IslandDofFour):
    """What is known of dofs, as (environment, dof, number) in memory."""

    value = Field(4, doc="row of L^-1 by place of the dof in its tree, then ROW numbers of its constraints")


class IslandLinkNumbers(Component, table=IslandLinkFour):
    """What is known of links with shapes, and where trees branch, as (environment, link, number) in memory."""

    value = Field(
        4,
        doc="LINK numbers of its motion, then its velocities per decoupled velocity, of each group of its tree: "
        "angular x of four dofs, y, z, linear x, y, z, at the root link's origin",
    )


class IslandContact(Component, table=Contact):
    """Contacts island by island."""

    tree = Field(dtype="int32", doc="a tree of it that can be moved, -1: nothing can")
    yields = Field(dtype="int32", doc="1: side a can be moved; 2: side b; 3: both")
    order = Field(dtype="int32", doc="contacts, island by island, in each as they were")


class IslandRows(Component, table=IslandRowFour):
    """Decoupled rows of contacts, as (environment, contact, number) in memory."""

    value = Field(4, doc="groups of dofs that are not zero: of the row along the normal, then of those along tangents")


class IslandRest(Component, table=World):
    """What islands leave."""

    left = Field(dtype="int32", doc="1: some island is too large; the environment is solved as a whole")
