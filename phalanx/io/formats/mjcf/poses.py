"""Poses as MJCF writes them, and poses within poses. Quaternions are (w, x, y, z)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.maths import arrays as rotations
from phalanx.maths.arrays import about, between, from_euler, from_matrix, product, rotate, unit

if TYPE_CHECKING:
    from phalanx.io.formats.mjcf.values import Values

ZERO = np.zeros(3)
Pose = tuple[np.ndarray, np.ndarray]
"""Position (3,) and unit quaternion (4,)."""

IDENTITY: Pose = (ZERO, rotations.IDENTITY)
ALTERNATIVES = ("axisangle", "euler", "xyaxes", "zaxis")


def compose(outer: Pose, inner: Pose) -> Pose:
    """A pose within a pose."""
    return outer[0] + rotate(outer[1], inner[0]), unit(product(outer[1], inner[1]))


def inverse(pose: Pose) -> Pose:
    """What undoes a pose."""
    back = rotations.inverse(pose[1])
    return -rotate(back, pose[0]), back


def tuples(pose: Pose) -> tuple[tuple[float, float, float], tuple[float, float, float, float]]:
    """The same as plain numbers."""
    x, y, z = pose[0].tolist()
    qw, qx, qy, qz = pose[1].tolist()
    return (x, y, z), (qw, qx, qy, qz)


def orientation(values: Values, degrees: bool, sequence: str) -> np.ndarray:
    """The unit quaternion that an element's attributes give; no turn where they give none."""
    scale = np.pi / 180.0 if degrees else 1.0
    given = [name for name in ALTERNATIVES if values.has(name)]
    own = [name for name in (*ALTERNATIVES, "quat") if name in values.element.attributes]
    if len(own) > 1:
        raise values.element.error(f"it has {' and '.join(own)}; give its orientation in one way.")
    if not given or own == ["quat"]:
        quaternion = values.vector("quat", 4, rotations.IDENTITY)
        if not np.any(quaternion):
            raise values.error("quat", "it must not be zero")
        return unit(quaternion)
    name = own[0] if own else given[-1]
    if name == "euler":
        return from_euler(scale * values.vector("euler", 3), sequence)
    if name == "axisangle":
        *axis, angle = values.vector("axisangle", 4)
        return about(_direction(values, name, axis), scale * angle)
    if name == "zaxis":
        return between((0.0, 0.0, 1.0), _direction(values, name, values.vector("zaxis", 3)))
    both = values.vector("xyaxes", 6)
    x = _direction(values, name, both[:3])
    y = _direction(values, name, both[3:] - (x @ both[3:]) * x)
    return from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))


def _direction(values: Values, name: str, vector: np.ndarray | Sequence[float]) -> np.ndarray:
    if float(np.linalg.norm(vector)) < 1e-12:
        raise values.error(name, "an axis of it is zero, or two are parallel")
    return unit(vector)
