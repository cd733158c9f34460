"""Commands that make sensors on bodies."""

from __future__ import annotations

from typing import Any

from phalanx.facade import simulation
from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.simulation_manager import IsaacEvents, SimulationManager
from phalanx.facade.isaacsim.sensors.physics.body_sensor import BodySensor
from phalanx.facade.isaacsim.sensors.physics.contact_sensor import ContactSensor
from phalanx.facade.isaacsim.sensors.physics.imu_sensor import IMUSensor
from phalanx.facade.omni.usd import get_stage_next_free_path
from phalanx.io.formats.usd.bindings import Gf, Sdf, UsdGeom


class _Made:
    """Sensors that nobody else holds; they read whenever the simulation runs."""

    def __init__(self) -> None:
        self.sensors: list[BodySensor] = []
        self._callback: int | None = None

    def add(self, sensor: BodySensor) -> None:
        self.sensors = [each for each in self.sensors if each.is_valid()] + [sensor]
        if self._callback is None:
            self._callback = SimulationManager.register_callback(self._ready, IsaacEvents.PHYSICS_READY)
        if simulation.stage_world() is not None:
            sensor.initialize()

    def _ready(self, *unheard: Any) -> None:
        self.sensors = [each for each in self.sensors if each.is_valid()]
        for sensor in self.sensors:
            sensor.initialize()


_made = _Made()


def _path(command: str, path: str, parent: str | None) -> str:
    if not parent:
        raise ValueError(f"{command}: parent is not given; it must be the path of a rigid body, or of a prim below one")
    return get_stage_next_free_path(stages.get_stage(), f"{parent.rstrip('/')}/{path.lstrip('/')}", False)


def _numbers(value: Any) -> list[float]:
    if hasattr(value, "GetReal"):
        value = (value.GetReal(), *value.GetImaginary())
    return [float(each) for each in value]


def create_contact_sensor(
    path: str = "/Contact_Sensor",
    parent: str | None = None,
    min_threshold: float = 0.0,
    max_threshold: float = 100000.0,
    color: Any = (1.0, 1.0, 1.0, 1.0),
    radius: float = -1.0,
    sensor_period: float = -1.0,
    translation: Any = (0.0, 0.0, 0.0),
) -> Any:
    """The command ``IsaacSensorCreateContactSensor``: a contact sensor below a body, at a path that is free.

    Args:
        path: below the parent.
        parent: path of a rigid body, or of a prim below one.
        min_threshold: N; nothing is in contact below it.
        max_threshold: N; forces are cut to it.
        color: kept on the prim; nothing is drawn.
        radius: stage units; only contacts this near count, all of the body if it is not positive.
        sensor_period: s between readings; each step is read if it is not positive.
        translation: in the frame of the parent.

    Returns:
        The prim, as an ``UsdGeom.Xform``.

    Raises:
        ValueError: there is no body.
    """
    whole = _path("IsaacSensorCreateContactSensor", path, parent)
    sensor = ContactSensor(
        whole,
        name=whole,
        dt=max(float(sensor_period), 0.0),
        translation=_numbers(translation),
        min_threshold=min_threshold,
        max_threshold=max_threshold,
        radius=radius,
    )
    sensor.prim.CreateAttribute("color", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(*_numbers(color)))
    _made.add(sensor)
    return UsdGeom.Xform(sensor.prim)


def create_imu_sensor(
    path: str = "/Imu_Sensor",
    parent: str | None = None,
    sensor_period: float = -1.0,
    translation: Any = (0.0, 0.0, 0.0),
    orientation: Any = (1.0, 0.0, 0.0, 0.0),
    linear_acceleration_filter_size: int = 1,
    angular_velocity_filter_size: int = 1,
    orientation_filter_size: int = 1,
) -> Any:
    """The command ``IsaacSensorCreateImuSensor``: an inertial measurement unit below a body, at a path that is free.

    Args:
        path: below the parent.
        parent: path of a rigid body, or of a prim below one.
        sensor_period: s between readings; each step is read if it is not positive.
        translation: in the frame of the parent.
        orientation: in the frame of the parent, a ``Gf.Quatd`` or (w, x, y, z).
        linear_acceleration_filter_size: readings are means over so many steps.
        angular_velocity_filter_size: the same.
        orientation_filter_size: the same.

    Returns:
        The prim, as an ``UsdGeom.Xform``.

    Raises:
        ValueError: there is no body.
    """
    whole = _path("IsaacSensorCreateImuSensor", path, parent)
    sensor = IMUSensor(
        whole,
        name=whole,
        dt=max(float(sensor_period), 0.0),
        translation=_numbers(translation),
        orientation=_numbers(orientation),
        linear_acceleration_filter_size=linear_acceleration_filter_size,
        angular_velocity_filter_size=angular_velocity_filter_size,
        orientation_filter_size=orientation_filter_size,
    )
    _made.add(sensor)
    return UsdGeom.Xform(sensor.prim)


COMMANDS = {
    "IsaacSensorCreateContactSensor": create_contact_sensor,
    "IsaacSensorCreateImuSensor": create_imu_sensor,
}
"""Functions by the names of commands."""

__all__ = ["COMMANDS", "create_contact_sensor", "create_imu_sensor"]
