"""Islands, as the solver's sweeps for the GPU see them: trees that contacts tie together, small enough for a team."""

from phalanx.components.contact import Contact
from phalanx.components.dof import Dof
from phalanx.components.tree import Tree
from phalanx.components.world import World
from phalanx.ecs import Component, Field

FEW_DOFS = 32
"""Dofs of an island that eight threads solve: four in the registers of each."""

FEW_CONTACTS = 24
"""Contacts of such an island: what sweeps need to know of each is in the memory of a block."""

MOST_DOFS = 128
"""Dofs of an island that a whole warp solves."""

MOST_CONTACTS = 96
"""Contacts of such an island."""

ROW = 24
"""What sweeps need to know of a dof with rows, besides its row of L^-1."""


class IslandTree(Component, table=Tree):
    """Which trees are one island; what is known of it is in the row of its first tree."""

    first = Field(dtype="int32", doc="first tree of the island")
    sort = Field(dtype="int32", doc="1: eight threads solve it; 2: a warp; 0: not the first tree, or too large")
    dofs = Field(dtype="int32", doc="its number of dofs")
    begin = Field(dtype="int32", doc="where its dofs begin in IslandDof.order")
    rows = Field(dtype="int32", doc="how many of its dofs have rows")
    contacts = Field(dtype="int32", doc="its number of contacts")
    first_contact = Field(dtype="int32", doc="where they begin in IslandContact.order")
    cursor = Field(dtype="int32", doc="where the next of them goes while they are sorted")


class IslandDof(Component, table=Dof):
    """Dofs island by island. What is dense lies as (environment, dof, item) in memory, whatever its shape."""

    place = Field(dtype="int32", doc="its number in its island, and the island: first tree * 128 + number")
    order = Field(dtype="int32", doc="dofs, island by island")
    row = Field(dtype="int32", doc="those that have rows, from the same place on for each island")
    dense = Field(FEW_DOFS + ROW, doc="row of L^-1 by place of the dof, and the numbers of its constraints")
    wide = Field(MOST_DOFS + ROW, doc="the same for large islands")


class IslandContact(Component, table=Contact):
    """Contacts island by island. What is dense lies as (environment, contact, row, dof) in memory."""

    island = Field(dtype="int32", doc="first tree of its island, -1: nothing of it can move")
    order = Field(dtype="int32", doc="contacts, island by island, in each as they were")
    dense = Field(3 * FEW_DOFS, doc="decoupled rows by place of the dof, of the contacts in that order")
    wide = Field(3 * MOST_DOFS, doc="the same for large islands")


class IslandRest(Component, table=World):
    """What islands leave."""

    left = Field(dtype="int32", doc="1: some island is too large; the environment is swept as a whole")
