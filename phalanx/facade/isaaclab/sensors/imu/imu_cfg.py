"""Configuration of inertial measurement units."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

from phalanx.facade.isaaclab.markers import VisualizationMarkersCfg
from phalanx.facade.isaaclab.markers.config import RED_ARROW_X_MARKER_CFG
from phalanx.facade.isaaclab.sensors.imu.imu import Imu
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ImuCfg(SensorBaseCfg):
    """Configuration of an inertial measurement unit; its prims are rigid bodies."""

    @configclass
    class OffsetCfg:
        """Where the sensor is, in the body's frame."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m."""
        rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        """(w, x, y, z)."""

    class_type: Any = Imu
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Where the sensor is on its body."""
    visualizer_cfg: VisualizationMarkersCfg = replace(RED_ARROW_X_MARKER_CFG, prim_path="/Visuals/Imu")
    """Markers of the acceleration."""
    gravity_bias: tuple[float, float, float] = (0.0, 0.0, 9.81)
    """m/s^2, world axes: what is added to accelerations. Units measure forces, so that at rest they read what holds
    them up."""
