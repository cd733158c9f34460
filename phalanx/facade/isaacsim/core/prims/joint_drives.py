"""Drives of joints: gains, limits, modes; and what else joints are."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.articulation_access import ArticulationAccess
from phalanx.facade.isaacsim.core.prims.joint_prims import JointPrims
from phalanx.facade.physx.common import DofType

log = logging.getLogger("phalanx.facade")

Names = Sequence[str] | None

MODES = ("position", "velocity", "effort")


class JointDrives(ArticulationAccess):
    """The part of a view of articulations that knows how joints are driven.

    See :class:`JointStates` for indices. While nothing is simulated, gains, efforts' limits and modes, armatures and
    coefficients of friction are those of the stage, where gains of joints that turn are kept per degree. The stage's
    coefficient is PhysX's ``jointFriction``, a share of the load on a joint, which is not simulated.
    """

    _default_kps: Any = None
    _default_kds: Any = None
    _joint_prims: JointPrims

    # -- gains -----------------------------------------------------------------------------------------------

    def set_gains(
        self,
        kps: Any = None,
        kds: Any = None,
        indices: Any = None,
        joint_indices: Any = None,
        save_to_usd: bool = False,
        joint_names: Names = None,
    ) -> None:
        """Set position and velocity gains of drives, (M, K) each; what is ``None`` stays.

        Args:
            kps: N m/rad, or N/m.
            kds: N m s/rad, or N s/m.
            indices, joint_indices, joint_names: which.
            save_to_usd: write them to the stage, rather than into the simulation.
        """
        self._check_valid()
        if self._known("set_gains") is None or (kps is None and kds is None):
            return
        if self._physics_view is None or save_to_usd:
            columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
            rows = self._backend.host(indices, self.count).tolist()
            for name, values in (("stiffness", kps), ("damping", kds)):
                if values is not None:
                    given = self._given(f"set_gains: {name}", values, (len(rows), len(columns)))
                    given = np.broadcast_to(on_host(given, float), (len(rows), len(columns)))
                    self._joint_prims.write_gains(name, rows, columns, given)
            return
        self._put_gains(kps, kds, indices, joint_indices, joint_names)
        self._default_kps = self._physics_view.get_dof_stiffnesses()
        self._default_kds = self._physics_view.get_dof_dampings()

    def _put_gains(self, kps: Any, kds: Any, indices: Any, joint_indices: Any, joint_names: Names = None) -> None:
        for kind, values in (("stiffnesses", kps), ("dampings", kds)):
            if values is not None:
                get, put = f"get_dof_{kind}", f"set_dof_{kind}"
                self._write("set_gains", get, put, values, indices, joint_indices, joint_names)

    def get_gains(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """Position and velocity gains of drives, (M, K) each; ``None`` before it is initialised."""
        self._check_valid()
        if self._known("get_gains") is None:
            return None
        if self._physics_view is not None:
            return tuple(
                self._read("get_gains", f"get_dof_{kind}", indices, joint_indices, joint_names)
                for kind in ("stiffnesses", "dampings")
            )
        columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
        rows = self._backend.host(indices, self.count).tolist()
        return tuple(
            self._backend.give(self._joint_prims.read_gains(name, rows, columns)) for name in ("stiffness", "damping")
        )

    def switch_control_mode(
        self, mode: str, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Control joints by positions, velocities or efforts: gains that were set are in force, or 0.

        Args:
            mode: ``"position"``: both gains; ``"velocity"``: the velocity gain only; ``"effort"``: none.
            indices, joint_indices, joint_names: which.

        Raises:
            ValueError: there is no such mode.
        """
        if mode not in MODES:
            raise ValueError(f"control mode {mode!r} must be one of {', '.join(MODES)}")
        view = self._simulated("switch_control_mode")
        if view is None:
            return
        columns = self._columns(joint_indices, joint_names)
        rows = self._backend.rows(indices, self.count)
        place = self._grid(rows, columns)
        kps, kds = view.get_dof_stiffnesses(), view.get_dof_dampings()
        kps[place] = self._default_kps[place] if mode == "position" else 0.0
        kds[place] = 0.0 if mode == "effort" else self._default_kds[place]
        view.set_dof_stiffnesses(kps, rows)
        view.set_dof_dampings(kds, rows)

    def switch_dof_control_mode(self, mode: str, dof_index: int, indices: Any = None) -> None:
        """Control one joint of articulations in a mode; see :meth:`switch_control_mode`."""
        self.switch_control_mode(mode, indices, [int(dof_index)])

    # -- efforts ---------------------------------------------------------------------------------------------

    def set_max_efforts(
        self, values: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Set the greatest efforts of drives, (M, K)."""
        self._set_on_both("max_forces", "maxForce", "set_max_efforts", values, indices, joint_indices, joint_names)

    def get_max_efforts(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): the greatest efforts of drives; where there are none, the greatest float32, or on the stage inf."""
        return self._get_from_both("max_forces", "maxForce", "get_max_efforts", indices, joint_indices, joint_names)

    def _get_from_both(
        self, kind: str, name: str, what: str, indices: Any, joint_indices: Any, joint_names: Names
    ) -> Any:
        """Read from the simulation, or while there is none from attributes of joints on the stage."""
        self._check_valid()
        if self._known(what) is None:
            return None
        if self._physics_view is not None:
            return self._read(what, f"get_dof_{kind}", indices, joint_indices, joint_names)
        columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
        rows = self._backend.host(indices, self.count).tolist()
        prims = self._joint_prims
        found = prims.read_max_forces(rows, columns) if name == "maxForce" else prims.read_joint(name, rows, columns)
        return self._backend.give(found)

    def _set_on_both(
        self, kind: str, name: str, what: str, values: Any, indices: Any, joint_indices: Any, joint_names: Names
    ) -> None:
        self._check_valid()
        if self._known(what) is None:
            return
        if self._physics_view is not None:
            get, put = f"get_dof_{kind}", f"set_dof_{kind}"
            self._write(what, get, put, values, indices, joint_indices, joint_names)
            return
        columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
        rows = self._backend.host(indices, self.count).tolist()
        given = np.broadcast_to(
            on_host(self._given(what, values, (len(rows), len(columns))), float), (len(rows), len(columns))
        )
        put = self._joint_prims.write_drive if name == "maxForce" else self._joint_prims.write_joint
        put(name, rows, columns, given)

    def set_max_joint_velocities(
        self, values: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Set the greatest speeds of joints, (M, K)."""
        get, put = "get_dof_max_velocities", "set_dof_max_velocities"
        self._write("set_max_joint_velocities", get, put, values, indices, joint_indices, joint_names)

    def get_joint_max_velocities(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): the greatest speeds of joints."""
        return self._read("get_joint_max_velocities", "get_dof_max_velocities", indices, joint_indices, joint_names)

    def set_effort_modes(
        self, mode: str, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Let drives give forces, or accelerations, from the next reset on.

        Raises:
            ValueError: ``mode`` is neither ``"force"`` nor ``"acceleration"``.
        """
        if mode not in ("force", "acceleration"):
            raise ValueError(f'effort mode {mode!r} must be "force" or "acceleration"')
        if self._known("set_effort_modes") is None:
            return
        columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
        self._joint_prims.write_types(mode, self._backend.host(indices, self.count).tolist(), columns)

    def get_effort_modes(
        self, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> list[list[str]] | None:
        """Whether drives give forces or accelerations, (M, K) words."""
        if self._known("get_effort_modes") is None:
            return None
        columns = on_host(self._host_columns(joint_indices, joint_names)).tolist()
        return self._joint_prims.read_types(self._backend.host(indices, self.count).tolist(), columns)

    # -- what joints are -------------------------------------------------------------------------------------

    def set_friction_coefficients(
        self, values: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Set efforts of friction, (M, K), or while nothing is simulated coefficients on the stage."""
        kind, what = "friction_coefficients", "set_friction_coefficients"
        self._set_on_both(kind, "jointFriction", what, values, indices, joint_indices, joint_names)

    def get_friction_coefficients(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): efforts of friction, or while nothing is simulated coefficients on the stage."""
        kind, what = "friction_coefficients", "get_friction_coefficients"
        return self._get_from_both(kind, "jointFriction", what, indices, joint_indices, joint_names)

    def set_armatures(
        self, values: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Set inertias of rotors, (M, K), kg m^2 or kg."""
        self._set_on_both("armatures", "armature", "set_armatures", values, indices, joint_indices, joint_names)

    def get_armatures(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): inertias of rotors."""
        return self._get_from_both("armatures", "armature", "get_armatures", indices, joint_indices, joint_names)

    def get_dof_limits(self) -> Any:
        """(N, dofs, 2): lower and upper limits of positions; the greatest float32, both ways, where there are none."""
        return self._read("get_dof_limits", "get_dof_limits", None, None)

    def get_dof_types(self, dof_names: Sequence[str] | None = None) -> list[DofType] | None:
        """Whether dofs turn or slide, of all or of some by name."""
        found = self._known("get_dof_types")
        if found is None:
            return None
        if dof_names is None:
            return list(found.dof_types)
        return [found.dof_types[found.dof_indices[name]] for name in dof_names]

    def get_drive_types(self) -> Any:
        """(N, dofs), uint8: whether drives give forces (1) or accelerations (2); 0: there is none."""
        return self._read("get_drive_types", "get_drive_types", None, None)

    def _host_columns(self, joint_indices: Any, joint_names: Names) -> Any:
        assert self._metadata is not None
        found = self._columns(joint_indices, joint_names)
        return np.arange(self._metadata.dof_count) if found is None else found
