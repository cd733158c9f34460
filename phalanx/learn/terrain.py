"""Rough ground: tiles of one kind each, harder from row to row, as one height field that all environments have."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from phalanx.models.robot_model import Shape

SPACING = 0.1
"""m between heights."""
TILE = 8.0
"""m: edge of a tile."""
MARGIN = 4.0
"""m of level ground around all tiles."""
PLATFORM = 1.5
"""m: edge of the level square in the middle of a tile, where robots start."""


class Terrain:
    """Rows of tiles: along x they get harder, along y they are of other kinds.

    Args:
        rows: levels of difficulty, from 0 (nearly level) to 1.
        seed: of the random tiles.
        device: of what :meth:`height` looks at.
    """

    def __init__(self, rows: int, seed: int, device: torch.device | str) -> None:
        rng = np.random.default_rng(seed)
        size, edge = round(TILE / SPACING), round(MARGIN / SPACING)
        heights = np.zeros((rows * size + 2 * edge + 1, len(KINDS) * size + 2 * edge + 1))
        middles = np.zeros((rows, len(KINDS), 3))
        for row in range(rows):
            difficulty = row / max(rows - 1, 1)
            for column, kind in enumerate(KINDS):
                i, j = edge + row * size, edge + column * size
                tile = kind(size, difficulty, rng)
                heights[i : i + size, j : j + size] = tile
                middles[row, column] = i + size / 2, j + size / 2, tile[size // 2, size // 2]
        self.heights = heights
        """(nx, ny), m."""
        self.rows, self.columns = rows, len(KINDS)
        self.half = torch.tensor([0.5 * (n - 1) * SPACING for n in heights.shape], dtype=torch.float32, device=device)
        """(2,): from the middle to the end of the ground, m."""
        middles[..., :2] = middles[..., :2] * SPACING - self.half.cpu().numpy()
        self.middles = torch.tensor(middles, dtype=torch.float32, device=device)
        """(rows, columns, 3): where robots start, m."""
        self._grid = torch.tensor(heights, dtype=torch.float32, device=device)

    @property
    def shape(self) -> Shape:
        """What collides."""
        return Shape("height_field", (SPACING, SPACING), heights=self.heights, color=(0.45, 0.42, 0.38, 1.0))

    def height(self, places: torch.Tensor) -> torch.Tensor:
        """(...): m, at places (..., 2), on the two triangles that each cell has; beyond the edge that of the edge."""
        at = (places + self.half) / SPACING
        nx, ny = self._grid.shape
        x, y = at[..., 0].clamp(0.0, nx - 1.001), at[..., 1].clamp(0.0, ny - 1.001)
        i, j = x.to(torch.int64), y.to(torch.int64)
        u, v = x - i, y - j
        flat, corner = self._grid.view(-1), i * ny + j
        first, last = flat[corner], flat[corner + ny + 1]
        lower, upper = flat[corner + ny], flat[corner + 1]
        below = first + u * (lower - first) + v * (last - lower)
        above = first + v * (upper - first) + u * (last - upper)
        return torch.where(u >= v, below, above)


def _ways(size: int) -> np.ndarray:
    """(size, size): distance from the middle's square, m, by the larger of both axes."""
    along = np.abs(np.arange(size) + 0.5 - 0.5 * size) * SPACING
    return np.maximum(np.maximum(along[:, None], along[None, :]) - 0.5 * PLATFORM, 0.0)


def _slope(sign: float) -> Callable[[int, float, np.random.Generator], np.ndarray]:
    def tile(size: int, difficulty: float, rng: np.random.Generator) -> np.ndarray:
        way = _ways(size)
        return sign * 0.35 * difficulty * (way.max() - way)

    return tile


def _stairs(sign: float) -> Callable[[int, float, np.random.Generator], np.ndarray]:
    def tile(size: int, difficulty: float, rng: np.random.Generator) -> np.ndarray:
        steps = np.floor(_ways(size) / 0.4 + 1e-9)
        return sign * (0.02 + 0.1 * difficulty) * (steps.max() - steps)

    return tile


def _waves(size: int, difficulty: float, rng: np.random.Generator) -> np.ndarray:
    x = np.arange(size) * SPACING
    fade = np.clip(_ways(size), 0.0, 1.0) * np.clip((_ways(size).max() - _ways(size)) / 0.5, 0.0, 1.0)
    return 0.1 * difficulty * fade * np.sin(2.0 * np.pi * x / 2.0)[:, None] * np.sin(2.0 * np.pi * x / 2.0)[None, :]


def _rubble(size: int, difficulty: float, rng: np.random.Generator) -> np.ndarray:
    rough = np.kron(rng.uniform(-1.0, 1.0, (size // 2, size // 2)), np.ones((2, 2)))
    return (0.01 + 0.05 * difficulty) * rough * np.clip(2.0 * _ways(size), 0.0, 1.0)


KINDS = (_slope(1.0), _slope(-1.0), _stairs(1.0), _stairs(-1.0), _waves, _rubble)
"""Kinds of tiles, a column each: hills, hollows, stairs down and up from the middle, waves, rubble."""
