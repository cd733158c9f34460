"""A UR10 that stacks things."""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.robot.manipulators.controllers import stacking_controller as any_robot
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.pick_place_controller import (
    PickPlaceController,
)
from phalanx.facade.isaacsim.robot.manipulators.grippers.surface_gripper import SurfaceGripper


class StackingController(any_robot.StackingController):
    """Takes things to their targets one after the other with a UR10.

    Args:
        name: what it is called.
        gripper: of the robot.
        robot_articulation: the robot, simulated.
        picking_order_cube_names, robot_observation_name: see the class for any robot.
    """

    def __init__(
        self,
        name: str,
        gripper: SurfaceGripper,
        robot_articulation: SingleArticulation,
        picking_order_cube_names: Sequence[str],
        robot_observation_name: str,
    ) -> None:
        taking = PickPlaceController(f"{name}_pick_place_controller", gripper, robot_articulation)
        super().__init__(name, taking, picking_order_cube_names, robot_observation_name)


__all__ = ["StackingController"]
