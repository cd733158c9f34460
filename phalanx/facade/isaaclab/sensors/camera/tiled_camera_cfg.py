"""Configuration of tiled cameras."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.sensors.camera.camera_cfg import CameraCfg
from phalanx.facade.isaaclab.sensors.camera.tiled_camera import TiledCamera
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class TiledCameraCfg(CameraCfg):
    """Configuration of a tiled camera; the same as that of a camera."""

    class_type: Any = TiledCamera
