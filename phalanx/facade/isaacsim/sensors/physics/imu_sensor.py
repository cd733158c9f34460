"""How a body moves, as an inertial measurement unit on it feels."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.sensors.physics.body_sensor import BodySensor
from phalanx.maths import arrays as rotations


class IMUSensor(BodySensor):
    """Accelerations, angular velocities and the orientation of a place on a rigid body.

    Accelerations are differences of the place's velocities over a step, in the sensor's axes. One that is at rest feels
    what holds it up: the acceleration against gravity.

    Args:
        prim_path, name, frequency, dt, translation, position, orientation: see :class:`BodySensor`.
        linear_acceleration_filter_size, angular_velocity_filter_size, orientation_filter_size: readings are means over
            so many steps.

    Raises:
        ValueError: see :class:`BodySensor`.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "imu_sensor",
        frequency: int | None = None,
        dt: float | None = None,
        translation: Any = None,
        position: Any = None,
        orientation: Any = None,
        linear_acceleration_filter_size: int = 1,
        angular_velocity_filter_size: int = 1,
        orientation_filter_size: int = 1,
    ) -> None:
        super().__init__(prim_path, name, frequency, dt, translation, position, orientation)
        self._body = RigidPrim(self._body_prim_path, f"{name}_body")
        sizes = linear_acceleration_filter_size, angular_velocity_filter_size, orientation_filter_size
        self._sizes = [max(int(size), 1) for size in sizes]
        self._offset = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
        self._begin()

    def _begin(self) -> None:
        super()._begin()
        self._velocity: np.ndarray | None = None
        self._past = [deque[np.ndarray](maxlen=size) for size in self._sizes]
        give = simulation.arrays().give
        self._gravity = give(np.zeros(3, np.float32))
        self._current_frame |= {
            "lin_acc": give(np.zeros(3, np.float32)),
            "ang_vel": give(np.zeros(3, np.float32)),
            "orientation": give(np.array([1, 0, 0, 0], np.float32)),
        }
        if simulation.stage_world() is not None and self._body.is_physics_handle_valid():
            units = get_stage_units()
            place, turn = (on_host(each, float) for each in self.get_local_pose())
            body = self.prim.GetParent()
            while str(body.GetPath()) != self._body_prim_path:  # prims between it and the body
                above = [on_host(each, float) for each in SingleXFormPrim(str(body.GetPath())).get_local_pose()]
                place = above[0] + rotations.rotate(above[1], place)
                turn = rotations.product(above[1], turn)
                body = body.GetParent()
            self._offset = place * units, turn
            self._velocity = self._state()[0]

    def _state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Velocity, m/s, and angular velocity, rad/s, in the world's axes, and orientation of the sensor."""
        units = get_stage_units()
        turn = on_host(self._body.get_world_poses()[1], float)[0]
        linear = on_host(self._body.get_linear_velocities(), float)[0] * units
        angular = on_host(self._body.get_angular_velocities(), float)[0]
        com = on_host(self._body.get_coms()[0], float)[0, 0] * units
        arm = rotations.rotate(turn, self._offset[0] - com)
        return linear + np.cross(angular, arm), angular, rotations.product(turn, self._offset[1])

    def _follow(self, dt: float) -> None:
        velocity, angular, turn = self._state()
        before, self._velocity = self._velocity, velocity
        back = turn * [1.0, -1.0, -1.0, -1.0]
        acceleration = np.zeros(3) if before is None else (velocity - before) / dt
        self._past[0].append(rotations.rotate(back, acceleration))
        self._past[1].append(rotations.rotate(back, angular))
        last = self._past[2][-1] if self._past[2] else turn
        self._past[2].append(turn if turn @ last >= 0.0 else -turn)

    def _read(self, dt: float) -> None:
        give = simulation.arrays().give
        acceleration, angular, turn = (np.mean(past, axis=0) for past in self._past)
        turn = rotations.unit(turn)
        world = simulation.stage_world()
        gravity = np.zeros(3) if world is None else np.array(world.world.gravity, float)
        felt = rotations.rotate(turn * [1.0, -1.0, -1.0, -1.0], -gravity)
        self._gravity = give(felt.astype(np.float32))
        self._current_frame["lin_acc"] = give(acceleration.astype(np.float32))
        self._current_frame["ang_vel"] = give(angular.astype(np.float32))
        self._current_frame["orientation"] = give(turn.astype(np.float32))

    def get_current_frame(self, read_gravity: bool = True) -> dict[str, Any]:
        """The last reading.

        Args:
            read_gravity: whether accelerations are those that hold against gravity.

        Returns:
            ``"lin_acc"``, (3,), m/s^2, and ``"ang_vel"``, (3,), rad/s, in the sensor's axes; ``"orientation"`` in the
            world, (4,), (w, x, y, z); ``"time"``, s; ``"physics_step"``.
        """
        found = dict(self._current_frame)
        if read_gravity and found["physics_step"]:
            found["lin_acc"] = simulation.arrays().give(
                (on_host(found["lin_acc"], float) + on_host(self._gravity, float)).astype(np.float32)
            )
        return found


__all__ = ["IMUSensor"]
