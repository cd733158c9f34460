"""Configurations of sub-terrains from grids of heights; see :mod:`.hf_terrains` for what they look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.terrains.height_field import hf_terrains
from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import Range, SubTerrainBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass

# pyright: reportAssignmentType=false


@configclass
class HfTerrainBaseCfg(SubTerrainBaseCfg):
    """What all of them have in common. Generators set the scales and the threshold to theirs."""

    border_width: float = 0.0
    """Of the flat border, part of the size, m; zero or at least ``horizontal_scale``."""

    horizontal_scale: float = 0.1
    """Distance of the heights along x and y, m."""

    vertical_scale: float = 0.005
    """Unit of the heights, m."""

    slope_threshold: float | None = None
    """Slopes beyond which they become vertical; ``None`` leaves them."""


@configclass
class HfRandomUniformTerrainCfg(HfTerrainBaseCfg):
    """Heights at random."""

    function: Callable[..., Any] = hf_terrains.random_uniform_terrain

    noise_range: Range = MISSING
    """The least and the greatest height, m."""

    noise_step: float = MISSING
    """Between two heights that may be drawn, m."""

    downsampled_scale: float | None = None
    """Distance of the heights that are drawn, m; ``None`` is ``horizontal_scale``."""


@configclass
class HfPyramidSlopedTerrainCfg(HfTerrainBaseCfg):
    """Slopes up to a platform."""

    function: Callable[..., Any] = hf_terrains.pyramid_sloped_terrain

    slope_range: Range = MISSING
    """Height gained per length, from the sides to the middle along the middle lines."""

    platform_width: float = 1.0
    """Of the platform in the middle, m."""

    inverted: bool = False
    """Whether they go down instead."""


@configclass
class HfInvertedPyramidSlopedTerrainCfg(HfPyramidSlopedTerrainCfg):
    """Slopes down to a platform."""

    inverted: bool = True
    """Whether they go down."""


@configclass
class HfPyramidStairsTerrainCfg(HfTerrainBaseCfg):
    """Stairs up to a platform."""

    function: Callable[..., Any] = hf_terrains.pyramid_stairs_terrain

    step_height_range: Range = MISSING
    """Of a step, m."""

    step_width: float = MISSING
    """Of a step, m."""

    platform_width: float = 1.0
    """At most of the platform in the middle, m."""

    inverted: bool = False
    """Whether they go down instead."""


@configclass
class HfInvertedPyramidStairsTerrainCfg(HfPyramidStairsTerrainCfg):
    """Stairs down to a platform."""

    inverted: bool = True
    """Whether they go down."""


@configclass
class HfDiscreteObstaclesTerrainCfg(HfTerrainBaseCfg):
    """Level rectangles at random places."""

    function: Callable[..., Any] = hf_terrains.discrete_obstacles_terrain

    obstacle_height_mode: str = "choice"
    """``"choice"``: each is as high as that or half of it, or as deep; ``"fixed"``: all are as high as that."""

    obstacle_width_range: Range = MISSING
    """Along x and along y, m."""

    obstacle_height_range: Range = MISSING
    """Of the greatest height, m."""

    num_obstacles: int = MISSING
    """How many."""

    platform_width: float = 1.0
    """Of the flat place in the middle, m."""


@configclass
class HfWaveTerrainCfg(HfTerrainBaseCfg):
    """Waves along x and y."""

    function: Callable[..., Any] = hf_terrains.wave_terrain

    amplitude_range: Range = MISSING
    """Of both waves together, m."""

    num_waves: int = 1
    """Number of periods along each axis."""


@configclass
class HfSteppingStonesTerrainCfg(HfTerrainBaseCfg):
    """Stones over holes."""

    function: Callable[..., Any] = hf_terrains.stepping_stones_terrain

    stone_height_max: float = MISSING
    """Most height and depth of a stone, m."""

    stone_width_range: Range = MISSING
    """Of a stone, m; the smaller, the more difficult."""

    stone_distance_range: Range = MISSING
    """Between stones, m."""

    holes_depth: float = -10.0
    """Height of the holes, m."""

    platform_width: float = 1.0
    """Of the flat place in the middle, m."""


__all__ = [
    "HfDiscreteObstaclesTerrainCfg",
    "HfInvertedPyramidSlopedTerrainCfg",
    "HfInvertedPyramidStairsTerrainCfg",
    "HfPyramidSlopedTerrainCfg",
    "HfPyramidStairsTerrainCfg",
    "HfRandomUniformTerrainCfg",
    "HfSteppingStonesTerrainCfg",
    "HfTerrainBaseCfg",
    "HfWaveTerrainCfg",
]
