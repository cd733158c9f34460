"""Configuration of terrains."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners import PreviewSurfaceCfg, RigidBodyMaterialCfg, VisualMaterialCfg
from phalanx.facade.isaaclab.terrains.terrain_generator_cfg import TerrainGeneratorCfg
from phalanx.facade.isaaclab.terrains.terrain_importer import TerrainImporter
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class TerrainImporterCfg:
    """What environments stand on. Scenes give it their number of environments and spacing."""

    class_type: Any = TerrainImporter
    """The class of the terrain."""
    collision_group: int = -1
    """-1: all environments meet it."""
    prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """Path of the prim below which it is put."""
    num_envs: int = 1
    """Number of environments."""
    terrain_type: Literal["generator", "plane", "usd"] = "generator"
    """What it is: generated, a plane, or a file."""
    terrain_generator: TerrainGeneratorCfg | None = None
    """What is generated, for "generator"."""
    usd_path: str | None = None
    """Its file, for "usd"."""
    env_spacing: float | None = None
    """Distance between environments that stand in a grid, m."""
    use_terrain_origins: bool = True
    """Whether environments stand where a generated terrain has them; planes and files have a grid in any case."""
    visual_material: VisualMaterialCfg | None = PreviewSurfaceCfg(diffuse_color=(0.065, 0.0725, 0.080))
    """How it looks; planes have the colour of the ground, files their own."""
    physics_material: RigidBodyMaterialCfg = RigidBodyMaterialCfg()
    """Its friction and restitution; files have their own."""
    max_init_terrain_level: int | None = None
    """The highest row of a generated terrain that environments start on; ``None`` is the last."""
    debug_vis: bool = False
    """Whether to show the origins."""
