"""Which environments are seen, and where they stand beside each other."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

ONE, SOME, GRID = "One", "Some", "Grid"
MODES = (ONE, SOME, GRID)
"""One environment, those of a list, or as many as wanted from one on."""


@dataclass
class Selection:
    """What is chosen.

    Attributes:
        num_envs: environments that there are.
        mode: one of :data:`MODES`.
        env: the one, or the first of a grid.
        count: environments of a grid, at most.
        some: those of the list.
        spacing: m between environments that are seen together.
    """

    num_envs: int
    mode: str = ONE
    env: int = 0
    count: int = 16
    some: tuple[int, ...] = (0,)
    spacing: float = 2.0

    def envs(self) -> np.ndarray:
        """Numbers of the environments that are seen."""
        if self.mode == SOME:
            return np.array([env for env in self.some if env < self.num_envs] or [self.env], np.int64)
        if self.mode == GRID:
            count = min(self.count, self.num_envs)
            first = min(self.env, self.num_envs - count)
            return np.arange(first, first + count)
        return np.array([min(self.env, self.num_envs - 1)], np.int64)

    def offsets(self) -> np.ndarray:
        """(k, 3) float32, m: where their origins are, on a square grid about the middle; of one, the middle."""
        return grid_offsets(len(self.envs()), self.spacing)


@lru_cache(maxsize=8)
def grid_offsets(count: int, spacing: float) -> np.ndarray:
    """(count, 3) float32: places of a square grid in the plane z = 0, row after row, about the middle."""
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    number = np.arange(count)
    x = (number % columns - (columns - 1) / 2) * spacing
    y = ((rows - 1) / 2 - number // columns) * spacing
    places = np.stack([x, y, np.zeros(count)], axis=-1).astype(np.float32)
    places.setflags(write=False)
    return places


def parse_envs(text: str, num_envs: int) -> tuple[int, ...]:
    """Numbers in ``"0, 5, 8-12"``, in this order and each once.

    Raises:
        ValueError: it is no such list, or names an environment that there is not.
    """
    found: list[int] = []
    for part in filter(None, re.split(r"[,\s]+", text.strip())):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if match is None:
            raise ValueError(f"{part!r}: environments are given as numbers and ranges, such as 0, 5, 8-12")
        first, last = int(match[1]), int(match[2] or match[1])
        if last >= num_envs or first > last:
            raise ValueError(f"{part!r}: environments must lie in 0..{num_envs - 1}")
        found += range(first, last + 1)
    if not found:
        raise ValueError("give at least one environment, such as 0, 5, 8-12")
    return tuple(dict.fromkeys(found))
