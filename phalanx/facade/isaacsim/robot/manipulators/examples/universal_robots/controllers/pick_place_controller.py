"""A UR10 that takes a thing from one place to another."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.manipulators.controllers import pick_place_controller as any_robot
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.rmpflow_controller import (
    RMPFlowController,
)
from phalanx.facade.isaacsim.robot.manipulators.grippers.surface_gripper import SurfaceGripper

STEPS = (0.01, 0.0035, 0.01, 1.0, 0.008, 0.005, 0.005, 1.0, 0.01, 0.08)

DOWN = np.array([np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0])
"""(w, x, y, z): the x axis, along which the cup looks, points down."""


class PickPlaceController(any_robot.PickPlaceController):
    """Takes a thing from one place to another with a UR10 and its suction cup.

    Args:
        name: what it is called.
        gripper: of the robot.
        robot_articulation: the robot, simulated.
        events_dt: see the class for any robot.
    """

    def __init__(
        self, name: str, gripper: SurfaceGripper, robot_articulation: SingleArticulation, events_dt: Any = None
    ) -> None:
        super().__init__(
            name,
            RMPFlowController(f"{name}_cspace_controller", robot_articulation, attach_gripper=True),
            gripper,
            events_dt=list(STEPS) if events_dt is None else events_dt,
        )

    def forward(
        self,
        picking_position: Any,
        placing_position: Any,
        current_joint_positions: Any,
        end_effector_offset: Any = None,
        end_effector_orientation: Any = None,
    ) -> ArticulationAction:
        """The action now; see the class for any robot. The cup looks down by default."""
        return super().forward(
            picking_position,
            placing_position,
            current_joint_positions,
            end_effector_offset,
            DOWN if end_effector_orientation is None else end_effector_orientation,
        )


__all__ = ["PickPlaceController"]
