"""Cameras, and what can be done with their pictures."""

from phalanx.facade.isaaclab.sensors.camera.camera_data import CameraData

__all__ = ["CameraData"]
