"""Axes that orientations of cameras are told in.

``"usd"``: x right, y up, looking along -z, as the prim's own. ``"ros"``: x right, y down, looking along z. ``"world"``:
looking along x, z up.
"""

from __future__ import annotations

import numpy as np

from phalanx.maths.arrays import from_matrix, product, unit

AXES = ("world", "ros", "usd")

_IN_USD = {
    "usd": np.eye(3),
    "ros": np.diag([1.0, -1.0, -1.0]),
    "world": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]]),
}
"""Columns are the axes in those of the prim."""

_TURNS = {name: from_matrix(matrix[None])[0] for name, matrix in _IN_USD.items()}


def check(axes: str) -> str:
    """The name of axes.

    Raises:
        ValueError: it is unknown.
    """
    if axes not in AXES:
        raise ValueError(f"camera_axes={axes!r} is not supported; there are {', '.join(AXES)}")
    return axes


def from_usd(orientations: np.ndarray, axes: str) -> np.ndarray:
    """(..., 4): orientations of prims, (w, x, y, z), as those of other axes; w is not negative."""
    if check(axes) == "usd":
        return orientations
    found = product(orientations, np.broadcast_to(_TURNS[axes], orientations.shape))
    return np.where(found[..., :1] < 0.0, -found, found)


def to_usd(orientations: np.ndarray, axes: str) -> np.ndarray:
    """(..., 4): orientations told in some axes as those of prims."""
    if check(axes) == "usd":
        return orientations
    back = _TURNS[axes] * [1.0, -1.0, -1.0, -1.0]
    return product(unit(orientations), np.broadcast_to(back, orientations.shape))
