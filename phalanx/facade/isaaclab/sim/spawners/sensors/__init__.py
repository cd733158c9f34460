"""Cameras."""

from phalanx.facade.isaaclab.sim.spawners.sensors.sensors import spawn_camera
from phalanx.facade.isaaclab.sim.spawners.sensors.sensors_cfg import FisheyeCameraCfg, PinholeCameraCfg

__all__ = ["FisheyeCameraCfg", "PinholeCameraCfg", "spawn_camera"]
