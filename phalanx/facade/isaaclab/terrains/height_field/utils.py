"""Grids of heights as meshes."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.models.meshes.height_fields import grid_triangles

if TYPE_CHECKING:
    import trimesh

    from phalanx.facade.isaaclab.terrains.height_field.hf_terrains_cfg import HfTerrainBaseCfg

AROUND = 1.0
"""m: an environment's origin is as high as the highest point this near to the middle, along x and y."""


def pixels(length: float, scale: float) -> int:
    """How many steps of a grid a length has, rounded down but for errors of rounding."""
    return int(length / scale + 1e-6)


def height_field_to_mesh(func: Callable[[float, Any], np.ndarray]) -> Callable[[float, Any], tuple[list[Any], Any]]:
    """Make a function of heights one of sub-terrains.

    Args:
        func: from a difficulty and a configuration, whose ``size`` is then without the border, to whole heights
            (nx, ny) in units of ``vertical_scale``, a point for each ``horizontal_scale``.

    Returns:
        A function from a difficulty and a configuration to a list of one mesh, from the corner (0, 0) to the
        configuration's size, and its origin (3,), m. The border is flat, at height 0, and at least
        ``horizontal_scale`` wide. The function raises ``ValueError`` if a border is narrower than that, but not zero.
    """

    @functools.wraps(func)
    def wrapper(difficulty: float, cfg: HfTerrainBaseCfg) -> tuple[list[trimesh.Trimesh], np.ndarray]:
        import trimesh

        scale = cfg.horizontal_scale
        if 0.0 < cfg.border_width < scale:
            raise ValueError(
                f"The border width ({cfg.border_width}) must be greater than or equal to the"
                f" horizontal scale ({scale})."
            )
        count = [pixels(length, scale) + 1 for length in cfg.size]
        border = pixels(cfg.border_width, scale) + 1
        inner = [n - 2 * border for n in count]
        if min(inner) < 1:
            raise ValueError(f"A border of {cfg.border_width} m leaves nothing of {cfg.size} m: make it narrower.")
        within = copy.copy(cfg)
        within.size = (inner[0] * scale, inner[1] * scale)
        heights = np.zeros(count)
        heights[border:-border, border:-border] = np.rint(func(difficulty, within))
        vertices, faces = convert_height_field_to_mesh(heights, scale, cfg.vertical_scale, cfg.slope_threshold)
        made = trimesh.Trimesh(vertices, faces, process=False)
        near = [slice(max(pixels(0.5 * n - AROUND, scale), 0), pixels(0.5 * n + AROUND, scale)) for n in cfg.size]
        origin = np.array([0.5 * cfg.size[0], 0.5 * cfg.size[1], heights[near[0], near[1]].max() * cfg.vertical_scale])
        return [made], origin

    return wrapper


def convert_height_field_to_mesh(
    height_field: np.ndarray, horizontal_scale: float, vertical_scale: float, slope_threshold: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (n, 3), m, and triangles (m, 3) of a grid of heights; the first height is at x = y = 0.

    Args:
        height_field: (nx, ny), in units of ``vertical_scale``.
        horizontal_scale: distance of the points, m.
        vertical_scale: m.
        slope_threshold: where a height and its neighbour's differ by more than this share of their distance, the lower
            point moves below the higher one, so that the slope becomes a wall; ``None`` leaves slopes as they are, and
            so stay some where steep places meet, and the edge of the grid, lest there be holes.
    """
    heights = np.asarray(height_field, float)
    vertices, faces = grid_triangles(heights * vertical_scale, (horizontal_scale, horizontal_scale))
    vertices -= vertices[0] * (1, 1, 0)
    if slope_threshold is None:
        return vertices, faces
    moved = _towards_walls(heights, slope_threshold * horizontal_scale / vertical_scale).reshape(-1, 2)
    places = vertices[:, :2] / horizontal_scale
    while (folded := _seen_from_below(places + moved, faces)).any():  # fewer points move each time
        moved[np.unique(faces[folded])] = 0.0
    vertices[:, :2] += moved * horizontal_scale
    corners = vertices[faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return vertices, faces[areas > 1e-9 * horizontal_scale**2]  # where points meet, triangles have no area


def _towards_walls(heights: np.ndarray, most: float) -> np.ndarray:
    """(nx, ny, 2): by how many points each one moves along x and y, -1, 0 or 1."""
    nx, ny = heights.shape
    moved = np.zeros((nx, ny, 2))
    for axis, along in enumerate((heights, heights.T)):
        step = np.diff(along, axis=0)
        into = np.zeros(along.shape)
        into[:-1] += step > most
        into[1:] -= step < -most
        moved[..., axis] = into if axis == 0 else into.T
    # Points that only have a steep slope to a diagonal neighbour go there.
    step = heights[1:, 1:] - heights[:-1, :-1]
    corner = np.zeros((nx, ny))
    corner[:-1, :-1] += step > most
    corner[1:, 1:] -= step < -most
    moved = np.where(moved == 0.0, corner[..., None], moved)
    moved[[0, -1], :, 0] = 0.0
    moved[:, [0, -1], 1] = 0.0
    return moved


def _seen_from_below(places: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """(m,): which triangles on places (n, 2) have their backs up."""
    a, b, c = places[faces[:, 0]], places[faces[:, 1]], places[faces[:, 2]]
    u, v = b - a, c - a
    return u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0] < -1e-9


__all__ = ["convert_height_field_to_mesh", "height_field_to_mesh", "pixels"]
