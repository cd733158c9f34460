"""Height fields: a grid of heights over local x and y, two triangles a cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def grid_triangles(heights: np.ndarray, spacing: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (nx * ny, 3) and faces (2 * (nx - 1) * (ny - 1), 3), normals up, of heights (nx, ny) in metres.

    Sample (i, j) is vertex ``i * ny + j``, at ``((i - (nx - 1) / 2) * spacing[0], (j - (ny - 1) / 2) * spacing[1])``.
    Each cell is cut along its diagonal from (i, j) to (i + 1, j + 1); its triangles are 2 * c, on the side of
    (i + 1, j), and 2 * c + 1, where ``c = i * (ny - 1) + j``.
    """
    heights = np.asarray(heights, float)
    nx, ny = heights.shape
    x = (np.arange(nx) - 0.5 * (nx - 1)) * spacing[0]
    y = (np.arange(ny) - 0.5 * (ny - 1)) * spacing[1]
    vertices = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(nx - 1), np.arange(ny - 1), indexing="ij")
    corner = i * ny + j
    lower = np.stack([corner, corner + ny, corner + ny + 1], axis=-1)
    upper = np.stack([corner, corner + ny + 1, corner + 1], axis=-1)
    return vertices, np.stack([lower, upper], axis=2).reshape(-1, 3)


@dataclass
class HeightField:
    """``heights`` (nx, ny) over a grid of ``spacing`` (2,), all in metres, about the grid's middle.

    ``low`` and ``high`` (3,) bound it.
    """

    heights: np.ndarray
    spacing: np.ndarray
    low: np.ndarray
    high: np.ndarray


def height_field(heights: np.ndarray, spacing: np.ndarray) -> HeightField:
    """Prepare a height field.

    Raises:
        ValueError: there are fewer than two heights along an axis, or one is not finite.
    """
    heights = np.asarray(heights, float)
    if heights.ndim != 2 or min(heights.shape) < 2:
        raise ValueError(f"heights are a grid of at least 2 x 2, not {' x '.join(map(str, heights.shape))}.")
    if not np.isfinite(heights).all():
        count = int((~np.isfinite(heights)).sum())
        raise ValueError(f"{count} heights are not finite; fill the holes.")
    half = 0.5 * (np.array(heights.shape) - 1) * spacing
    return HeightField(
        heights,
        np.asarray(spacing, float),
        np.array([*-half, heights.min()]),
        np.array([*half, heights.max()]),
    )
