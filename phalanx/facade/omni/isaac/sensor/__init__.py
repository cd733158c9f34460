"""What older scripts import as ``omni.isaac.sensor``: sensors that have packages of their own now."""

from phalanx.facade.isaacsim.sensors.camera import Camera, CameraView, get_all_camera_objects
from phalanx.facade.isaacsim.sensors.physics import ContactSensor, EffortSensor, IMUSensor
from phalanx.facade.isaacsim.sensors.physx import RotatingLidarPhysX

__all__ = [
    "Camera",
    "CameraView",
    "ContactSensor",
    "EffortSensor",
    "IMUSensor",
    "RotatingLidarPhysX",
    "get_all_camera_objects",
]
