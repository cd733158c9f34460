"""Patterns of rays: where they start and where they go in the sensor's frame."""

from phalanx.facade.isaaclab.sensors.ray_caster.patterns.patterns import (
    bpearl_pattern,
    grid_pattern,
    lidar_pattern,
    pinhole_camera_pattern,
)
from phalanx.facade.isaaclab.sensors.ray_caster.patterns.patterns_cfg import (
    BpearlPatternCfg,
    GridPatternCfg,
    LidarPatternCfg,
    PatternBaseCfg,
    PinholeCameraPatternCfg,
)

__all__ = [
    "BpearlPatternCfg",
    "GridPatternCfg",
    "LidarPatternCfg",
    "PatternBaseCfg",
    "PinholeCameraPatternCfg",
    "bpearl_pattern",
    "grid_pattern",
    "lidar_pattern",
    "pinhole_camera_pattern",
]
