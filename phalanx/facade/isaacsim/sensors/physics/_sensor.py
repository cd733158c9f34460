"""Interfaces that give readings of sensors by the paths of their prims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host
from phalanx.facade.carb.types import Float4
from phalanx.facade.isaacsim.sensors.physics.body_contacts import BodyContacts
from phalanx.facade.isaacsim.sensors.physics.body_sensor import sensor_at
from phalanx.facade.isaacsim.sensors.physics.contact_sensor import ContactSensor
from phalanx.facade.isaacsim.sensors.physics.imu_sensor import IMUSensor
from phalanx.facade.pxr.PhysicsSchemaTools import intToSdfPath, sdfPathToInt

_VECTOR = [("x", "f4"), ("y", "f4"), ("z", "f4")]
RAW = np.dtype(
    [
        ("time", "f4"),
        ("dt", "f4"),
        ("body0", "u8"),
        ("body1", "u8"),
        ("position", _VECTOR),
        ("normal", _VECTOR),
        ("impulse", _VECTOR),
    ]
)
"""A contact: s, s, numbers of bodies (see ``decode_body_name``), m, unit vector from body1 to body0, N s on body0."""

_UNTURNED = Float4(0.0, 0.0, 0.0, 1.0)


@dataclass
class CsSensorReading:
    """What a contact sensor read: ``time``, s, and ``value``, N."""

    time: float = 0.0
    value: float = 0.0
    in_contact: bool = False
    is_valid: bool = False

    @property
    def inContact(self) -> bool:
        """The same as ``in_contact``."""
        return self.in_contact


@dataclass
class IsSensorReading:
    """What an inertial measurement unit read: m/s^2 and rad/s in its axes, ``orientation`` (x, y, z, w), in s."""

    time: float = 0.0
    lin_acc_x: float = 0.0
    lin_acc_y: float = 0.0
    lin_acc_z: float = 0.0
    ang_vel_x: float = 0.0
    ang_vel_y: float = 0.0
    ang_vel_z: float = 0.0
    orientation: Any = _UNTURNED
    is_valid: bool = False


class ContactSensorInterface:
    """Readings of contact sensors."""

    def is_contact_sensor(self, sensor_path: str) -> bool:
        """Whether there is a contact sensor at a path."""
        return isinstance(sensor_at(sensor_path), ContactSensor)

    def get_sensor_reading(self, sensor_path: str, use_latest_data: bool = False) -> CsSensorReading:
        """The last reading of a sensor.

        Args:
            sensor_path: of its prim.
            use_latest_data: of no effect: a reading is of the last step that was due.

        Returns:
            The reading; not valid before the first, and where there is no sensor that is enabled.
        """
        sensor = sensor_at(sensor_path)
        if not isinstance(sensor, ContactSensor) or sensor.is_paused():
            return CsSensorReading()
        frame = sensor.get_current_frame()
        if not frame["physics_step"]:
            return CsSensorReading()
        return CsSensorReading(float(frame["time"]), float(frame["force"]), bool(frame["in_contact"]), True)

    def get_contact_sensor_raw_data(self, sensor_path: str) -> np.ndarray:
        """The contacts of the last step of a sensor's body, of dtype :data:`RAW`; none where there is no sensor."""
        sensor = sensor_at(sensor_path)
        return self._raw(sensor.body_prim_path) if isinstance(sensor, ContactSensor) else np.zeros(0, RAW)

    def get_rigid_body_raw_data(self, body_path: str) -> np.ndarray:
        """The contacts of the last step of a body, of dtype :data:`RAW`.

        Raises:
            KeyError: nothing that is simulated has that path.
        """
        return self._raw(body_path)

    def _raw(self, path: str) -> np.ndarray:
        world = simulation.stage_world()
        if world is None:
            return np.zeros(0, RAW)
        now = simulation.current()
        contacts = BodyContacts(world, path).read(now.physics_dt)
        found = np.zeros(len(contacts), RAW)
        for row, each in zip(found, contacts, strict=True):
            row["time"], row["dt"] = now.time, now.physics_dt
            row["body0"], row["body1"] = sdfPathToInt(path), sdfPathToInt(each.other)
            row["position"], row["normal"] = tuple(each.position), tuple(each.normal)
            row["impulse"] = tuple(each.impulse)
        return found

    def decode_body_name(self, body: int) -> str:
        """The path of the body that a number in contacts stands for; empty if it stands for none."""
        return str(intToSdfPath(int(body)))


class ImuSensorInterface:
    """Readings of inertial measurement units."""

    def is_imu_sensor(self, sensor_path: str) -> bool:
        """Whether there is a unit at a path."""
        return isinstance(sensor_at(sensor_path), IMUSensor)

    def get_sensor_reading(
        self,
        sensor_path: str,
        interpolation_function: Any = None,
        use_latest_data: bool = False,
        read_gravity: bool = True,
    ) -> IsSensorReading:
        """The last reading of a unit.

        Args:
            sensor_path: of its prim.
            interpolation_function: must be ``None``.
            use_latest_data: of no effect: a reading is of the last step that was due.
            read_gravity: whether accelerations are those that hold against gravity.

        Returns:
            The reading; not valid before the first, and where there is no unit that is enabled.

        Raises:
            NotImplementedError: a function to interpolate is given.
        """
        if interpolation_function is not None:
            raise NotImplementedError("get_sensor_reading: readings are not interpolated; interpolate two of them")
        sensor = sensor_at(sensor_path)
        if not isinstance(sensor, IMUSensor) or sensor.is_paused():
            return IsSensorReading()
        frame = sensor.get_current_frame(read_gravity)
        if not frame["physics_step"]:
            return IsSensorReading()
        linear, angular, turn = (on_host(frame[name], float) for name in ("lin_acc", "ang_vel", "orientation"))
        orientation = Float4(*(float(turn[i]) for i in (1, 2, 3, 0)))
        found = IsSensorReading(float(frame["time"]), orientation=orientation, is_valid=True)
        found.lin_acc_x, found.lin_acc_y, found.lin_acc_z = (float(value) for value in linear)
        found.ang_vel_x, found.ang_vel_y, found.ang_vel_z = (float(value) for value in angular)
        return found


_contacts, _units = ContactSensorInterface(), ImuSensorInterface()


def acquire_contact_sensor_interface() -> ContactSensorInterface:
    """The interface to contact sensors."""
    return _contacts


def acquire_imu_sensor_interface() -> ImuSensorInterface:
    """The interface to inertial measurement units."""
    return _units


def release_contact_sensor_interface(interface: ContactSensorInterface) -> None:
    """Nothing: it stays."""


def release_imu_sensor_interface(interface: ImuSensorInterface) -> None:
    """Nothing: it stays."""


__all__ = [
    "RAW",
    "ContactSensorInterface",
    "CsSensorReading",
    "ImuSensorInterface",
    "IsSensorReading",
    "acquire_contact_sensor_interface",
    "acquire_imu_sensor_interface",
    "release_contact_sensor_interface",
    "release_imu_sensor_interface",
]
