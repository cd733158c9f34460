"""What scripts import as ``isaacsim.sensors.physx``: sensors whose rays meet what collides."""

from phalanx.facade.isaacsim.sensors.physx.rotating_lidar_physX import RotatingLidarPhysX

__all__ = ["RotatingLidarPhysX"]
