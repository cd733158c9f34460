"""A gripper: some joints of an articulation, with places where they are open and closed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.controllers.articulation_controller import ArticulationController
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class ArticulationGripper:
    """A gripper of an articulation. Arrays are (K,) for its K joints.

    Args:
        gripper_dof_names: of its joints.
        gripper_open_position: where they are when it is open, (K,), rad or m.
        gripper_closed_position: where they are when it is closed.
    """

    def __init__(
        self, gripper_dof_names: Sequence[str], gripper_open_position: Any = None, gripper_closed_position: Any = None
    ) -> None:
        self._names = list(gripper_dof_names)
        self._open, self._closed = gripper_open_position, gripper_closed_position
        self._indices: np.ndarray | None = None
        self._articulation: Any = None
        self._controller: Any = None

    @property
    def open_position(self) -> Any:
        """Where its joints are when it is open."""
        return self._open

    @property
    def closed_position(self) -> Any:
        """Where its joints are when it is closed."""
        return self._closed

    @property
    def dof_indices(self) -> np.ndarray | None:
        """(K,): numbers of its joints; ``None`` before it is initialised."""
        return self._indices

    def initialize(self, root_prim_path: str, articulation_controller: ArticulationController) -> None:
        """Find its joints in the articulation that is simulated at a path.

        Raises:
            ValueError: the articulation has no joint of a name.
        """
        self._articulation = SingleArticulation(root_prim_path)
        self._articulation.initialize()
        known = self._articulation.dof_names or []
        missing = [name for name in self._names if name not in known]
        if missing:
            raise ValueError(f"<{root_prim_path}> has no joints {', '.join(missing)}; it has {', '.join(known)}")
        self._indices = np.array([known.index(name) for name in self._names])
        self._controller = articulation_controller

    def set_positions(self, positions: Any) -> None:
        """Put its joints somewhere at once, and let them be driven there."""
        self._articulation.set_joint_positions(positions, self._indices)
        self.apply_action(ArticulationAction(joint_positions=positions))

    def get_positions(self) -> Any:
        """Where its joints are."""
        return self._articulation.get_joint_positions(self._indices)

    def get_velocities(self) -> Any:
        """How fast its joints move."""
        return self._articulation.get_joint_velocities(self._indices)

    def set_velocities(self, velocities: Any) -> None:
        """Let its joints move at once, and be driven so."""
        self._articulation.set_joint_velocities(velocities, self._indices)
        self.apply_action(ArticulationAction(joint_velocities=velocities))

    def apply_action(self, action: ArticulationAction) -> None:
        """Set targets of its joints."""
        action.joint_indices = self._indices
        self._controller.apply_action(action)


__all__ = ["ArticulationGripper"]
