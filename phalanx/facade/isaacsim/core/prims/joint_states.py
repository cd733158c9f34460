"""Positions, velocities and efforts of joints, as they are and as they are asked for."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx import components as c
from phalanx.facade.isaacsim.core.prims.articulation_access import ArticulationAccess
from phalanx.facade.isaacsim.core.utils.types import ArticulationActions, JointsState

log = logging.getLogger("phalanx.facade")

Names = Sequence[str] | None


class JointStates(ArticulationAccess):
    """The part of a view of articulations that knows how joints are and move.

    ``joint_indices`` are numbers of dofs, (K,), in any order, ``joint_names`` their names; all by default, and K is
    their number. With ``indices`` of articulations, (M,), values are (M, K). Angles are in rad, lengths in m, efforts
    in N m and N. Before it is initialised, and while nothing is simulated, getters give ``None`` and setters do
    nothing, with a warning.

    ``clone=False`` may give what changes with the simulation, without a copy, where all is asked for.
    """

    _paused: tuple[Any, Any, Any] | None = None

    # -- as they are -----------------------------------------------------------------------------------------

    def get_joint_positions(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): positions."""
        if not clone and (found := self._live("position", indices, joint_indices, joint_names)) is not None:
            return found
        return self._read("get_joint_positions", "get_dof_positions", indices, joint_indices, joint_names)

    def get_joint_velocities(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): velocities."""
        if not clone and (found := self._live("velocity", indices, joint_indices, joint_names)) is not None:
            return found
        return self._read("get_joint_velocities", "get_dof_velocities", indices, joint_indices, joint_names)

    def _live(self, what: str, *chosen: Any) -> Any:
        view = self._physics_view
        if view is None or any(each is not None for each in chosen):
            return None
        self._check_valid()
        found = view.live_dofs(c.Coordinate.value if what == "position" else c.DofState.velocity)
        return None if found is None else self._backend.give(found)

    def set_joint_positions(
        self, positions: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Put joints somewhere at once, (M, K), and let them be driven to where all joints are then."""
        done = self._write(
            "set_joint_positions",
            "get_dof_positions",
            "set_dof_positions",
            positions,
            indices,
            joint_indices,
            joint_names,
        )
        if done is not None:
            assert self._physics_view is not None
            self._physics_view.set_dof_position_targets(*done)

    def set_joint_velocities(
        self, velocities: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Let joints move at once, (M, K), and be driven with the velocities that all joints have then."""
        done = self._write(
            "set_joint_velocities",
            "get_dof_velocities",
            "set_dof_velocities",
            velocities,
            indices,
            joint_indices,
            joint_names,
        )
        if done is not None:
            assert self._physics_view is not None
            self._physics_view.set_dof_velocity_targets(*done)

    def get_joints_state(self) -> JointsState | None:
        """Positions and velocities of all joints, (N, dofs) each; efforts are ``None``."""
        if self._simulated("get_joints_state") is None:
            return None
        return JointsState(self.get_joint_positions(), self.get_joint_velocities(), None)

    # -- as they are asked for -------------------------------------------------------------------------------

    def set_joint_position_targets(
        self, positions: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Let drives go to positions, (M, K), until told otherwise."""
        self._target("position", positions, indices, joint_indices, joint_names)

    def set_joint_velocity_targets(
        self, velocities: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Let drives go with velocities, (M, K), until told otherwise."""
        self._target("velocity", velocities, indices, joint_indices, joint_names)

    def _target(self, kind: str, values: Any, indices: Any, joint_indices: Any, joint_names: Names) -> None:
        get, put = f"get_dof_{kind}_targets", f"set_dof_{kind}_targets"
        self._write(f"set_joint_{kind}_targets", get, put, values, indices, joint_indices, joint_names, keep=True)

    def set_joint_efforts(
        self, efforts: Any, indices: Any = None, joint_indices: Any = None, joint_names: Names = None
    ) -> None:
        """Push joints during the next step, (M, K), besides their drives; joints that are not listed are not pushed."""
        view = self._simulated("set_joint_efforts")
        if view is None:
            return
        columns = self._columns(joint_indices, joint_names)
        rows = self._backend.rows(indices, self.count)
        xp = self._backend.xp
        data = view.get_dof_actuation_forces()
        data[slice(None) if rows is None else rows] = 0.0
        place = self._grid(rows, columns)
        given = self._given("set_joint_efforts", efforts, data[place].shape)
        data[place] = xp.where(xp.isnan(given), 0.0, given)
        view.set_dof_actuation_forces(data, rows)
        view.clear_efforts_after_step()

    def get_applied_joint_efforts(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): efforts that were set for the next step, without those of drives."""
        return self._read("get_applied_joint_efforts", "get_dof_actuation_forces", indices, joint_indices, joint_names)

    def get_measured_joint_efforts(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, K): what joints transmit along and about their axes, drives included."""
        return self._read(
            "get_measured_joint_efforts", "get_dof_projected_joint_forces", indices, joint_indices, joint_names
        )

    def get_measured_joint_forces(
        self, indices: Any = None, joint_indices: Any = None, clone: bool = True, joint_names: Names = None
    ) -> Any:
        """(M, joints + 1, 6): [force, torque] that joints transmit, in the joints' frames on the links they carry.

        Row 0 is what holds the root, row j + 1 the joint with the number j, fixed ones included. ``joint_indices`` are
        numbers of rows, ``joint_names`` names of joints.
        """
        view = self._simulated("get_measured_joint_forces")
        if view is None:
            return None
        found = view.get_link_incoming_joint_force()
        if joint_names is not None:
            if joint_indices is not None:
                raise ValueError("joint_names and joint_indices can not be given both")
            joint_indices = [view.shared_metatype.joint_indices[name] + 1 for name in joint_names]
        columns = self._backend.rows(joint_indices, found.shape[1])
        rows = self._backend.rows(indices, self.count)
        return self._backend.give(found[self._grid(rows, columns)])

    def apply_action(self, control_actions: ArticulationActions, indices: Any = None) -> None:
        """Set targets and efforts, (M, K) each; what is ``None``, or no number, stays as it is, efforts become 0.

        Args:
            control_actions: an ``ArticulationActions``, or an ``ArticulationAction``.
            indices: of articulations.
        """
        if self._simulated("apply_action") is None:
            return
        joints = {
            "joint_indices": control_actions.joint_indices,
            "joint_names": getattr(control_actions, "joint_names", None),
        }
        if control_actions.joint_positions is not None:
            self.set_joint_position_targets(control_actions.joint_positions, indices, **joints)
        if control_actions.joint_velocities is not None:
            self.set_joint_velocity_targets(control_actions.joint_velocities, indices, **joints)
        if control_actions.joint_efforts is not None:
            self.set_joint_efforts(control_actions.joint_efforts, indices, **joints)

    def get_applied_actions(self, clone: bool = True) -> ArticulationActions | None:
        """Targets and efforts of all joints, (N, dofs) each."""
        if self._simulated("get_applied_actions") is None:
            return None
        reads = ("get_dof_position_targets", "get_dof_velocity_targets", "get_dof_actuation_forces")
        return ArticulationActions(*(self._read("get_applied_actions", read, None, None) for read in reads))

    # -- holding still ---------------------------------------------------------------------------------------

    def pause_motion(self) -> None:
        """Hold all joints where they are, until :meth:`resume_motion`."""
        view = self._simulated("pause_motion")
        if view is not None:
            reads = (view.get_dof_velocities, view.get_dof_position_targets, view.get_dof_velocity_targets)
            self._paused = tuple(read() for read in reads)  # pyright: ignore[reportAttributeAccessIssue]
            view.set_dof_position_targets(view.get_dof_positions())
            for put in (view.set_dof_velocities, view.set_dof_velocity_targets):
                put(self._backend.xp.zeros_like(self._paused[0]))

    def resume_motion(self) -> None:
        """Let joints move on as they did at :meth:`pause_motion`."""
        view = self._simulated("resume_motion")
        if view is None or self._paused is None:
            return
        velocities, positions, targets = self._paused
        view.set_dof_velocities(velocities)
        view.set_dof_position_targets(positions)
        view.set_dof_velocity_targets(targets)
        self._paused = None
