"""Configuration of generated terrains."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import FlatPatchSamplingCfg, SubTerrainBaseCfg
from phalanx.facade.isaaclab.terrains.terrain_generator import TerrainGenerator
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class TerrainGeneratorCfg:
    """Sub-terrains in rows along x and columns along y, about the world's origin, with a border around."""

    class_type: Any = TerrainGenerator
    """The class of the generator."""

    seed: int | None = None
    """Of all random numbers; ``None`` takes the seed that NumPy's state has, so that ``numpy.random.seed`` counts."""

    curriculum: bool = False
    """Whether difficulty grows from row to row and columns have one kind each; else both are drawn at random."""

    size: tuple[float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Of a sub-terrain along x and y, m."""

    border_width: float = 0.0
    """Of the flat border around all of them, m."""

    border_height: float = 1.0
    """m. The border is flat, at height 0; a negative number makes it a wall as high as that."""

    num_rows: int = 1
    """Number of sub-terrains along x, the levels."""

    num_cols: int = 1
    """Number of sub-terrains along y, the types."""

    color_scheme: Literal["height", "random", "none"] = "none"
    """Colours of vertices: by height, at random, or none."""

    horizontal_scale: float = 0.1
    """Distance of the heights of height fields, m."""

    vertical_scale: float = 0.005
    """Unit of the heights of height fields, m."""

    slope_threshold: float | None = 0.75
    """Slopes of height fields beyond which they become vertical; ``None`` leaves them."""

    sub_terrains: dict[str, SubTerrainBaseCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """What there is, by name."""

    difficulty_range: tuple[float, float] = (0.0, 1.0)
    """The least and the greatest difficulty."""

    use_cache: bool = False
    """Whether to keep sub-terrains in files, and to take them from there; to be used with a seed."""

    cache_dir: str = "/tmp/isaaclab/terrains"
    """The folder of these files."""


__all__ = ["FlatPatchSamplingCfg", "SubTerrainBaseCfg", "TerrainGeneratorCfg"]
