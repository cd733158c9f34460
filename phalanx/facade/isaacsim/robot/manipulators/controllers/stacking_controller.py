"""One thing on another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.controllers.pick_place_controller import PickPlaceController


class StackingController(BaseController):
    """Takes things one after the other to their targets.

    Args:
        name: what it is called.
        pick_place_controller: takes one of them.
        picking_order_cube_names: of the things, in order.
        robot_observation_name: under which name the robot is observed.
    """

    def __init__(
        self,
        name: str,
        pick_place_controller: PickPlaceController,
        picking_order_cube_names: Sequence[str],
        robot_observation_name: str,
    ) -> None:
        super().__init__(name)
        self._pick_place_controller = pick_place_controller
        self._picking_order_cube_names = list(picking_order_cube_names)
        self._robot_observation_name = robot_observation_name
        self._current_cube = 0
        self.reset()

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, observations: dict[str, Any], end_effector_orientation: Any = None, end_effector_offset: Any = None
    ) -> ArticulationAction:
        """The action now; one of which nothing is set once it is done.

        Args:
            observations: of the task: ``"position"`` and ``"target_position"`` of things, ``"joint_positions"`` of the
                robot, by their names.
            end_effector_orientation, end_effector_offset: see :meth:`PickPlaceController.forward`.
        """
        joints = observations[self._robot_observation_name]["joint_positions"]
        if self.is_done():
            return ArticulationAction(joint_positions=[None] * len(joints))
        thing = observations[self._picking_order_cube_names[self._current_cube]]
        action = self._pick_place_controller.forward(
            picking_position=thing["position"],
            placing_position=thing["target_position"],
            current_joint_positions=joints,
            end_effector_orientation=end_effector_orientation,
            end_effector_offset=end_effector_offset,
        )
        if self._pick_place_controller.is_done():
            self._current_cube += 1
            self._pick_place_controller.reset()
        return action

    def reset(self, picking_order_cube_names: Sequence[str] | None = None) -> None:
        """Begin anew, with other things if they are given."""
        self._current_cube = 0
        self._pick_place_controller.reset()
        if picking_order_cube_names is not None:
            self._picking_order_cube_names = list(picking_order_cube_names)

    def is_done(self) -> bool:
        """Whether all things are where they shall be."""
        return self._current_cube >= len(self._picking_order_cube_names)


__all__ = ["StackingController"]
