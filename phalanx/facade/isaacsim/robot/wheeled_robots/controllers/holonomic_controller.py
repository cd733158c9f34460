"""Wheels with rollers, by which a robot goes in all directions."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.maths import arrays as rotations


class HolonomicController(BaseController):
    """Drives a robot with Mecanum or omni wheels: of all velocities of wheels that move it so the smallest.

    A wheel of radius r at p that turns with velocity q adds ``q r d`` to the velocity and ``q r (d x p)_z`` to what
    turns the robot, ``d`` being the wheel's axis turned by its rollers' angle about the upward axis. Among all q that
    add up to the command that with the least ``sum r q^2`` is taken, in closed form. These are Isaac Sim's conventions,
    also for the sign of the turn.

    Args:
        name: what it is called.
        wheel_radius: r, m, of each wheel, or one of all.
        wheel_positions: p, from the centre of mass, (wheels, 3), m.
        wheel_orientations: (wheels, 4), (w, x, y, z).
        mecanum_angles: of the rollers, degrees, of each wheel, or one of all.
        wheel_axis: about which wheels turn, in their frames.
        up_axis: upwards.
        max_linear_speed: the velocity is cut to it, m/s.
        max_angular_speed: the same about the upward axis, rad/s.
        max_wheel_speed: all wheels are slowed alike so that none is quicker, rad/s.
        linear_gain, angular_gain: commands are multiplied by.

    Raises:
        ValueError: there are not as many of one thing as of others.
    """

    def __init__(
        self,
        name: str,
        wheel_radius: Any = None,
        wheel_positions: Any = None,
        wheel_orientations: Any = None,
        mecanum_angles: Any = None,
        wheel_axis: Any = np.array([1, 0, 0]),  # noqa: B008 - as documented; it is not written to
        up_axis: Any = np.array([0, 0, 1]),  # noqa: B008
        max_linear_speed: float = 1.0e20,
        max_angular_speed: float = 1.0e20,
        max_wheel_speed: float = 1.0e20,
        linear_gain: float = 1.0,
        angular_gain: float = 1.0,
    ) -> None:
        super().__init__(name)
        self.wheel_positions = on_host(wheel_positions, float).reshape(-1, 3)
        self.num_wheels = len(self.wheel_positions)
        self.wheel_radius = self._each("wheel_radius", wheel_radius)
        self.wheel_orientations = on_host(wheel_orientations, float).reshape(-1, 4)
        self.mecanum_angles = self._each("mecanum_angles", mecanum_angles)
        if len(self.wheel_orientations) != self.num_wheels:
            raise ValueError(f"{len(self.wheel_orientations)} wheel_orientations for {self.num_wheels} wheels")
        self.wheel_axis, self.up_axis = on_host(wheel_axis, float), on_host(up_axis, float)
        self.max_linear_speed, self.max_angular_speed = max_linear_speed, max_angular_speed
        self.max_wheel_speed = max_wheel_speed
        self.linear_gain, self.angular_gain = linear_gain, angular_gain
        self.joint_commands = np.zeros(self.num_wheels)
        self.build_base()

    def _each(self, name: str, values: Any) -> np.ndarray:
        found = on_host(values, float).reshape(-1)
        if found.size not in (1, self.num_wheels):
            raise ValueError(f"{found.size} {name} for {self.num_wheels} wheels")
        return np.broadcast_to(found, (self.num_wheels,)).copy()

    def build_base(self) -> None:
        """Find anew what the wheels add to the robot's motion, after they were changed."""
        quats = rotations.from_rotation_vector(np.radians(self.mecanum_angles)[:, None] * self.up_axis)
        turned = rotations.product(quats, self.wheel_orientations)
        axes = rotations.rotate(turned, np.broadcast_to(self.wheel_axis, (self.num_wheels, 3)))
        axes = axes / np.linalg.norm(axes, axis=1, keepdims=True)
        self.base_dir = (axes * self.wheel_radius[:, None]).T
        self.base_dir[2] = 0.0
        flat = self.wheel_positions * [1.0, 1.0, 0.0]
        spin = np.cross(self.base_dir.T, flat)[:, 2]
        moves = np.stack([self.base_dir[0], self.base_dir[1], spin])
        weights = 1.0 / self.wheel_radius
        self._solution = weights[:, None] * moves.T @ np.linalg.pinv(moves @ (weights[:, None] * moves.T))

    def forward(self, command: Any) -> ArticulationAction:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Velocities of the wheels, rad/s.

        Args:
            command: forwards and sideways, m/s, and about the upward axis, rad/s.

        Raises:
            ValueError: there are not three of them.
        """
        given = on_host(command, float).reshape(-1)
        if given.size != 3:
            raise ValueError(f"command has {given.size} values; it must have 3: two velocities and turning")
        velocity, turning = given[:2] * self.linear_gain, float(given[2]) * self.angular_gain
        speed = float(np.linalg.norm(velocity))
        if speed > self.max_linear_speed:
            velocity = velocity * (self.max_linear_speed / speed)
        turning = float(np.clip(turning, -self.max_angular_speed, self.max_angular_speed))
        wheels = self._solution @ np.array([*velocity, turning])
        most = float(np.abs(wheels).max())
        if most > self.max_wheel_speed:
            wheels = wheels * (self.max_wheel_speed / most)
        self.joint_commands = wheels
        return ArticulationAction(joint_velocities=wheels.tolist())


__all__ = ["HolonomicController"]
