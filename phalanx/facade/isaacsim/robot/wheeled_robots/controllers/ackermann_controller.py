"""Four wheels, two of which are steered."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction

STRAIGHT = 0.0157
"""rad: robots that are steered less go straight."""


class AckermannController(BaseController):
    """Drives a car: its wheels roll about one centre without slipping, as the bicycle in its middle does.

    Args:
        name: what it is called.
        wheel_base: between the axles, m.
        track_width: between left and right wheels, m.
        front_wheel_radius, back_wheel_radius: m; 0: as the others.
        max_wheel_velocity: rad/s; 0: no limit, here and below.
        invert_steering: whether the wheels behind are steered.
        max_wheel_rotation_angle: of steered wheels, rad.
        max_acceleration: m/s^2.
        max_steering_angle_velocity: rad/s.

    Raises:
        ValueError: both radii are 0.
    """

    def __init__(
        self,
        name: str,
        wheel_base: float,
        track_width: float,
        front_wheel_radius: float = 0.0,
        back_wheel_radius: float = 0.0,
        max_wheel_velocity: float = 0.0,
        invert_steering: bool = False,
        max_wheel_rotation_angle: float = 6.28,
        max_acceleration: float = 0.0,
        max_steering_angle_velocity: float = 0.0,
    ) -> None:
        super().__init__(name)
        self.wheel_base, self.track_width = abs(wheel_base), abs(track_width)
        front, back = abs(front_wheel_radius), abs(back_wheel_radius)
        if not (front or back):
            raise ValueError("front_wheel_radius or back_wheel_radius must be given")
        self.front_wheel_radius, self.back_wheel_radius = front or back, back or front
        self.invert_steering = invert_steering
        self.max_wheel_velocity = abs(max_wheel_velocity) or math.inf
        self.max_wheel_rotation_angle = abs(max_wheel_rotation_angle) or math.inf
        self.max_acceleration = abs(max_acceleration) or math.inf
        self.max_steering_angle_velocity = abs(max_steering_angle_velocity) or math.inf
        self.prev_linear_velocity, self.prev_steering_angle = 0.0, 0.0

    def forward(self, command: Any) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Velocities of the wheels, left and right in front and left and right behind, and angles of the steered ones.

        Args:
            command: steering angle, rad; with which velocity it is reached, rad/s, 0: at once; velocity, m/s; with
                which acceleration it is reached, m/s^2, 0: at once; time since the last command, s.

        Raises:
            ValueError: there are not five of them, or something is to be reached in time and none has passed.
        """
        given = on_host(command, float).reshape(-1)
        if given.size != 5:
            raise ValueError(f"command has {given.size} values; it must have 5: angle, its velocity, speed, "
                             "acceleration and time")  # fmt: skip
        steering, rate, speed, acceleration, dt = (float(value) for value in given)
        dt = abs(dt)
        if dt == 0.0 and (rate or acceleration):
            raise ValueError("command: the time since the last one must not be 0 where steering or speed are limited")
        fastest = self.max_wheel_velocity * max(self.front_wheel_radius, self.back_wheel_radius)
        speed = float(np.clip(speed, -fastest, fastest))
        steering = float(np.clip(steering, -self.max_wheel_rotation_angle, self.max_wheel_rotation_angle))
        acceleration, rate = (
            min(abs(acceleration), self.max_acceleration),
            min(abs(rate), self.max_steering_angle_velocity),
        )
        speed = _towards(self.prev_linear_velocity, speed, acceleration * dt)
        steering = _towards(self.prev_steering_angle, steering, rate * dt)
        self.prev_linear_velocity, self.prev_steering_angle = speed, steering
        angles, distances = self._geometry(steering)
        radii = [self.front_wheel_radius] * 2 + [self.back_wheel_radius] * 2
        wheels = speed * np.array(distances) / np.array(radii)
        most, turned = self.max_wheel_velocity, self.max_wheel_rotation_angle
        return ArticulationAction(
            joint_velocities=tuple(np.clip(wheels, -most, most).tolist()),
            joint_positions=tuple(np.clip(angles, -turned, turned).tolist()),
        )

    def reset(self) -> None:
        """Stand still, straight."""
        self.prev_linear_velocity, self.prev_steering_angle = 0.0, 0.0

    def _geometry(self, steering: float) -> tuple[tuple[float, float], tuple[float, float, float, float]]:
        """Angles of the steered wheels, and ways of wheels by that of the robot's middle."""
        if abs(steering) < STRAIGHT:
            return (0.0, 0.0), (1.0, 1.0, 1.0, 1.0)
        radius = (-1.0 if self.invert_steering else 1.0) * self.wheel_base / math.tan(steering)
        half = self.track_width / 2.0
        angles = math.atan(self.wheel_base / (radius - half)), math.atan(self.wheel_base / (radius + half))
        centre = abs(radius)
        left, right = (centre - math.copysign(half, steering), centre + math.copysign(half, steering))
        steered = math.hypot(left, self.wheel_base), math.hypot(right, self.wheel_base)
        ways = (left, right, *steered) if self.invert_steering else (*steered, left, right)
        a, b, c, d = (way / centre for way in ways)
        return angles, (a, b, c, d)


def _towards(now: float, wanted: float, most: float) -> float:
    """Nearer to what is wanted by at most so much; there if that is 0."""
    return now + min(max(wanted - now, -most), most) if most else wanted


__all__ = ["AckermannController"]
