"""What scripts import as ``isaaclab.terrains``: what environments stand on.

A :class:`TerrainImporter` puts a plane, a file or a generated terrain on the stage. A :class:`TerrainGenerator` makes
one mesh of sub-terrains in rows and columns, each of which a function makes from its configuration: as triangles
(:mod:`.trimesh`) or from a grid of heights (:mod:`.height_field`).
"""

from phalanx.facade.isaaclab.terrains.height_field import (
    HfDiscreteObstaclesTerrainCfg,
    HfInvertedPyramidSlopedTerrainCfg,
    HfInvertedPyramidStairsTerrainCfg,
    HfPyramidSlopedTerrainCfg,
    HfPyramidStairsTerrainCfg,
    HfRandomUniformTerrainCfg,
    HfSteppingStonesTerrainCfg,
    HfTerrainBaseCfg,
    HfWaveTerrainCfg,
)
from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import FlatPatchSamplingCfg, SubTerrainBaseCfg
from phalanx.facade.isaaclab.terrains.terrain_generator import TerrainGenerator
from phalanx.facade.isaaclab.terrains.terrain_generator_cfg import TerrainGeneratorCfg
from phalanx.facade.isaaclab.terrains.terrain_importer import TerrainImporter
from phalanx.facade.isaaclab.terrains.terrain_importer_cfg import TerrainImporterCfg
from phalanx.facade.isaaclab.terrains.trimesh import (
    MeshBoxTerrainCfg,
    MeshFloatingRingTerrainCfg,
    MeshGapTerrainCfg,
    MeshInvertedPyramidStairsTerrainCfg,
    MeshPitTerrainCfg,
    MeshPlaneTerrainCfg,
    MeshPyramidStairsTerrainCfg,
    MeshRailsTerrainCfg,
    MeshRandomGridTerrainCfg,
    MeshRepeatedBoxesTerrainCfg,
    MeshRepeatedCylindersTerrainCfg,
    MeshRepeatedObjectsTerrainCfg,
    MeshRepeatedPyramidsTerrainCfg,
    MeshStarTerrainCfg,
)
from phalanx.facade.isaaclab.terrains.utils import color_meshes_by_height, create_prim_from_mesh, find_flat_patches

__all__ = [
    "FlatPatchSamplingCfg",
    "HfDiscreteObstaclesTerrainCfg",
    "HfInvertedPyramidSlopedTerrainCfg",
    "HfInvertedPyramidStairsTerrainCfg",
    "HfPyramidSlopedTerrainCfg",
    "HfPyramidStairsTerrainCfg",
    "HfRandomUniformTerrainCfg",
    "HfSteppingStonesTerrainCfg",
    "HfTerrainBaseCfg",
    "HfWaveTerrainCfg",
    "MeshBoxTerrainCfg",
    "MeshFloatingRingTerrainCfg",
    "MeshGapTerrainCfg",
    "MeshInvertedPyramidStairsTerrainCfg",
    "MeshPitTerrainCfg",
    "MeshPlaneTerrainCfg",
    "MeshPyramidStairsTerrainCfg",
    "MeshRailsTerrainCfg",
    "MeshRandomGridTerrainCfg",
    "MeshRepeatedBoxesTerrainCfg",
    "MeshRepeatedCylindersTerrainCfg",
    "MeshRepeatedObjectsTerrainCfg",
    "MeshRepeatedPyramidsTerrainCfg",
    "MeshStarTerrainCfg",
    "SubTerrainBaseCfg",
    "TerrainGenerator",
    "TerrainGeneratorCfg",
    "TerrainImporter",
    "TerrainImporterCfg",
    "color_meshes_by_height",
    "create_prim_from_mesh",
    "find_flat_patches",
]
