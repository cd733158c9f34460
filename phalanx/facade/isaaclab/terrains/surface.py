"""How high a mesh is at places, seen from above."""

from __future__ import annotations

import numpy as np

MOST_CELLS = 512
"""Cells of the grid along an axis, at most."""

INSIDE = -1e-9
"""Barycentric coordinates of places in a triangle are not below this."""

BLOCK = 1 << 20
"""Pairs of places and triangles that are looked at together."""


class Surface:
    """The upper side of a mesh: a grid over x and y knows which triangles are above each of its cells.

    Args:
        vertices: (n, 3), m.
        faces: (m, 3).

    Attributes:
        low, high: (2,), the extent along x and y, m.
    """

    def __init__(self, vertices: np.ndarray, faces: np.ndarray) -> None:
        corners = np.asarray(vertices, float)[np.asarray(faces, np.int64)]
        flat = corners[:, :, :2]
        self.low, self.high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
        a, b, c = flat[:, 0], flat[:, 1], flat[:, 2]
        area = _cross(b - a, c - a)
        kept = np.abs(area) > 1e-12 * np.square(np.ptp(flat, axis=1)).sum(axis=1)  # walls are seen as lines
        self._corners, self._area = corners[kept], area[kept]
        flat = flat[kept]
        count = int(np.clip(np.sqrt(len(flat)), 1, MOST_CELLS))
        self._cells = np.array([count, count])
        self._size = np.maximum((self.high - self.low) / count, 1e-12)
        first, last = self._cell(flat.min(axis=1)), self._cell(flat.max(axis=1))
        spans = last - first + 1
        number = spans.prod(axis=1)
        triangle = np.repeat(np.arange(len(flat)), number)
        within = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
        column = first[triangle, 0] + within // spans[triangle, 1]
        row = first[triangle, 1] + within % spans[triangle, 1]
        cell = column * count + row
        order = np.argsort(cell, kind="stable")
        self._triangles = triangle[order]
        self._begin = np.searchsorted(cell[order], np.arange(count * count + 1))

    def heights(self, places: np.ndarray) -> np.ndarray:
        """(n,): the greatest height at places (n, 2); minus infinity where there is nothing."""
        places = np.asarray(places, float)
        column, row = self._cell(places).T
        cell = column * int(self._cells[1]) + row
        outside = ((places < self.low) | (places > self.high)).any(axis=1)
        number = np.where(outside, 0, self._begin[cell + 1] - self._begin[cell])
        found = np.full(len(places), -np.inf)
        ends = np.cumsum(number)
        start = 0
        while start < len(places):
            done = ends[start - 1] if start else 0
            end = max(int(np.searchsorted(ends, done + BLOCK, side="right")), start + 1)
            self._look(places, cell, number, slice(start, end), found)
            start = end
        return found

    def _look(self, places: np.ndarray, cell: np.ndarray, number: np.ndarray, part: slice, found: np.ndarray) -> None:
        counts = number[part]
        place = np.repeat(np.arange(part.start, part.start + len(counts)), counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        triangle = self._triangles[self._begin[cell[place]] + within]
        corners, area, point = self._corners[triangle], self._area[triangle], places[place]
        a, b, c = (corners[:, k, :2] - point for k in range(3))
        u, v = _cross(b, c) / area, _cross(c, a) / area
        w = 1.0 - u - v
        hit = np.minimum(np.minimum(u, v), w) >= INSIDE
        z = u * corners[:, 0, 2] + v * corners[:, 1, 2] + w * corners[:, 2, 2]
        np.maximum.at(found, place[hit], z[hit])

    def _cell(self, places: np.ndarray) -> np.ndarray:
        """(n, 2): the cells that places are in, or are nearest to."""
        return np.clip((places - self.low) / self._size, 0, self._cells - 1).astype(np.int64)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
