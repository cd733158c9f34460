"""What knows the kinematics of a robot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class KinematicsSolver(ABC):
    """Knows where frames of a robot are, and how to bring them somewhere; scripts derive from it."""

    @abstractmethod
    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:
        """Say where the robot stands in the world: (3,) and (w, x, y, z)."""

    @abstractmethod
    def get_joint_names(self) -> list[str]:
        """The joints, in the order of all arrays."""

    @abstractmethod
    def get_all_frame_names(self) -> list[str]:
        """The frames."""

    @abstractmethod
    def compute_forward_kinematics(
        self, frame_name: str, joint_positions: Any, position_only: bool | None = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where a frame is in the world: (3,) and a matrix (3, 3)."""

    @abstractmethod
    def compute_inverse_kinematics(
        self,
        frame_name: str,
        target_position: Any,
        target_orientation: Any = None,
        warm_start: Any = None,
        position_tolerance: float | None = None,
        orientation_tolerance: float | None = None,
    ) -> tuple[np.ndarray, bool]:
        """Positions of the joints that bring a frame to a pose in the world, and whether it gets there."""

    def supports_collision_avoidance(self) -> bool:
        """Whether obstacles are avoided: not unless one who derives from it says so."""
        return False


__all__ = ["KinematicsSolver"]
