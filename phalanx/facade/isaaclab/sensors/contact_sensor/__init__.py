"""Contact sensors."""

from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor import ContactSensor
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor_cfg import ContactSensorCfg
from phalanx.facade.isaaclab.sensors.contact_sensor.contact_sensor_data import ContactSensorData

__all__ = ["ContactSensor", "ContactSensorCfg", "ContactSensorData"]
