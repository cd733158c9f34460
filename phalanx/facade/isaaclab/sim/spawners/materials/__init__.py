"""Materials: how things look, and how they touch."""

from phalanx.facade.isaaclab.sim.spawners.materials.physics_materials import (
    spawn_deformable_body_material,
    spawn_rigid_body_material,
)
from phalanx.facade.isaaclab.sim.spawners.materials.physics_materials_cfg import (
    DeformableBodyMaterialCfg,
    PhysicsMaterialCfg,
    RigidBodyMaterialCfg,
)
from phalanx.facade.isaaclab.sim.spawners.materials.visual_materials import spawn_from_mdl_file, spawn_preview_surface
from phalanx.facade.isaaclab.sim.spawners.materials.visual_materials_cfg import (
    GlassMdlCfg,
    MdlFileCfg,
    PreviewSurfaceCfg,
    VisualMaterialCfg,
)

__all__ = [
    "DeformableBodyMaterialCfg",
    "GlassMdlCfg",
    "MdlFileCfg",
    "PhysicsMaterialCfg",
    "PreviewSurfaceCfg",
    "RigidBodyMaterialCfg",
    "VisualMaterialCfg",
    "spawn_deformable_body_material",
    "spawn_from_mdl_file",
    "spawn_preview_surface",
    "spawn_rigid_body_material",
]
