"""A Franka that takes a thing from one place to another."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.robot.manipulators.controllers import pick_place_controller as any_robot
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.controllers.rmpflow_controller import RMPFlowController
from phalanx.facade.isaacsim.robot.manipulators.grippers.parallel_gripper import ParallelGripper

STEPS = (0.008, 0.005, 1.0, 0.1, 0.05, 0.05, 0.0025, 1.0, 0.008, 0.08)


class PickPlaceController(any_robot.PickPlaceController):
    """Takes a thing from one place to another with a Franka.

    Args:
        name: what it is called.
        gripper: of the robot.
        robot_articulation: the robot, simulated.
        end_effector_initial_height, events_dt: see the class for any robot.
    """

    def __init__(
        self,
        name: str,
        gripper: ParallelGripper,
        robot_articulation: SingleArticulation,
        end_effector_initial_height: float | None = None,
        events_dt: Any = None,
    ) -> None:
        super().__init__(
            name,
            RMPFlowController(f"{name}_cspace_controller", robot_articulation),
            gripper,
            end_effector_initial_height,
            list(STEPS) if events_dt is None else events_dt,
        )


__all__ = ["PickPlaceController"]
