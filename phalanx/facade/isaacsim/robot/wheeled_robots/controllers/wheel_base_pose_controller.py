"""From where a robot on wheels is to where it shall be."""

from __future__ import annotations

import math
from typing import Any

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.rotations import quat_to_euler_angles
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class WheelBasePoseController(BaseController):
    """Drives a robot on wheels to a place: it turns until it faces it, and then goes straight.

    Args:
        name: what it is called.
        open_loop_wheel_controller: what makes velocities of wheels of those of the robot.
        is_holonomic: whether that takes velocities forwards, sideways and about z; else forwards and about z.
    """

    def __init__(self, name: str, open_loop_wheel_controller: BaseController, is_holonomic: bool = False) -> None:
        super().__init__(name)
        self._open_loop_wheel_controller = open_loop_wheel_controller
        self._is_holonomic = is_holonomic

    def forward(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        start_position: Any,
        start_orientation: Any,
        goal_position: Any,
        lateral_velocity: float = 0.2,
        yaw_velocity: float = 0.5,
        heading_tol: float = 0.05,
        position_tol: float = 0.04,
    ) -> ArticulationAction:
        """The action of the wheels now.

        Args:
            start_position: where the robot is, (3,).
            start_orientation: (w, x, y, z); its x axis is ahead.
            goal_position: where it shall be, (3,); its height does not count.
            lateral_velocity: with which it goes, m/s.
            yaw_velocity: with which it turns, rad/s.
            heading_tol: an angle to the goal at which it need not turn, rad.
            position_tol: a distance at which it is there, m.
        """
        start, goal = on_host(start_position, float).reshape(-1)[:2], on_host(goal_position, float).reshape(-1)[:2]
        way = goal - start
        heading = float(quat_to_euler_angles(on_host(start_orientation, float).reshape(-1))[-1])
        error = (math.atan2(way[1], way[0]) - heading + math.pi) % (2.0 * math.pi) - math.pi
        ahead, turn = 0.0, 0.0
        if math.hypot(*way) >= position_tol:
            if abs(error) > heading_tol:
                turn = math.copysign(yaw_velocity, error)
            else:
                ahead = lateral_velocity
        return self._open_loop_wheel_controller.forward([ahead, 0.0, turn] if self._is_holonomic else [ahead, turn])


__all__ = ["WheelBasePoseController"]
