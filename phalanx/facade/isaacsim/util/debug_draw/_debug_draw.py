"""The interface for lines and points; the module has the name under which scripts import it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class DebugDraw:
    """Lines and points in the world, until they are cleared. They are kept and counted; no picture shows them."""

    def __init__(self) -> None:
        self.points: list[tuple[np.ndarray, np.ndarray, float]] = []
        """Of each its place (3,), m, its colour (4,) and its size."""
        self.lines: list[tuple[np.ndarray, np.ndarray, np.ndarray, float]] = []
        """Of each its ends (3,) and (3,), m, its colour (4,) and its thickness."""

    def draw_points(self, points: Any, colors: Any, sizes: Sequence[float]) -> None:
        """Add points.

        Args:
            points: (n, 3), m.
            colors: (n, 4), red, green, blue and opacity, 0 to 1.
            sizes: (n,).

        Raises:
            ValueError: numbers or shapes do not fit.
        """
        places, tints, widths = _rows("points", points, 3), _rows("colors", colors, 4), _widths("sizes", sizes)
        _check(points=len(places), colors=len(tints), sizes=len(widths))
        self.points += zip(places, tints, widths, strict=True)

    def draw_lines(self, start_points: Any, end_points: Any, colors: Any, sizes: Sequence[float]) -> None:
        """Add lines.

        Args:
            start_points: (n, 3), m.
            end_points: (n, 3), m.
            colors: (n, 4), red, green, blue and opacity, 0 to 1.
            sizes: (n,), how thick they are.

        Raises:
            ValueError: numbers or shapes do not fit.
        """
        starts, ends = _rows("start_points", start_points, 3), _rows("end_points", end_points, 3)
        tints, widths = _rows("colors", colors, 4), _widths("sizes", sizes)
        _check(start_points=len(starts), end_points=len(ends), colors=len(tints), sizes=len(widths))
        self.lines += zip(starts, ends, tints, widths, strict=True)

    def draw_lines_spline(self, points: Any, color: Sequence[float], width: float, closed: bool = False) -> None:
        """Add a line through points (n, 3), straight between them; ``closed`` leads back to the first."""
        places = _rows("points", points, 3)
        ends = np.roll(places, -1, axis=0) if closed else places[1:]
        count = len(ends)
        self.draw_lines(places[:count], ends, [list(color)] * count, [width] * count)

    def clear_points(self) -> None:
        """Take all points away."""
        self.points.clear()

    def clear_lines(self) -> None:
        """Take all lines away."""
        self.lines.clear()

    def get_num_points(self) -> int:
        """How many points there are."""
        return len(self.points)

    def get_num_lines(self) -> int:
        """How many lines there are."""
        return len(self.lines)


def _rows(name: str, values: Any, width: int) -> np.ndarray:
    found = np.asarray(values.tolist() if hasattr(values, "tolist") else values, float)
    if not found.size:
        return np.zeros((0, width))
    if found.ndim != 2 or found.shape[1] != width:
        raise ValueError(f"{name} have shape {found.shape}; they must have (n, {width})")
    return found


def _widths(name: str, values: Any) -> list[float]:
    found = np.asarray(values.tolist() if hasattr(values, "tolist") else values, float)
    if found.ndim != 1:
        raise ValueError(f"{name} have shape {found.shape}; they must have (n,)")
    return found.tolist()


def _check(**counts: int) -> None:
    if len(set(counts.values())) > 1:
        raise ValueError("as many of each are needed: " + ", ".join(f"{n} {name}" for name, n in counts.items()))


_interfaces: list[DebugDraw] = []


def acquire_debug_draw_interface() -> DebugDraw:
    """The interface, the same for all who ask."""
    if not _interfaces:
        _interfaces.append(DebugDraw())
    return _interfaces[0]


def release_debug_draw_interface(interface: DebugDraw) -> None:
    """Give it back, and all that it has drawn."""
    interface.clear_points()
    interface.clear_lines()
    _interfaces[:] = [one for one in _interfaces if one is not interface]
