"""What says how a robot moves next."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np


class MotionPolicy(ABC):
    """Says how joints of a robot move next, so that its end effector gets somewhere; scripts derive from it."""

    @abstractmethod
    def set_end_effector_target(self, target_position: Any = None, target_orientation: Any = None) -> None:
        """Say where the end effector shall be in the world: (3,) and (w, x, y, z); ``None``: anywhere, anyhow."""

    @abstractmethod
    def compute_joint_targets(
        self,
        active_joint_positions: np.ndarray,
        active_joint_velocities: np.ndarray,
        watched_joint_positions: np.ndarray,
        watched_joint_velocities: np.ndarray,
        frame_duration: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities that active joints shall have after a time, s."""

    @abstractmethod
    def get_active_joints(self) -> list[str]:
        """The joints that it moves, in the order of arrays."""

    def get_watched_joints(self) -> list[str]:
        """Joints that it does not move and wants to know of; none."""
        return []

    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:  # noqa: B027 - optional
        """Say where the robot stands in the world."""

    def update_world(self, updated_obstacles: Any = None) -> None:  # noqa: B027 - optional
        """Look where obstacles are now."""

    def add_obstacle(self, obstacle: Any, static: bool | None = False) -> bool:
        """Let it avoid an object; whether it does.

        Raises:
            NotImplementedError: it avoids none.
        """
        raise NotImplementedError(f"{type(self).__name__} does not avoid obstacles; lead its targets around them")

    def remove_obstacle(self, obstacle: Any) -> bool:
        """Let it avoid an object no longer; see :meth:`add_obstacle`."""
        raise NotImplementedError(f"{type(self).__name__} does not avoid obstacles; lead its targets around them")

    def reset(self) -> None:  # noqa: B027 - optional
        """Forget what there was."""


__all__ = ["MotionPolicy"]
