"""Links of articulations, their dynamics, tendons, and how they are solved."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema
from phalanx.facade.isaacsim.core.api.materials.accessors import read, write
from phalanx.facade.isaacsim.core.experimental.prims.articulation_dofs import ArticulationDofs
from phalanx.facade.isaacsim.core.experimental.prims.prim import require

WXYZ = [6, 3, 4, 5]
"""Columns of a pose of a tensor view that are the quaternion (w, x, y, z)."""

TENDONS = ("stiffnesses", "dampings", "limit_stiffnesses", "limits", "rest_lengths", "offsets")


class ArticulationLinks(ArticulationDofs):
    """The part of :class:`Articulation` that is about links, (M, L) each, which need a simulation, and about settings.

    ``link_indices`` are numbers of links, and L is how many are chosen: all of them by default.
    """

    @property
    def num_links(self) -> int:
        """Links of an articulation."""
        return self._joints.metatype.link_count

    @property
    def num_fixed_tendons(self) -> int:
        """Fixed tendons of an articulation; 0 before it is simulated."""
        return self._view.num_fixed_tendons or 0

    def _link_values(self, name: str, indices: Any, link_indices: Any) -> Any:
        return self._read(name, indices, link_indices, self.num_links)

    def _set_links(self, name: str, values: Any, indices: Any, link_indices: Any, *tail: int) -> None:
        self._check_simulated()
        given = self._taken(values, *self._shape(indices, link_indices, self.num_links), *tail)
        self._view.write(name, given, indices, link_indices, self.num_links)

    def _link_prims(self, indices: Any, link_indices: Any) -> list[list[Any]]:
        stage, paths = self._view._stage, self._joints.link_paths()
        columns = self._view.arrays.host(link_indices, self.num_links).tolist()
        return [[stage.GetPrimAtPath(paths[row][link]) for link in columns] for row in self._chosen(indices)]

    def _read_links(self, name: str, default: Any, indices: Any, link_indices: Any) -> np.ndarray:
        """(M, L) of an attribute of links on the stage."""
        prims = self._link_prims(indices, link_indices)
        return np.array([[float(read(prim, name, default)) for prim in row] for row in prims], np.float32)

    def _write_links(self, name: str, kind: str, values: Any, schema: str, indices: Any, link_indices: Any) -> None:
        prims = self._link_prims(indices, link_indices)
        given = self._on_host(values, len(prims), len(prims[0])).tolist()
        for row, numbers in zip(prims, given, strict=True):
            for prim, number in zip(row, numbers, strict=True):
                apply_schema(prim, schema)
                write(prim, name, kind, number)

    # -- masses ----------------------------------------------------------------------------------------------

    def get_link_masses(self, *, indices: Any = None, link_indices: Any = None, inverse: bool = False) -> Any:
        """(M, L), kg, or their inverses; on the stage 0 where none is written."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is None:
            found = self._read_links("physics:mass", 0.0, indices, link_indices)
            return self._given(1.0 / (found + 1e-8) if inverse else found)
        return self._given(self._link_values("inv_masses" if inverse else "masses", indices, link_indices))

    def set_link_masses(self, masses: Any, *, indices: Any = None, link_indices: Any = None) -> None:
        """Set masses, (M, L), kg; inertias stay."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is None:
            self._write_links("physics:mass", "Float", masses, "PhysicsMassAPI", indices, link_indices)
            return
        self._set_links("masses", masses, indices, link_indices)

    def get_link_coms(self, *, indices: Any = None, link_indices: Any = None) -> tuple[Any, Any]:
        """Centres of mass (M, L, 3) in the links' frames, and their axes (M, L, 4)."""
        found = self._link_values("coms", indices, link_indices)
        return self._given(found[..., :3]), self._given(found[..., WXYZ])

    def set_link_coms(
        self, positions: Any = None, orientations: Any = None, *, indices: Any = None, link_indices: Any = None
    ) -> None:
        """Set centres of mass in the links' frames, (M, L, 3), and their axes, (M, L, 4); what is ``None`` stays."""
        require(positions is not None or orientations is not None, "positions and orientations are both None")
        poses = self._link_values("coms", indices, link_indices)
        shape = poses.shape[:2]
        if positions is not None:
            poses[..., :3] = self._taken(positions, *shape, 3)
        if orientations is not None:
            poses[..., 3:] = self._taken(orientations, *shape, 4)[..., [1, 2, 3, 0]]
        self._view.write("coms", poses, indices, link_indices, self.num_links)

    def get_link_inertias(self, *, indices: Any = None, link_indices: Any = None, inverse: bool = False) -> Any:
        """(M, L, 9): about the centres of mass, in the links' axes, row by row; or their inverses."""
        return self._given(self._link_values("inv_inertias" if inverse else "inertias", indices, link_indices))

    def set_link_inertias(self, inertias: Any, *, indices: Any = None, link_indices: Any = None) -> None:
        """Set inertias, (M, L, 9)."""
        self._set_links("inertias", inertias, indices, link_indices, 9)

    def get_link_enabled_gravities(self, *, indices: Any = None, link_indices: Any = None) -> Any:
        """(M, L), bool: whether gravity acts."""
        self._check_valid()
        self._check_backend("tensor", "usd")
        if self._view.simulated is None:
            return self._given(self._read_links("physxRigidBody:disableGravity", False, indices, link_indices) == 0)
        return self._given(self._link_values("disable_gravities", indices, link_indices) == 0)

    def set_link_enabled_gravities(self, enabled: Any, *, indices: Any = None, link_indices: Any = None) -> None:
        """Let gravity act or not, (M, L).

        Raises:
            ValueError: links that are fixed to each other have different flags.
        """
        self._check_valid()
        self._check_backend("tensor", "usd")
        given = self._taken(enabled, *self._shape(indices, link_indices, self.num_links))
        if self._view.simulated is None:
            name, off = "physxRigidBody:disableGravity", on_host(given) == 0
            self._write_links(name, "Bool", off, "PhysxRigidBodyAPI", indices, link_indices)
            return
        self._view.write("disable_gravities", given == 0, indices, link_indices, self.num_links)

    def get_link_incoming_joint_force(self, *, indices: Any = None, link_indices: Any = None) -> tuple[Any, Any]:
        """Forces and torques, (M, L, 3) each, that joints transmit to links, in the joints' frames."""
        found = self._link_values("link_incoming_joint_force", indices, link_indices)
        return self._given(found[..., :3]), self._given(found[..., 3:])

    # -- dynamics --------------------------------------------------------------------------------------------

    @property
    def jacobian_matrix_shape(self) -> tuple[int, int, int]:
        """Links (without the root of a fixed base), 6, and V, dofs (and 6 of a free base)."""
        self._check_simulated()
        return self._view.get_jacobian_shape()

    @property
    def mass_matrix_shape(self) -> tuple[int, int]:
        """(V, V)."""
        self._check_simulated()
        return self._view.get_mass_matrix_shape()

    def get_jacobian_matrices(self, *, indices: Any = None) -> Any:
        """(M, links, 6, V): linear and angular velocity of links' centres of mass per generalised velocity."""
        self._check_simulated()
        return self._given(self._view.get_jacobians(indices))

    def get_mass_matrices(self, *, indices: Any = None) -> Any:
        """(M, V, V): mass matrices, with armatures."""
        self._check_simulated()
        return self._given(self._view.get_mass_matrices(indices))

    def get_dof_coriolis_and_centrifugal_compensation_forces(
        self, *, indices: Any = None, dof_indices: Any = None
    ) -> Any:
        """(M, K): efforts that make up for Coriolis and centrifugal forces."""
        return self._compensation("coriolis_and_centrifugal_compensation_forces", indices, dof_indices)

    def get_dof_gravity_compensation_forces(self, *, indices: Any = None, dof_indices: Any = None) -> Any:
        """(M, K): efforts that hold articulations still against gravity."""
        return self._compensation("gravity_compensation_forces", indices, dof_indices)

    def _compensation(self, name: str, indices: Any, dof_indices: Any) -> Any:
        self._check_simulated()
        found = getattr(self._view.simulated, f"get_{name}")()[:, -self.num_dofs :]
        rows, dofs = self._places(indices, dof_indices)
        return self._given(found[self._view.arrays.xp.ix_(rows, dofs)])

    # -- how they are solved -----------------------------------------------------------------------------------

    def get_solver_iteration_counts(self, *, indices: Any = None) -> tuple[Any, Any]:
        """How often positions and velocities are solved in a step, (M, 1) each."""
        self._check_valid()
        found = (
            self._view.get_solver_position_iteration_counts(indices),
            self._view.get_solver_velocity_iteration_counts(indices),
        )
        return self._given(found[0], -1, 1), self._given(found[1], -1, 1)

    def set_solver_iteration_counts(
        self, position_counts: Any = None, velocity_counts: Any = None, *, indices: Any = None
    ) -> None:
        """Set how often positions and velocities are solved in a step, (M, 1) each; what is ``None`` stays."""
        require(position_counts is not None or velocity_counts is not None, "both counts are None")
        self._check_valid()
        shape = self._size(indices), 1
        if position_counts is not None:
            self._view.set_solver_position_iteration_counts(self._on_host(position_counts, *shape), indices)
        if velocity_counts is not None:
            self._view.set_solver_velocity_iteration_counts(self._on_host(velocity_counts, *shape), indices)

    def get_stabilization_thresholds(self, *, indices: Any = None) -> Any:
        """(M, 1): kinetic energies per mass below which PhysX damps articulations; the engine does not."""
        self._check_valid()
        return self._given(self._view.get_stabilization_thresholds(indices), -1, 1)

    def set_stabilization_thresholds(self, thresholds: Any, *, indices: Any = None) -> None:
        """Set what :meth:`get_stabilization_thresholds` says."""
        self._check_valid()
        self._view.set_stabilization_thresholds(self._on_host(thresholds, self._size(indices), 1), indices)

    def get_enabled_self_collisions(self, *, indices: Any = None) -> Any:
        """(M, 1), bool: whether links of an articulation touch each other."""
        self._check_valid()
        return self._given(self._view.get_enabled_self_collisions(indices), -1, 1)

    def set_enabled_self_collisions(self, enabled: Any, *, indices: Any = None) -> None:
        """Let links of an articulation touch each other, (M, 1), from the next start of the simulation on."""
        self._check_valid()
        self._view.set_enabled_self_collisions(self._on_host(enabled, self._size(indices), 1), indices)

    def get_sleep_thresholds(self, *, indices: Any = None) -> Any:
        """(M, 1): kinetic energies per mass below which articulations may go to sleep."""
        self._check_valid()
        return self._given(self._view.get_sleep_thresholds(indices), -1, 1)

    def set_sleep_thresholds(self, thresholds: Any, *, indices: Any = None) -> None:
        """Set kinetic energies per mass below which articulations may go to sleep, (M, 1); from the next start on."""
        self._check_valid()
        self._view.set_sleep_thresholds(self._on_host(thresholds, self._size(indices), 1), indices)

    # -- fixed tendons -----------------------------------------------------------------------------------------

    def _tendons(self, name: str, indices: Any, tendon_indices: Any) -> Any:
        return self._read(f"fixed_tendon_{name}", indices, tendon_indices, self.num_fixed_tendons)

    def get_fixed_tendon_stiffnesses(self, *, indices: Any = None, tendon_indices: Any = None) -> Any:
        """(M, T)."""
        return self._given(self._tendons("stiffnesses", indices, tendon_indices))

    def get_fixed_tendon_dampings(self, *, indices: Any = None, tendon_indices: Any = None) -> Any:
        """(M, T)."""
        return self._given(self._tendons("dampings", indices, tendon_indices))

    def get_fixed_tendon_limit_stiffnesses(self, *, indices: Any = None, tendon_indices: Any = None) -> Any:
        """(M, T): stiffnesses beyond limits."""
        return self._given(self._tendons("limit_stiffnesses", indices, tendon_indices))

    def get_fixed_tendon_limits(self, *, indices: Any = None, tendon_indices: Any = None) -> tuple[Any, Any]:
        """Least and greatest lengths, (M, T) each."""
        found = self._tendons("limits", indices, tendon_indices)
        return self._given(found[..., 0]), self._given(found[..., 1])

    def get_fixed_tendon_rest_lengths(self, *, indices: Any = None, tendon_indices: Any = None) -> Any:
        """(M, T)."""
        return self._given(self._tendons("rest_lengths", indices, tendon_indices))

    def get_fixed_tendon_offsets(self, *, indices: Any = None, tendon_indices: Any = None) -> Any:
        """(M, T): what is added to lengths."""
        return self._given(self._tendons("offsets", indices, tendon_indices))

    def set_fixed_tendon_properties(
        self,
        *,
        stiffnesses: Any = None,
        dampings: Any = None,
        limit_stiffnesses: Any = None,
        lower_limits: Any = None,
        upper_limits: Any = None,
        rest_lengths: Any = None,
        offsets: Any = None,
        indices: Any = None,
        tendon_indices: Any = None,
    ) -> None:
        """Set properties of fixed tendons, (M, T) each; what is ``None`` stays."""
        self._check_simulated()
        given: dict[str, Any] = {
            "stiffnesses": stiffnesses,
            "dampings": dampings,
            "limit_stiffnesses": limit_stiffnesses,
            "rest_lengths": rest_lengths,
            "offsets": offsets,
        }
        limits = (lower_limits, upper_limits)
        require(any(each is not None for each in (*given.values(), *limits)), "all properties are None")
        rows = self._chosen(indices)
        columns = self._view.arrays.host(tendon_indices, self.num_fixed_tendons).tolist()
        place, whole = np.ix_(rows, columns), {}
        for name in TENDONS:
            parts = limits if name == "limits" else (given[name],)
            if all(each is None for each in parts):
                continue
            data = on_host(getattr(self._view.simulated, f"get_fixed_tendon_{name}")()).copy()
            for n, values in enumerate(parts):
                if values is not None:
                    taken = on_host(self._taken(values, len(rows), len(columns)))
                    (data[..., n] if name == "limits" else data)[place] = taken
            whole[name] = self._view.arrays.give(data)
        self._view.simulated.set_fixed_tendon_properties(
            *(whole.get(name) for name in TENDONS), indices=self._view.arrays.rows(indices, len(self))
        )
