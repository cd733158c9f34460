"""Primitive shapes."""

from phalanx.facade.isaaclab.sim.spawners.shapes.shapes import (
    spawn_capsule,
    spawn_cone,
    spawn_cuboid,
    spawn_cylinder,
    spawn_sphere,
)
from phalanx.facade.isaaclab.sim.spawners.shapes.shapes_cfg import (
    CapsuleCfg,
    ConeCfg,
    CuboidCfg,
    CylinderCfg,
    ShapeCfg,
    SphereCfg,
)

__all__ = [
    "CapsuleCfg",
    "ConeCfg",
    "CuboidCfg",
    "CylinderCfg",
    "ShapeCfg",
    "SphereCfg",
    "spawn_capsule",
    "spawn_cone",
    "spawn_cuboid",
    "spawn_cylinder",
    "spawn_sphere",
]
