"""Shapes as triangle meshes."""

from phalanx.facade.isaaclab.sim.spawners.meshes.meshes import (
    spawn_mesh_capsule,
    spawn_mesh_cone,
    spawn_mesh_cuboid,
    spawn_mesh_cylinder,
    spawn_mesh_sphere,
)
from phalanx.facade.isaaclab.sim.spawners.meshes.meshes_cfg import (
    MeshCapsuleCfg,
    MeshCfg,
    MeshConeCfg,
    MeshCuboidCfg,
    MeshCylinderCfg,
    MeshSphereCfg,
)

__all__ = [
    "MeshCapsuleCfg",
    "MeshCfg",
    "MeshConeCfg",
    "MeshCuboidCfg",
    "MeshCylinderCfg",
    "MeshSphereCfg",
    "spawn_mesh_capsule",
    "spawn_mesh_cone",
    "spawn_mesh_cuboid",
    "spawn_mesh_cylinder",
    "spawn_mesh_sphere",
]
