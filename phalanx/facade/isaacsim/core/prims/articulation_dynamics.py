"""Jacobians, mass matrices, forces of dynamics, and tendons of articulations."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.prims.articulation_access import ArticulationAccess

_TENDONS = ("stiffnesses", "dampings", "limit_stiffnesses", "limits", "rest_lengths", "offsets")


class ArticulationDynamics(ArticulationAccess):
    """The part of a view of articulations that knows their dynamics, in m, kg and s.

    Generalised velocities, V of them, are those of dofs; before them a floating base has six: the linear and angular
    velocity of its centre of mass in the world's axes. ``joint_indices`` are numbers of generalised velocities, as in
    Isaac Sim. Before it is initialised, and while nothing is simulated, getters give ``None``, with a warning.
    """

    # -- matrices --------------------------------------------------------------------------------------------

    def get_jacobian_shape(self) -> tuple[int, int, int] | None:
        """(links, 6, V): of a Jacobian; a fixed base's root has no rows."""
        view = self._simulated("get_jacobian_shape")
        return None if view is None else (view.jacobian_shape[0] // 6, 6, view.jacobian_shape[1])

    def get_mass_matrix_shape(self) -> tuple[int, int] | None:
        """(V, V)."""
        view = self._simulated("get_mass_matrix_shape")
        return None if view is None else view.generalized_mass_matrix_shape

    def get_jacobians(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, links, 6, V): linear and angular velocity of links' centres of mass per generalised velocity."""
        return self._of_rows("get_jacobians", "get_jacobians", indices)

    def get_mass_matrices(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, V, V): mass matrices, with armatures."""
        return self._of_rows("get_mass_matrices", "get_generalized_mass_matrices", indices)

    def _of_rows(self, what: str, read: str, indices: Any) -> Any:
        view = self._simulated(what)
        if view is None:
            return None
        found, rows = getattr(view, read)(), self._backend.rows(indices, self.count)
        return self._backend.give(found if rows is None else found[rows])

    # -- forces ----------------------------------------------------------------------------------------------

    def get_coriolis_and_centrifugal_compensation_forces(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True
    ) -> Any:
        """(M, K): efforts that make up for Coriolis and centrifugal forces."""
        what = "get_coriolis_and_centrifugal_compensation_forces"
        return self._forces(what, indices, joint_indices)

    def get_gravity_compensation_forces(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True
    ) -> Any:
        """(M, K): efforts that hold articulations still against gravity."""
        return self._forces("get_gravity_compensation_forces", indices, joint_indices)

    def get_coriolis_and_centrifugal_forces(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True
    ) -> Any:
        """The older name of :meth:`get_coriolis_and_centrifugal_compensation_forces`; (M, dofs), without a base's."""
        return self._of_dofs(
            self._forces("get_coriolis_and_centrifugal_compensation_forces", indices, None), joint_indices
        )

    def get_generalized_gravity_forces(self, indices: Any = None, joint_indices: Any = None, clone: bool = True) -> Any:
        """The older name of :meth:`get_gravity_compensation_forces`; (M, dofs), without a base's."""
        return self._of_dofs(self._forces("get_gravity_compensation_forces", indices, None), joint_indices)

    def _forces(self, what: str, indices: Any, columns: Any) -> Any:
        view = self._simulated(what)
        if view is None:
            return None
        found = getattr(view, what)()
        place = self._grid(self._backend.rows(indices, self.count), self._backend.rows(columns, found.shape[1]))
        return self._backend.give(found[place])

    def _of_dofs(self, found: Any, joint_indices: Any) -> Any:
        if found is None:
            return None
        assert self._metadata is not None
        array = self._backend.take(found)[:, -self._metadata.dof_count :]
        columns = self._columns(joint_indices, None)
        return self._backend.give(array if columns is None else array[:, columns])

    # -- tendons ---------------------------------------------------------------------------------------------

    def get_fixed_tendon_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K): of fixed tendons."""
        return self._of_rows("get_fixed_tendon_stiffnesses", "get_fixed_tendon_stiffnesses", indices)

    def get_fixed_tendon_dampings(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K): of fixed tendons."""
        return self._of_rows("get_fixed_tendon_dampings", "get_fixed_tendon_dampings", indices)

    def get_fixed_tendon_limit_stiffnesses(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K): stiffnesses of fixed tendons beyond their limits."""
        return self._of_rows("get_fixed_tendon_limit_stiffnesses", "get_fixed_tendon_limit_stiffnesses", indices)

    def get_fixed_tendon_limits(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K, 2): least and greatest lengths of fixed tendons."""
        return self._of_rows("get_fixed_tendon_limits", "get_fixed_tendon_limits", indices)

    def get_fixed_tendon_rest_lengths(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K): rest lengths of fixed tendons."""
        return self._of_rows("get_fixed_tendon_rest_lengths", "get_fixed_tendon_rest_lengths", indices)

    def get_fixed_tendon_offsets(self, indices: Any = None, clone: bool = True) -> Any:
        """(M, K): what is added to lengths of fixed tendons."""
        return self._of_rows("get_fixed_tendon_offsets", "get_fixed_tendon_offsets", indices)

    def set_fixed_tendon_properties(
        self,
        stiffnesses: Any = None,
        dampings: Any = None,
        limit_stiffnesses: Any = None,
        limits: Any = None,
        rest_lengths: Any = None,
        offsets: Any = None,
        indices: Any = None,
    ) -> None:
        """Set properties of fixed tendons, (M, K) each, limits (M, K, 2); what is ``None`` stays."""
        view = self._simulated("set_fixed_tendon_properties")
        if view is None:
            return
        rows = self._backend.rows(indices, self.count)
        given = (stiffnesses, dampings, limit_stiffnesses, limits, rest_lengths, offsets)
        values = []
        for name, value in zip(_TENDONS, given, strict=True):
            data = None
            if value is not None:
                data = getattr(view, f"get_fixed_tendon_{name}")()
                place = slice(None) if rows is None else rows
                data[place] = self._given(f"set_fixed_tendon_properties: {name}", value, data[place].shape)
            values.append(data)
        view.set_fixed_tendon_properties(*values, indices=rows)
