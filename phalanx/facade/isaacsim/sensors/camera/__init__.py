"""What scripts import as ``isaacsim.sensors.camera``: cameras, one by one and many at once."""

from phalanx.facade.isaacsim.sensors.camera.camera import Camera, get_all_camera_objects
from phalanx.facade.isaacsim.sensors.camera.camera_view import CameraView

__all__ = ["Camera", "CameraView", "get_all_camera_objects"]
