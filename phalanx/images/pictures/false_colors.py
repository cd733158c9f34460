"""Images of numbers as colours, to look at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_HALF = 2.0  # m: depth that is half as bright as none

_GROUND, _NOTHING = (0.35, 0.37, 0.4), (0.0, 0.0, 0.0)


def depth_image(depth: np.ndarray) -> np.ndarray:
    """(..., 3) uint8 of depths (...), m: the nearer the brighter, half as bright at 2 m; black where nothing is."""
    near = _HALF / (_HALF + np.maximum(depth, 0.0))
    return np.repeat(np.round(255.0 * near).astype(np.uint8)[..., None], 3, axis=-1)


def normal_image(normals: np.ndarray) -> np.ndarray:
    """(..., 3) uint8 of unit normals (..., 3): red, green and blue are x, y and z, -1 dark and 1 bright; 0 is black."""
    some = np.abs(normals).max(axis=-1, keepdims=True) > 0.0
    return np.where(some, np.round(127.5 * (normals + 1.0)), 0.0).astype(np.uint8)


def object_image(ids: np.ndarray) -> np.ndarray:
    """(..., 3) uint8 of ids (..., 3): a colour for each object, grey for number 0, black where nothing is."""
    objects = ids[..., 1]
    count = max(int(objects.max(initial=0)), 1)
    palette = np.array([_NOTHING, _GROUND, *(_hue(k) for k in range(count))])
    return np.round(255.0 * palette[np.maximum(objects, -1) + 1]).astype(np.uint8)


def _hue(number: int) -> tuple[float, float, float]:
    """Colours that differ from those of near numbers: steps of the golden ratio around the circle."""
    turn = (0.02 + 0.618034 * number) % 1.0
    value = (1.0, 0.75, 0.9)[number % 3]
    red, green, blue = (
        value * (1.0 - 0.72 * max(0.0, min(1.0, 2.0 - abs((turn * 6.0 - k) % 6.0 - 3.0)))) for k in (0, 2, 4)
    )
    return red, green, blue


FALSE_COLORS: dict[str, tuple[str, Callable[[Any], np.ndarray]]] = {
    "depth": ("distance_to_image_plane", depth_image),
    "normals": ("normals", normal_image),
    "segmentation": ("ids", object_image),
}
"""Kinds of pictures besides "rgb": which output of :class:`~phalanx.images.ImageSensor` they need, and how it shows."""

KINDS = ("rgb", *FALSE_COLORS)
