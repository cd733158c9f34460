"""Functions that make sub-terrains of triangles.

Each takes a difficulty, 0 to 1, and its configuration, and returns a list of meshes, from the corner (0, 0) to the
configuration's ``size``, and the place (3,) on them that environments have as their origin: in the middle. Lengths are
in m. What a range of the configuration gives grows with the difficulty unless said otherwise.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from phalanx.facade.isaaclab.terrains.sub_terrain_cfg import between
from phalanx.facade.isaaclab.terrains.trimesh.repeated import repeated_objects_terrain
from phalanx.facade.isaaclab.terrains.trimesh.utils import (
    make_border,
    make_box,
    make_columns,
    make_plane,
    make_terraces,
)

if TYPE_CHECKING:
    import trimesh

    from phalanx.facade.isaaclab.terrains.trimesh import mesh_terrains_cfg

Made: TypeAlias = "tuple[list[trimesh.Trimesh], np.ndarray]"

DEPTH = 1.0
"""m: how deep what has no floor is."""


def flat_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshPlaneTerrainCfg) -> Made:
    """A plane at height 0, whatever the difficulty."""
    return [make_plane(cfg.size, 0.0, center_zero=False)], _origin(cfg, 0.0)


def pyramid_stairs_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshPyramidStairsTerrainCfg) -> Made:
    """Square stairs up to a platform; with ``holes``, only a cross of them as wide as the platform.

    Around them is the border at height 0. There is one step more than would leave the platform its width, if
    that leaves any platform.
    """
    return _stairs(cfg, between(cfg.step_height_range, difficulty))


def inverted_pyramid_stairs_terrain(
    difficulty: float, cfg: mesh_terrains_cfg.MeshInvertedPyramidStairsTerrainCfg
) -> Made:
    """Square stairs down to a platform; else as :func:`pyramid_stairs_terrain`."""
    return _stairs(cfg, -between(cfg.step_height_range, difficulty))


def random_grid_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshRandomGridTerrainCfg) -> Made:
    """Square cells of random heights, from minus to plus that of the configuration; a platform as high as that.

    With ``holes`` only cells of a cross as wide as the platform have a floor.

    Raises:
        ValueError: it is not square, or cells leave no border.
    """
    if cfg.size[0] != cfg.size[1]:
        raise ValueError(f"The terrain must be square. Received size: {cfg.size}.")
    size, height = cfg.size[0], between(cfg.grid_height_range, difficulty)
    count = int(size / cfg.grid_width)
    border = size - count * cfg.grid_width
    if not border > 0.0:
        raise ValueError("Border width must be greater than 0! Adjust the parameter 'cfg.grid_width'.")
    heights = np.random.uniform(-height, height, (count, count))
    edges = 0.5 * border + cfg.grid_width * np.arange(count + 1)
    holes = None
    if cfg.holes:
        off = np.abs(0.5 * (edges[1:] + edges[:-1]) - 0.5 * size) > 0.5 * cfg.platform_width
        holes = off[:, None] & off[None, :]
    middle = (0.5 * size, 0.5 * size)
    inner = (size - border, size - border)
    rim = make_terraces(middle, [cfg.size, inner], [0.0, 0.0])
    rim.update_faces(np.arange(len(rim.faces)) < 8)  # without what is within
    platform = make_box(cfg.platform_width, cfg.platform_width, DEPTH + height, (*middle, 0.5 * (height - DEPTH)))
    return [rim, make_columns(edges, edges, heights, 0.0, holes, DEPTH), platform], _origin(cfg, height)


def rails_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshRailsTerrainCfg) -> Made:
    """A plane with two square rails, around the platform and farther out. Rails get lower with the difficulty."""
    height = cfg.rail_height_range[1] - difficulty * (cfg.rail_height_range[1] - cfg.rail_height_range[0])
    width = cfg.platform_width
    second = width + 0.6 * (min(cfg.size) - width)
    sizes, levels = [cfg.size], [0.0]
    for inner, thickness in ((second, cfg.rail_thickness_range[1]), (width, cfg.rail_thickness_range[0])):
        sizes += [_both(inner + 2.0 * thickness), (inner, inner)]
        levels += [height, 0.0]
    return [make_terraces(_middle(cfg), sizes, levels)], _origin(cfg, 0.0)


def pit_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshPitTerrainCfg) -> Made:
    """A pit as wide as the platform, which is its floor; a double pit has a ledge half-way down, 0.5 m wide."""
    return _terraced(cfg, -between(cfg.pit_depth_range, difficulty), cfg.double_pit)


def box_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshBoxTerrainCfg) -> Made:
    """A box, whose top is the platform; a double box has a ledge half-way up, 0.5 m wide."""
    return _terraced(cfg, between(cfg.box_height_range, difficulty), cfg.double_box)


def gap_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshGapTerrainCfg) -> Made:
    """A gap without a floor around the platform."""
    gap, width, middle = between(cfg.gap_width_range, difficulty), cfg.platform_width, _middle(cfg)
    place = (*middle, -0.5 * DEPTH)
    around = make_border(cfg.size, _both(width + 2.0 * gap), DEPTH, place)
    return [*around, make_box(width, width, DEPTH, place)], _origin(cfg, 0.0)


def floating_ring_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshFloatingRingTerrainCfg) -> Made:
    """A square ring in the air around the platform, over a plane. It gets lower with the difficulty."""
    height = cfg.ring_height_range[1] - difficulty * (cfg.ring_height_range[1] - cfg.ring_height_range[0])
    width, inner = between(cfg.ring_width_range, difficulty), cfg.platform_width
    place = (*_middle(cfg), height + 0.5 * cfg.ring_thickness)
    ring = make_border(_both(inner + 2.0 * width), (inner, inner), cfg.ring_thickness, place)
    return [*ring, make_plane(cfg.size, 0.0, center_zero=False)], _origin(cfg, 0.0)


def star_terrain(difficulty: float, cfg: mesh_terrains_cfg.MeshStarTerrainCfg) -> Made:
    """Bars that cross in the platform, over a floor as far below as the bars are high. They get narrower.

    Raises:
        ValueError: there are fewer than two bars.
    """
    import trimesh

    if cfg.num_bars < 2:
        raise ValueError(f"The number of bars in the star must be greater than 2. Received: {cfg.num_bars}")
    height = between(cfg.bar_height_range, difficulty)
    width = cfg.bar_width_range[1] - difficulty * (cfg.bar_width_range[1] - cfg.bar_width_range[0])
    middle = _middle(cfg)
    inner = (cfg.size[0] - width, cfg.size[1] - width)
    made = [make_terraces(middle, [cfg.size, inner], [0.0, -height])]
    platform = trimesh.creation.cylinder(0.5 * cfg.platform_width, height, sections=40)
    platform.apply_translation((*middle, -0.5 * height))
    made.append(platform)
    for angle in math.pi * np.arange(cfg.num_bars) / cfg.num_bars:
        cosine, sine = abs(math.cos(angle)), abs(math.sin(angle))
        length = min(inner[k] / part if part > 1e-9 else math.inf for k, part in enumerate((cosine, sine)))
        bar = trimesh.creation.box((length, width, height))
        bar.apply_transform(trimesh.transformations.rotation_matrix(angle, (0, 0, 1)))
        bar.apply_translation((*middle, -0.5 * height))
        made.append(bar)
    return made, _origin(cfg, 0.0)


# -- inside ----------------------------------------------------------------------------------------------------------


def _middle(cfg: mesh_terrains_cfg.SubTerrainBaseCfg) -> tuple[float, float]:
    return 0.5 * cfg.size[0], 0.5 * cfg.size[1]


def _both(length: float) -> tuple[float, float]:
    return length, length


def _origin(cfg: mesh_terrains_cfg.SubTerrainBaseCfg, height: float) -> np.ndarray:
    return np.array([*_middle(cfg), height])


def _stairs(cfg: mesh_terrains_cfg.MeshPyramidStairsTerrainCfg, height: float) -> Made:
    """Stairs whose steps are as high as that, or go down if it is negative."""
    inside = [length - 2.0 * cfg.border_width for length in cfg.size]
    if not cfg.step_width > 0.0:
        raise ValueError(f"step_width={cfg.step_width} m must be positive.")
    fits = (min(inside) - cfg.platform_width) / (2.0 * cfg.step_width)
    count = math.floor(fits + 1e-6) + 1
    if min(inside) - 2.0 * count * cfg.step_width < 1e-6:
        count -= 1
    if count < 1:
        raise ValueError(
            f"Stairs of steps {cfg.step_width} m wide, with a border of {cfg.border_width} m and a platform of "
            f"{cfg.platform_width} m, do not fit on {cfg.size} m: make size larger, or one of them smaller."
        )
    sizes = [(inside[0] - 2.0 * k * cfg.step_width, inside[1] - 2.0 * k * cfg.step_width) for k in range(count + 1)]
    origin = _origin(cfg, (count + 1) * height)
    if not cfg.holes:
        levels = [0.0, *((k + 1) * height for k in range(count + 1))]
        return [make_terraces(_middle(cfg), [cfg.size, *sizes], levels)], origin
    x, y = (_edges([size[axis] for size in sizes], cfg.size[axis]) for axis in range(2))
    heights, holes = _cross(count, height)
    return [make_columns(x, y, heights, 0.0, holes, abs(origin[2]) + DEPTH)], origin


def _edges(sizes: list[float], length: float) -> np.ndarray:
    """Where steps along an axis begin and end, from one side of the terrain to the other."""
    half = 0.5 * np.array(sizes)
    return 0.5 * length + np.concatenate([-half, half[::-1]])


def _cross(count: int, height: float) -> tuple[np.ndarray, np.ndarray]:
    """Heights of the cells of stairs of that many steps, and which are holes: those that are on no middle line."""
    along = np.arange(2 * count + 1)
    step = np.minimum(along, along[::-1]) + 1
    off = along != count
    return np.minimum.outer(step, step) * height, off[:, None] & off[None, :]


def _terraced(cfg: mesh_terrains_cfg.SubTerrainBaseCfg, height: float, double: bool) -> Made:
    """A platform at a height, with a ledge half-way if it is double."""
    width = cfg.platform_width  # pyright: ignore[reportAttributeAccessIssue]
    sizes, levels = [cfg.size, (width, width)], [0.0, height]
    if double:
        sizes, levels = [cfg.size, _both(width + 1.0), (width, width)], [0.0, 0.5 * height, height]
    return [make_terraces(_middle(cfg), sizes, levels)], _origin(cfg, height)


__all__ = [
    "box_terrain",
    "flat_terrain",
    "floating_ring_terrain",
    "gap_terrain",
    "inverted_pyramid_stairs_terrain",
    "pit_terrain",
    "pyramid_stairs_terrain",
    "rails_terrain",
    "random_grid_terrain",
    "repeated_objects_terrain",
    "star_terrain",
]
