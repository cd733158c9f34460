"""One articulation."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.articulation_controller import ArticulationController
from phalanx.facade.isaacsim.core.prims.articulation import Articulation
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim, first, one
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction, JointsState

DOF_PROPERTIES = np.dtype(
    [
        ("type", int),
        ("hasLimits", bool),
        ("lower", float),
        ("upper", float),
        ("driveMode", int),
        ("maxVelocity", float),
        ("maxEffort", float),
        ("stiffness", float),
        ("damping", float),
    ]
)
"""Columns of :attr:`SingleArticulation.dof_properties`."""


class SingleArticulation(SingleXFormPrim):
    """An articulation. See :class:`Articulation`; here arrays have no first axis.

    ``joint_indices`` are numbers of joints, (K,), in any order; all by default.

    Args:
        prim_path: of its prim, or of one above its root.
        name: for scenes and messages.
        position, translation, orientation, scale, visible: see :class:`SingleXFormPrim`.
        articulation_controller: what controls it; an ``ArticulationController`` by default.
        enable_dof_force_sensors: no meaning: forces of joints are always measured.
        reset_xform_properties: see :class:`SingleXFormPrim`.
        enable_residual_reports: see :class:`Articulation`.

    Raises:
        ValueError: there is no prim at the path, or an array has another shape.
    """

    _articulation_view: Articulation

    def __init__(
        self,
        prim_path: str,
        name: str = "articulation",
        position: Any = None,
        translation: Any = None,
        orientation: Any = None,
        scale: Any = None,
        visible: bool | None = None,
        articulation_controller: ArticulationController | None = None,
        enable_dof_force_sensors: bool = False,
        reset_xform_properties: bool = True,
        enable_residual_reports: bool = False,
    ) -> None:
        self._articulation_view = Articulation(
            prim_path,
            name,
            one(position),
            one(translation),
            one(orientation),
            one(scale),
            None if visible is None else [visible],
            reset_xform_properties,
            enable_dof_force_sensors,
            enable_residual_reports,
        )
        self._articulation_controller = articulation_controller or ArticulationController()
        self._wrap(self._articulation_view)

    def initialize(self, physics_sim_view: Any = None) -> None:
        """Look up what is simulated of it, and let its controller control it."""
        self._articulation_controller.initialize(self._articulation_view)
        self._articulation_view.initialize(physics_sim_view)

    # -- what it is ------------------------------------------------------------------------------------------

    @property
    def handles_initialized(self) -> bool:
        """Whether it is simulated, and its controller controls it."""
        return (
            self._articulation_view.is_physics_handle_valid()
            and self._articulation_controller._articulation_view is not None
        )

    @property
    def articulation_handle(self) -> int:
        """A number that stands for it."""
        return id(self._articulation_view)

    @property
    def num_dof(self) -> int | None:
        """Degrees of freedom; ``None`` before it is initialised."""
        return self._articulation_view.num_dof

    @property
    def num_bodies(self) -> int | None:
        """Links; ``None`` before it is initialised."""
        return self._articulation_view.num_bodies

    @property
    def dof_names(self) -> list[str] | None:
        """Names of degrees of freedom; ``None`` before it is initialised."""
        return self._articulation_view.dof_names

    @property
    def dof_properties(self) -> np.ndarray:
        """(dofs,): what joints are, with the columns of :data:`DOF_PROPERTIES`.

        Raises:
            RuntimeError: it is not simulated.
        """
        view = self._articulation_view
        if not view.is_physics_handle_valid():
            raise RuntimeError(f"{self.name}: dof_properties are known while it is simulated; call initialize() first")
        found = np.zeros(view.num_dof or 0, dtype=DOF_PROPERTIES)
        found["type"] = [int(kind) for kind in view.get_dof_types() or ()]
        limits = on_host(view.get_dof_limits())[0]
        found["lower"], found["upper"] = limits[:, 0], limits[:, 1]
        found["hasLimits"] = (limits[:, 0] < limits[:, 1]) & (np.abs(limits) < np.finfo(np.float32).max).all(axis=1)
        found["driveMode"] = on_host(view.get_drive_types())[0]
        found["maxEffort"] = on_host(view.get_max_efforts())[0]
        found["maxVelocity"] = on_host(view.get_joint_max_velocities())[0]
        found["stiffness"], found["damping"] = (on_host(each)[0] for each in view.get_gains())
        return found

    def get_dof_index(self, dof_name: str) -> int | None:
        """The number of a degree of freedom by its name; KeyError if there is none of the name."""
        return self._articulation_view.get_dof_index(dof_name)

    def get_articulation_body_count(self) -> int | None:
        """Links; ``None`` before it is initialised."""
        return self._articulation_view.num_bodies

    def get_articulation_controller(self) -> ArticulationController:
        """What controls it."""
        return self._articulation_controller

    # -- gravity ---------------------------------------------------------------------------------------------

    def disable_gravity(self) -> None:
        """Let gravity act on none of its links."""
        self._gravity(1)

    def enable_gravity(self) -> None:
        """Let gravity act on all of its links."""
        self._gravity(0)

    def _gravity(self, off: int) -> None:
        if self._articulation_view._simulated("gravity") is not None:
            self._articulation_view.set_body_disable_gravity([[off] * (self.num_bodies or 0)])

    # -- motion of the root ----------------------------------------------------------------------------------

    def set_world_velocity(self, velocity: Any) -> None:
        """Set linear and angular velocity of the root link, (6,)."""
        self._articulation_view.set_velocities(one(velocity))

    def get_world_velocity(self) -> Any:
        """(6,): linear and angular velocity of the root link."""
        return _row(self._articulation_view.get_velocities())

    def set_linear_velocity(self, velocity: Any) -> None:
        """Set the linear velocity of the root link, (3,)."""
        self._articulation_view.set_linear_velocities(one(velocity))

    def get_linear_velocity(self) -> Any:
        """(3,): the linear velocity of the root link."""
        return _row(self._articulation_view.get_linear_velocities())

    def set_angular_velocity(self, velocity: Any) -> None:
        """Set the angular velocity of the root link, (3,), rad/s."""
        self._articulation_view.set_angular_velocities(one(velocity))

    def get_angular_velocity(self) -> Any:
        """(3,): the angular velocity of the root link, rad/s."""
        return _row(self._articulation_view.get_angular_velocities())

    # -- joints ----------------------------------------------------------------------------------------------

    def set_joint_positions(self, positions: Any, joint_indices: Any = None) -> None:
        """Put joints somewhere at once, (K,), rad or m, and let them be driven there."""
        self._articulation_view.set_joint_positions(one(positions), joint_indices=joint_indices)

    def get_joint_positions(self, joint_indices: Any = None) -> Any:
        """(K,): positions of joints, rad or m."""
        return _row(self._articulation_view.get_joint_positions(joint_indices=joint_indices))

    def set_joint_velocities(self, velocities: Any, joint_indices: Any = None) -> None:
        """Let joints move at once, (K,), rad/s or m/s, and be driven so."""
        self._articulation_view.set_joint_velocities(one(velocities), joint_indices=joint_indices)

    def get_joint_velocities(self, joint_indices: Any = None) -> Any:
        """(K,): velocities of joints, rad/s or m/s."""
        return _row(self._articulation_view.get_joint_velocities(joint_indices=joint_indices))

    def set_joint_efforts(self, efforts: Any, joint_indices: Any = None) -> None:
        """Push joints during the next step, (K,), N m or N."""
        self._articulation_view.set_joint_efforts(one(efforts), joint_indices=joint_indices)

    def get_applied_joint_efforts(self, joint_indices: Any = None) -> Any:
        """(K,): efforts that were set for the next step."""
        return _row(self._articulation_view.get_applied_joint_efforts(joint_indices=joint_indices))

    def get_measured_joint_efforts(self, joint_indices: Any = None) -> Any:
        """(K,): what joints transmit along and about their axes."""
        return _row(self._articulation_view.get_measured_joint_efforts(joint_indices=joint_indices))

    def get_measured_joint_forces(self, joint_indices: Any = None) -> Any:
        """(joints + 1, 6): forces and torques that joints transmit; row 0 is what holds the root."""
        return _row(self._articulation_view.get_measured_joint_forces(joint_indices=joint_indices))

    def get_joints_state(self) -> JointsState | None:
        """Positions and velocities of all joints, (dofs,) each; efforts are ``None``."""
        found = self._articulation_view.get_joints_state()
        return None if found is None else JointsState(_row(found.positions), _row(found.velocities), None)

    def get_joints_default_state(self) -> JointsState | None:
        """What :meth:`post_reset` puts joints to; efforts are ``None``."""
        found = self._articulation_view.get_joints_default_state()
        return None if found is None else JointsState(_row(found.positions), _row(found.velocities), None)

    def set_joints_default_state(self, positions: Any = None, velocities: Any = None, efforts: Any = None) -> None:
        """Set what :meth:`post_reset` puts joints to, (dofs,) each; what is ``None`` stays."""
        self._articulation_view.set_joints_default_state(one(positions), one(velocities), one(efforts))

    def apply_action(self, control_actions: ArticulationAction) -> None:
        """Let the controller set targets and efforts of joints."""
        self._articulation_controller.apply_action(control_actions)

    def get_applied_action(self) -> ArticulationAction | None:
        """Targets and efforts of joints."""
        return self._articulation_controller.get_applied_action()

    def get_position_residual(self, report_max: bool = True) -> None:
        """See :meth:`Articulation.get_position_residuals`."""
        self._articulation_view.get_position_residuals(report_max=report_max)

    def get_velocity_residual(self, report_max: bool = True) -> None:
        """See :meth:`Articulation.get_velocity_residuals`."""
        self._articulation_view.get_velocity_residuals(report_max=report_max)

    # -- settings --------------------------------------------------------------------------------------------

    def set_solver_position_iteration_count(self, count: int) -> None:
        """Set how often positions are solved in a step, from the next reset on."""
        self._articulation_view.set_solver_position_iteration_counts([count])

    def get_solver_position_iteration_count(self) -> int:
        """How often positions are solved in a step."""
        return int(on_host(self._articulation_view.get_solver_position_iteration_counts())[0])

    def set_solver_velocity_iteration_count(self, count: int) -> None:
        """Set how often velocities are solved in a step, from the next reset on."""
        self._articulation_view.set_solver_velocity_iteration_counts([count])

    def get_solver_velocity_iteration_count(self) -> int:
        """How often velocities are solved in a step."""
        return int(on_host(self._articulation_view.get_solver_velocity_iteration_counts())[0])

    def set_stabilization_threshold(self, threshold: float) -> None:
        """Set the kinetic energy per mass below which PhysX damps it; the engine does not."""
        self._articulation_view.set_stabilization_thresholds([threshold])

    def get_stabilization_threshold(self) -> float:
        """What was set."""
        return float(on_host(self._articulation_view.get_stabilization_thresholds())[0])

    def set_enabled_self_collisions(self, flag: bool) -> None:
        """Let its links touch each other, from the next reset on."""
        self._articulation_view.set_enabled_self_collisions([bool(flag)])

    def get_enabled_self_collisions(self) -> bool:
        """Whether its links touch each other."""
        return bool(on_host(self._articulation_view.get_enabled_self_collisions())[0])

    def set_sleep_threshold(self, threshold: float) -> None:
        """Set the kinetic energy per mass below which it may go to sleep, from the next reset on."""
        self._articulation_view.set_sleep_thresholds([threshold])

    def get_sleep_threshold(self) -> float:
        """The kinetic energy per mass below which it may go to sleep."""
        return float(on_host(self._articulation_view.get_sleep_thresholds())[0])


def _row(found: Any) -> Any:
    """The first row of what a view hands out; ``None`` stays."""
    return None if found is None else first(found)[0]


__all__ = ["DOF_PROPERTIES", "SingleArticulation"]
