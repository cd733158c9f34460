"""What all grippers have."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class Gripper(SingleRigidPrim):
    """A gripper, seen as the body that carries it; scripts derive from it.

    Args:
        end_effector_prim_path: of the body's prim.
    """

    def __init__(self, end_effector_prim_path: str) -> None:
        super().__init__(end_effector_prim_path, "gripper")
        self._end_effector_prim_path = end_effector_prim_path
        self._default_state: Any = None

    @abstractmethod
    def open(self) -> None:
        """Let go."""
        raise NotImplementedError(f"{type(self).__name__} has no open(); define it in the class")

    @abstractmethod
    def close(self) -> None:
        """Take hold."""
        raise NotImplementedError(f"{type(self).__name__} has no close(); define it in the class")

    @abstractmethod
    def set_default_state(self, *args: Any, **kwargs: Any) -> None:
        """Set the state that resets bring back."""
        raise NotImplementedError(f"{type(self).__name__} has no set_default_state(); define it in the class")

    @abstractmethod
    def get_default_state(self, *args: Any, **kwargs: Any) -> Any:
        """The state that resets bring back."""
        raise NotImplementedError(f"{type(self).__name__} has no get_default_state(); define it in the class")

    @abstractmethod
    def forward(self, *args: Any, **kwargs: Any) -> ArticulationAction:
        """An action of all joints of the articulation that opens or closes it."""
        raise NotImplementedError(f"{type(self).__name__} has no forward(); define it in the class")


__all__ = ["Gripper"]
