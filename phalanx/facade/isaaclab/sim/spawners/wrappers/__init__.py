"""Different assets in different environments."""

from phalanx.facade.isaaclab.sim.spawners.wrappers.wrappers import spawn_multi_asset, spawn_multi_usd_file
from phalanx.facade.isaaclab.sim.spawners.wrappers.wrappers_cfg import MultiAssetSpawnerCfg, MultiUsdFileCfg

__all__ = ["MultiAssetSpawnerCfg", "MultiUsdFileCfg", "spawn_multi_asset", "spawn_multi_usd_file"]
