"""What scripts import as ``isaacsim.sensors.physics``: sensors of motion, of contact and of what joints transmit."""

from phalanx.facade.isaacsim.sensors.physics.contact_sensor import ContactSensor
from phalanx.facade.isaacsim.sensors.physics.effort_sensor import EffortSensor, EsSensorReading
from phalanx.facade.isaacsim.sensors.physics.imu_sensor import IMUSensor

__all__ = ["ContactSensor", "EffortSensor", "EsSensorReading", "IMUSensor"]
