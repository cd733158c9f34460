"""The older place of ``isaacsim.core.api.sensors.BaseSensor``."""

from phalanx.facade.isaacsim.core.api.sensors.base_sensor import BaseSensor

__all__ = ["BaseSensor"]
