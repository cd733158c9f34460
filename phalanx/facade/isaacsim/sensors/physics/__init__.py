"""What scripts import as ``isaacsim.sensors.physics``: sensors of motion and of contact."""

from phalanx.facade.isaacsim.sensors.physics.contact_sensor import ContactSensor
from phalanx.facade.isaacsim.sensors.physics.imu_sensor import IMUSensor

__all__ = ["ContactSensor", "IMUSensor"]
