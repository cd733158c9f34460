"""Functions that make sub-terrains from grids of heights.

Each takes a difficulty, 0 to 1, and its configuration. Decorated by :func:`.utils.height_field_to_mesh`, they return a
list of one mesh, and the place (3,) on it that environments have as their origin, m. What a range of the configuration
gives grows with the difficulty unless said otherwise. Random numbers are NumPy's global ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phalanx.facade.isaaclab.terrains.height_field.utils import height_field_to_mesh, pixels
from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import between

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.terrains.height_field import hf_terrains_cfg

NEAR = 4
"""Sizes and places of obstacles are multiples of so many points."""


@height_field_to_mesh
def random_uniform_terrain(difficulty: float, cfg: hf_terrains_cfg.HfRandomUniformTerrainCfg) -> np.ndarray:
    """Heights drawn from a range on a grid, and between its points in proportion; the difficulty does not matter.

    Raises:
        ValueError: that grid is finer than that of the terrain.
    """
    from scipy.ndimage import map_coordinates

    coarse = cfg.horizontal_scale if cfg.downsampled_scale is None else cfg.downsampled_scale
    if coarse < cfg.horizontal_scale:
        raise ValueError(
            "Downsampled scale must be larger than or equal to the horizontal scale:"
            f" {cfg.downsampled_scale} < {cfg.horizontal_scale}."
        )
    width, length = _points(cfg)
    low, high = (round(limit / cfg.vertical_scale) for limit in cfg.noise_range)
    choices = np.arange(low, high + 1, max(round(cfg.noise_step / cfg.vertical_scale), 1))
    drawn = np.random.choice(choices, [max(pixels(size, coarse), 2) for size in cfg.size])
    grids = [np.linspace(0.0, n - 1, m) for n, m in zip(drawn.shape, (width, length), strict=True)]
    return map_coordinates(drawn.astype(float), np.meshgrid(*grids, indexing="ij"), order=1)


@height_field_to_mesh
def pyramid_sloped_terrain(difficulty: float, cfg: hf_terrains_cfg.HfPyramidSlopedTerrainCfg) -> np.ndarray:
    """Slopes up to a platform, or down if they are inverted.

    The height is the product of what rises along x and along y: the slope holds on the middle lines, and gets less
    steep towards the corners. It ends where it has reached the corner of the platform.
    """
    slope = between(cfg.slope_range, difficulty) * (-1.0 if cfg.inverted else 1.0)
    counts = _points(cfg)
    rise = [1.0 - np.abs(np.arange(n) - n // 2) / (n // 2) for n in counts]
    top = slope * 0.5 * cfg.size[0] / cfg.vertical_scale
    heights = top * np.outer(*rise)
    corner = [max(n // 2 - pixels(0.5 * cfg.platform_width, cfg.horizontal_scale), 0) for n in counts]
    level = heights[corner[0], corner[1]]
    return np.clip(heights, min(0.0, level), max(0.0, level))


@height_field_to_mesh
def pyramid_stairs_terrain(difficulty: float, cfg: hf_terrains_cfg.HfPyramidStairsTerrainCfg) -> np.ndarray:
    """Square stairs up to a platform, or down if they are inverted."""
    height = between(cfg.step_height_range, difficulty) * (-1.0 if cfg.inverted else 1.0) / cfg.vertical_scale
    step, platform = (pixels(length, cfg.horizontal_scale) for length in (cfg.step_width, cfg.platform_width))
    if step < 1:
        raise ValueError(f"step_width={cfg.step_width} m is less than horizontal_scale={cfg.horizontal_scale} m.")
    counts = _points(cfg)
    most = max((min(counts) - platform + 2 * step - 1) // (2 * step), 0)  # as long as what is left exceeds the platform
    number = [np.minimum(np.arange(n), np.arange(n)[::-1]) // step for n in counts]
    return int(height) * np.minimum(np.minimum.outer(*number), most)


@height_field_to_mesh
def discrete_obstacles_terrain(difficulty: float, cfg: hf_terrains_cfg.HfDiscreteObstaclesTerrainCfg) -> np.ndarray:
    """Level rectangles, up or down, at random places on a plane, with a platform at height 0.

    Where they overlap, the last one counts.
    """
    height = int(between(cfg.obstacle_height_range, difficulty) / cfg.vertical_scale)
    if cfg.obstacle_height_mode not in ("choice", "fixed"):
        raise ValueError(f"Unknown obstacle height mode '{cfg.obstacle_height_mode}'. Must be 'choice' or 'fixed'.")
    tops = [height] if cfg.obstacle_height_mode == "fixed" else [-height, -(height // 2), height // 2, height]
    counts = _points(cfg)
    low, high = (pixels(width, cfg.horizontal_scale) for width in cfg.obstacle_width_range)
    sizes = np.arange(low, max(high, low + 1), NEAR)
    heights = np.zeros(counts)
    for _ in range(cfg.num_obstacles):
        top = np.random.choice(tops)
        size = np.random.choice(sizes, 2)
        start = [min(np.random.choice(np.arange(0, n, NEAR)), max(n - s, 0)) for n, s in zip(counts, size, strict=True)]
        heights[start[0] : start[0] + size[0], start[1] : start[1] + size[1]] = top
    _flatten_middle(heights, cfg)
    return heights


@height_field_to_mesh
def wave_terrain(difficulty: float, cfg: hf_terrains_cfg.HfWaveTerrainCfg) -> np.ndarray:
    """A sine along x and a cosine along y, added; the amplitude is that of their sum, so that it reaches from minus to
    plus that.

    Raises:
        ValueError: there is no wave.
    """
    if cfg.num_waves < 1:
        raise ValueError(f"Number of waves must be a positive integer. Got: {cfg.num_waves}.")
    amplitude = 0.5 * between(cfg.amplitude_range, difficulty) / cfg.vertical_scale
    x, y = (2.0 * np.pi * cfg.num_waves * np.arange(n) / n for n in _points(cfg))
    return amplitude * np.add.outer(np.sin(x), np.cos(y))


@height_field_to_mesh
def stepping_stones_terrain(difficulty: float, cfg: hf_terrains_cfg.HfSteppingStonesTerrainCfg) -> np.ndarray:
    """Square stones in rows over deep holes, each row shifted at random, and a platform at height 0.

    Stones get smaller, and distances greater, with the difficulty.
    """
    width = cfg.stone_width_range[1] - difficulty * (cfg.stone_width_range[1] - cfg.stone_width_range[0])
    stone = max(pixels(width, cfg.horizontal_scale), 1)
    apart = pixels(between(cfg.stone_distance_range, difficulty), cfg.horizontal_scale)
    most = int(cfg.stone_height_max / cfg.vertical_scale)
    counts = _points(cfg)
    heights = np.full(counts, float(int(cfg.holes_depth / cfg.vertical_scale)))
    rows = heights if counts[1] >= counts[0] else heights.T  # rows lie across the shorter side
    period, length = stone + apart, rows.shape[1]
    for start in range(0, rows.shape[0], period):
        shift = np.random.randint(0, period)
        for first in range(-shift, length, period):
            end = first + stone
            if end > 0:
                rows[start : start + stone, max(first, 0) : end] = np.random.randint(-most, most + 1)
    _flatten_middle(heights, cfg)
    return heights


def _points(cfg: hf_terrains_cfg.HfTerrainBaseCfg) -> tuple[int, int]:
    """Number of heights along x and y."""
    return pixels(cfg.size[0], cfg.horizontal_scale), pixels(cfg.size[1], cfg.horizontal_scale)


def _flatten_middle(heights: np.ndarray, cfg: hf_terrains_cfg.HfTerrainBaseCfg) -> None:
    """Put the platform, at height 0, into heights."""
    platform = pixels(cfg.platform_width, cfg.horizontal_scale)  # pyright: ignore[reportAttributeAccessIssue]
    low = [max((n - platform) // 2, 0) for n in heights.shape]
    high = [(n + platform) // 2 for n in heights.shape]
    heights[low[0] : high[0], low[1] : high[1]] = 0.0


__all__ = [
    "discrete_obstacles_terrain",
    "pyramid_sloped_terrain",
    "pyramid_stairs_terrain",
    "random_uniform_terrain",
    "stepping_stones_terrain",
    "wave_terrain",
]
