"""What opens and closes a gripper."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class BaseGripperController(BaseController):
    """What opens and closes a gripper; scripts derive from it.

    Args:
        name: what it is called.
    """

    def forward(self, action: str, current_joint_positions: Any) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The action that opens or closes it.

        Args:
            action: ``"open"`` or ``"close"``.
            current_joint_positions: of the gripper's joints.

        Raises:
            ValueError: ``action`` is neither.
        """
        if action == "open":
            return self.open(current_joint_positions)
        if action == "close":
            return self.close(current_joint_positions)
        raise ValueError(f'a gripper can "open" or "close", not {action!r}')

    @abstractmethod
    def open(self, current_joint_positions: Any) -> ArticulationAction:
        """The action that opens it."""

    @abstractmethod
    def close(self, current_joint_positions: Any) -> ArticulationAction:
        """The action that closes it."""


__all__ = ["BaseGripperController"]
