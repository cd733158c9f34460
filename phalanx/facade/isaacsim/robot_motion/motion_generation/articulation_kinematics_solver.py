"""The kinematics of a robot, with its joints where they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.articulations.articulation_subset import ArticulationSubset
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot_motion.motion_generation.kinematics_interface import KinematicsSolver


class ArticulationKinematicsSolver:
    """Where the end effector of a robot is, and actions that bring it somewhere.

    Args:
        robot_articulation: the robot, simulated.
        kinematics_solver: what knows its kinematics.
        end_effector_frame_name: a frame that it knows.

    Raises:
        ValueError: it does not know the frame.
    """

    def __init__(
        self, robot_articulation: SingleArticulation, kinematics_solver: KinematicsSolver, end_effector_frame_name: str
    ) -> None:
        self._robot_articulation, self._kinematics_solver = robot_articulation, kinematics_solver
        self.set_end_effector_frame(end_effector_frame_name)
        self._joints_view = ArticulationSubset(robot_articulation, kinematics_solver.get_joint_names())

    def compute_end_effector_pose(self, position_only: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Where the end effector is in the world: (3,) and a matrix (3, 3)."""
        return self._kinematics_solver.compute_forward_kinematics(
            self._ee_frame, self._joints_view.get_joint_positions(), position_only
        )

    def compute_inverse_kinematics(
        self,
        target_position: Any,
        target_orientation: Any = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
    ) -> tuple[ArticulationAction, bool]:
        """An action that brings the end effector to a pose in the world, and whether it gets there.

        Args:
            target_position: (3,), in units of the stage.
            target_orientation: (w, x, y, z); any by default.
            position_tolerance, orientation_tolerance: how near it shall get, in units of the stage and rad.
        """
        found, reached = self._kinematics_solver.compute_inverse_kinematics(
            self._ee_frame,
            target_position,
            target_orientation,
            on_host(self._joints_view.get_joint_positions(), float),
            position_tolerance,
            orientation_tolerance,
        )
        return self._joints_view.make_articulation_action(found, None), reached

    def set_end_effector_frame(self, end_effector_frame_name: str) -> None:
        """Choose another frame.

        Raises:
            ValueError: there is none of that name.
        """
        known = self._kinematics_solver.get_all_frame_names()
        if end_effector_frame_name not in known:
            raise ValueError(f"there is no frame {end_effector_frame_name!r}; there are {', '.join(known)}")
        self._ee_frame = end_effector_frame_name

    def get_end_effector_frame(self) -> str:
        """The frame's name."""
        return self._ee_frame

    def get_joints_subset(self) -> ArticulationSubset:
        """The joints, in the order that the solver has."""
        return self._joints_view

    def get_kinematics_solver(self) -> KinematicsSolver:
        """What knows the kinematics."""
        return self._kinematics_solver


__all__ = ["ArticulationKinematicsSolver"]
