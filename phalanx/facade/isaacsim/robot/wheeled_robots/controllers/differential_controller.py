"""Two wheels side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction


class DifferentialController(BaseController):
    """Drives a robot with two wheels side by side: ``(v - w b / 2) / r`` left and ``(v + w b / 2) / r`` right.

    Args:
        name: what it is called.
        wheel_radius: r, m.
        wheel_base: b, the distance between the wheels, m.
        max_linear_speed: v is cut to it, m/s.
        max_angular_speed: w is cut to it, rad/s.
        max_wheel_speed: velocities of wheels are cut to it, rad/s.

    Raises:
        ValueError: a greatest speed is negative, or the radius is not positive.
    """

    def __init__(
        self,
        name: str,
        wheel_radius: float,
        wheel_base: float,
        max_linear_speed: float = 1.0e20,
        max_angular_speed: float = 1.0e20,
        max_wheel_speed: float = 1.0e20,
    ) -> None:
        super().__init__(name)
        if not wheel_radius > 0.0:
            raise ValueError(f"wheel_radius must be positive, not {wheel_radius}")
        limits = {
            "max_linear_speed": max_linear_speed,
            "max_angular_speed": max_angular_speed,
            "max_wheel_speed": max_wheel_speed,
        }
        for limit, value in limits.items():
            if not value >= 0.0:
                raise ValueError(f"{limit} must not be negative, as {value} is")
        self.wheel_radius, self.wheel_base = wheel_radius, wheel_base
        self.max_linear_speed, self.max_angular_speed = max_linear_speed, max_angular_speed
        self.max_wheel_speed = max_wheel_speed

    def forward(self, command: Any) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Velocities of the left and the right wheel, rad/s.

        Args:
            command: v, forwards, m/s, and w, to the left, rad/s.

        Raises:
            ValueError: there are not two of them.
        """
        given = on_host(command, float).reshape(-1)
        if given.size != 2:
            raise ValueError(f"command has {given.size} values; it must have 2, forwards in m/s and turning in rad/s")
        most = np.array([self.max_linear_speed, self.max_angular_speed])
        forwards, turning = np.clip(given, -most, most)
        across = turning * self.wheel_base / 2.0
        wheels = np.array([forwards - across, forwards + across]) / self.wheel_radius
        return ArticulationAction(joint_velocities=np.clip(wheels, -self.max_wheel_speed, self.max_wheel_speed))


__all__ = ["DifferentialController"]
