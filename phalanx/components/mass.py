"""The joint-space mass matrix in the sparsity of the tree: a row per dof with itself and its ancestors only."""

from phalanx.ecs import Component, Field, Table

MassEntry = Table("mass entry", "non-zeros of the lower triangle; row of dof d: d, parent(d), parent(parent(d)), ...")


class MassTopology(Component, table=MassEntry):
    """Which dofs an entry couples."""

    row = Field(dtype="int32", doc="dof of the row", constant=True)
    column = Field(dtype="int32", doc="ancestor of the row's dof, or itself", constant=True)


class MassMatrix(Component, table=MassEntry):
    """The mass matrix, armature included."""

    value = Field(unit="kg m^2", doc="entry of M")


class MassFactor(Component, table=MassEntry):
    """Factorisation L^T D L of M with the implicit terms."""

    value = Field(unit="kg m^2", doc="entry of L (unit diagonal not stored), D on the diagonal")


class DofJacobian(Component, table=MassEntry):
    """Velocity of single dofs per decoupled velocity u = L v: L^-1, as sparse as L."""

    value = Field(doc="entry of L^-1; filled in rows of dofs that have rows in the solver")
