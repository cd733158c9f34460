"""Cameras, and what can be done with their pictures."""

from phalanx.facade.isaaclab.sensors.camera.camera import Camera
from phalanx.facade.isaaclab.sensors.camera.camera_cfg import CameraCfg
from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData
from phalanx.facade.isaaclab.sensors.camera.tiled_camera import TiledCamera
from phalanx.facade.isaaclab.sensors.camera.tiled_camera_cfg import TiledCameraCfg
from phalanx.facade.isaaclab.sensors.camera.utils import *  # noqa: F403

__all__ = ["Camera", "CameraCfg", "CameraData", "TiledCamera", "TiledCameraCfg"]
