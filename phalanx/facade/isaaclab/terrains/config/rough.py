"""Rough terrains for locomotion."""

from phalanx.facade.isaaclab.terrains.height_field import (
    HfInvertedPyramidSlopedTerrainCfg,
    HfPyramidSlopedTerrainCfg,
    HfRandomUniformTerrainCfg,
)
from phalanx.facade.isaaclab.terrains.terrain_generator_cfg import TerrainGeneratorCfg
from phalanx.facade.isaaclab.terrains.trimesh import (
    MeshInvertedPyramidStairsTerrainCfg,
    MeshPyramidStairsTerrainCfg,
    MeshRandomGridTerrainCfg,
)

_STAIRS = {"step_height_range": (0.05, 0.23), "step_width": 0.3, "platform_width": 3.0, "border_width": 1.0}
_SLOPE = {"slope_range": (0.0, 0.4), "platform_width": 2.0, "border_width": 0.25}

ROUGH_TERRAINS_CFG = TerrainGeneratorCfg(
    size=(8.0, 8.0),
    border_width=20.0,
    num_rows=10,
    num_cols=20,
    horizontal_scale=0.1,
    vertical_scale=0.005,
    slope_threshold=0.75,
    use_cache=False,
    sub_terrains={
        "pyramid_stairs": MeshPyramidStairsTerrainCfg(proportion=0.2, **_STAIRS),
        "pyramid_stairs_inv": MeshInvertedPyramidStairsTerrainCfg(proportion=0.2, **_STAIRS),
        "boxes": MeshRandomGridTerrainCfg(
            proportion=0.2, grid_width=0.45, grid_height_range=(0.05, 0.2), platform_width=2.0
        ),
        "random_rough": HfRandomUniformTerrainCfg(
            proportion=0.2, noise_range=(0.02, 0.10), noise_step=0.02, border_width=0.25
        ),
        "hf_pyramid_slope": HfPyramidSlopedTerrainCfg(proportion=0.1, **_SLOPE),
        "hf_pyramid_slope_inv": HfInvertedPyramidSlopedTerrainCfg(proportion=0.1, **_SLOPE),
    },
)
"""Stairs up and down, boxes, noise, slopes up and down: 10 levels of 20 columns, each 8 x 8 m."""

__all__ = ["ROUGH_TERRAINS_CFG"]
