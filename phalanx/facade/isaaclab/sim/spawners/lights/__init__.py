"""Lights."""

from phalanx.facade.isaaclab.sim.spawners.lights.lights import spawn_light
from phalanx.facade.isaaclab.sim.spawners.lights.lights_cfg import (
    CylinderLightCfg,
    DiskLightCfg,
    DistantLightCfg,
    DomeLightCfg,
    LightCfg,
    SphereLightCfg,
)

__all__ = [
    "CylinderLightCfg",
    "DiskLightCfg",
    "DistantLightCfg",
    "DomeLightCfg",
    "LightCfg",
    "SphereLightCfg",
    "spawn_light",
]
