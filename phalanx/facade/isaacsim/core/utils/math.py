"""Vectors of three numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def cross(a: np.ndarray | Sequence[float], b: np.ndarray | Sequence[float]) -> list[float]:
    """The vector product of two vectors of three numbers, as a list."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def normalize(v: Any) -> Any:
    """A vector, made one of length 1 in place: an array, a list, or a vector of ``pxr.Gf``.

    Raises:
        ValueError: its length is zero.
    """
    v[:] = _unit(v)
    return v


def normalized(v: Any) -> Any:
    """The vector of length 1 in the direction of another one, of the same type.

    Raises:
        ValueError: its length is zero.
    """
    if isinstance(v, np.ndarray):
        return np.asarray(_unit(v))
    return type(v)(_unit(v)) if isinstance(v, list | tuple) else type(v)(*_unit(v))


def _unit(v: Any) -> list[float]:
    values = np.asarray(v, float)
    length = float(np.linalg.norm(values))
    if not length > 0.0:
        raise ValueError(f"{v!r} has no direction: its length is {length}")
    return (values / length).tolist()


def radians_to_degrees(rad_angles: np.ndarray) -> np.ndarray:
    """Angles in rad as degrees."""
    return np.asarray(rad_angles) * (180.0 / np.pi)


__all__ = ["cross", "normalize", "normalized", "radians_to_degrees"]
