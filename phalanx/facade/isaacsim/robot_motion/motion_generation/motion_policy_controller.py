"""A controller that follows a policy of motion."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_motion_policy import ArticulationMotionPolicy
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_interface import MotionPolicy


class MotionPolicyController(BaseController):
    """Brings an end effector somewhere by a policy.

    Args:
        name: what it is called.
        articulation_motion_policy: the policy and its robot.
    """

    def __init__(self, name: str, articulation_motion_policy: ArticulationMotionPolicy) -> None:
        super().__init__(name)
        self._articulation_motion_policy = articulation_motion_policy
        self._motion_policy = articulation_motion_policy.get_motion_policy()

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, target_end_effector_position: Any, target_end_effector_orientation: Any = None
    ) -> ArticulationAction:
        """The action of the next frame.

        Args:
            target_end_effector_position: where the end effector shall be in the world, (3,), in units of the stage.
            target_end_effector_orientation: (w, x, y, z); any by default.
        """
        self._motion_policy.set_end_effector_target(target_end_effector_position, target_end_effector_orientation)
        self._motion_policy.update_world()
        return self._articulation_motion_policy.get_next_articulation_action()

    def add_obstacle(self, obstacle: Any, static: bool = False) -> None:
        """Let the policy avoid an object, if it can."""
        self._motion_policy.add_obstacle(obstacle, static=static)

    def remove_obstacle(self, obstacle: Any) -> None:
        """Let the policy avoid an object no longer."""
        self._motion_policy.remove_obstacle(obstacle)

    def reset(self) -> None:
        """Let the policy begin anew."""
        self._motion_policy.reset()

    def get_articulation_motion_policy(self) -> ArticulationMotionPolicy:
        """The policy and its robot."""
        return self._articulation_motion_policy

    def get_motion_policy(self) -> MotionPolicy:
        """The policy."""
        return self._motion_policy


__all__ = ["MotionPolicyController"]
