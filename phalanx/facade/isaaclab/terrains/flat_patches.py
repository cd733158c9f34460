"""Places on a mesh that are flat, found at random."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.facade.isaaclab.terrains.surface import Surface

ON_CIRCLE = 10
"""Places on a circle at which heights are compared."""

ROUNDS = 1000
"""How often places are drawn before that is given up."""


def flat_places(
    surface: Surface,
    count: int,
    radius: float | Sequence[float],
    origin: np.ndarray,
    x_range: tuple[float, float],
    y_range: tuple[float, float],
    z_range: tuple[float, float],
    max_height_diff: float,
) -> np.ndarray:
    """(count, 3): flat places on a surface, from ``origin``, m; see :func:`.utils.find_flat_patches`."""
    radii = np.atleast_1d(np.asarray(radius, float))
    angle = 2.0 * np.pi * np.arange(ON_CIRCLE) / ON_CIRCLE
    around = radii[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    around = np.concatenate([np.zeros((1, 2)), around.reshape(-1, 2)])
    limits = np.array([x_range, y_range], float).T + origin[:2]
    low = np.maximum(limits[0], surface.low + radii.max())
    high = np.minimum(limits[1], surface.high - radii.max())
    if not (low <= high).all():
        raise RuntimeError(
            f"Failed to find valid patches! Circles of radius {radii.max()} m have no place on a mesh from "
            f"{surface.low} to {surface.high} m with x_range={tuple(x_range)} and y_range={tuple(y_range)} "
            f"about {origin[:2]}."
        )
    found, missing = [], count
    for _ in range(ROUNDS):
        middles = np.random.uniform(low, high, (max(2 * missing, 16), 2))
        heights = surface.heights((middles[:, None] + around).reshape(-1, 2)).reshape(len(middles), -1)
        lowest, highest = heights.min(axis=1), heights.max(axis=1)
        flat = np.isfinite(lowest) & (lowest >= z_range[0] + origin[2]) & (highest <= z_range[1] + origin[2])
        flat[flat] = highest[flat] - lowest[flat] <= max_height_diff
        places = np.column_stack([middles[flat], heights[flat, 0]])[:missing]
        found.append(places)
        missing -= len(places)
        if missing == 0:
            return np.concatenate(found) - origin
    raise RuntimeError(
        f"Failed to find valid patches! Of {count} patches of radius {radii.max()} m, {missing} were not found in "
        f"{ROUNDS} rounds with max_height_diff={max_height_diff} m and z_range={tuple(z_range)} m: allow for more."
    )


__all__ = ["flat_places"]
