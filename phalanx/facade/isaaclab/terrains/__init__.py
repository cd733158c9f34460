"""What scripts import as ``isaaclab.terrains``: planes; generated terrains and files are not built yet."""

from phalanx.facade.isaaclab.terrains.terrain_importer import TerrainImporter
from phalanx.facade.isaaclab.terrains.terrain_importer_cfg import TerrainImporterCfg

__all__ = ["TerrainImporter", "TerrainImporterCfg"]
