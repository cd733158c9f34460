"""Principal axes of inertia, on the host."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from phalanx.maths.arrays import from_matrix, matrix

ALIGNED = 1e-6
"""Products of inertia below this share of the trace are taken for rounding: such bodies keep their own axes."""

SAME = 1e-5
"""Quaternions that differ less than this are one."""


def principal_axes(inertia: np.ndarray) -> np.ndarray:
    """(..., 4), w x y z: principal axes of inertias (..., 3, 3), as near to the body's own axes as they come."""
    values = np.asarray(inertia, float).reshape(-1, 3, 3)
    if len(values) > 1 and (values == values[:1]).all():
        return np.broadcast_to(principal_axes(values[0]), (*inertia.shape[:-2], 4))
    products = np.abs(values[:, [0, 0, 1], [1, 2, 2]]).max(axis=-1)
    _, axes = np.linalg.eigh(values)
    orders = [list(order) for order in permutations(range(3))]
    closeness = np.stack([np.abs(axes[:, range(3), order]).sum(axis=-1) for order in orders])
    best = np.array(orders)[closeness.argmax(axis=0)]
    axes = np.take_along_axis(axes, best[:, None, :], axis=-1)
    diagonal = axes[:, range(3), range(3)]
    axes = axes * np.where(diagonal < 0, -1.0, 1.0)[:, None]
    mirrored = np.linalg.det(axes) < 0
    weakest = np.abs(axes[:, range(3), range(3)]).argmin(axis=-1)
    flip = np.ones((len(values), 3))
    flip[mirrored, weakest[mirrored]] = -1.0
    found = from_matrix(axes * flip[:, None])
    own = products <= ALIGNED * np.trace(values, axis1=-2, axis2=-1)
    return np.where(own[:, None], [1.0, 0.0, 0.0, 0.0], found).reshape(*inertia.shape[:-2], 4)


def turned_inertia(inertia: np.ndarray, axes: np.ndarray) -> np.ndarray | None:
    """Inertias with the same principal moments about other axes (w x y z); ``None`` if those are what they have."""
    now = principal_axes(inertia)
    stays = np.minimum(np.abs(now - axes).max(axis=-1), np.abs(now + axes).max(axis=-1)) < SAME
    if stays.all():
        return None
    old, new = matrix(now), matrix(axes)
    moments = np.swapaxes(old, -1, -2) @ inertia @ old
    moments = moments * np.eye(3)
    turned = new @ moments @ np.swapaxes(new, -1, -2)
    return np.where(stays[..., None, None], inertia, turned).astype(inertia.dtype)
