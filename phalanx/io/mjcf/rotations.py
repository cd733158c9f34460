"""Poses as MJCF writes them, and the little algebra that they need. Quaternions are (w, x, y, z)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from phalanx.io.articulation import product, turn
from phalanx.io.pose import quaternion_matrix

if TYPE_CHECKING:
    from phalanx.io.mjcf.values import Values

UNIT = np.array([1.0, 0.0, 0.0, 0.0])
ZERO = np.zeros(3)
Pose = tuple[np.ndarray, np.ndarray]
"""Position (3,) and unit quaternion (4,)."""

IDENTITY: Pose = (ZERO, UNIT)
ALTERNATIVES = ("axisangle", "euler", "xyaxes", "zaxis")


def about(axis: np.ndarray | Sequence[float], angle: float) -> np.ndarray:
    """Quaternion of a turn about a unit axis, rad."""
    return np.concatenate(([np.cos(0.5 * angle)], np.sin(0.5 * angle) * np.asarray(axis, float)))


def unit(vector: np.ndarray | Sequence[float]) -> np.ndarray:
    """A vector or quaternion of length 1; zero stays zero."""
    values = np.asarray(vector, float)
    length = float(np.linalg.norm(values))
    return values / length if length > 0.0 else values


def between(axis: np.ndarray) -> np.ndarray:
    """The shortest turn that takes z to a unit axis; about x where that is -z."""
    cross = np.array([-axis[1], axis[0], 0.0])
    sine = float(np.linalg.norm(cross))
    if sine < 1e-10:
        return UNIT if axis[2] > 0.0 else np.array([0.0, 1.0, 0.0, 0.0])
    return about(cross / sine, float(np.arctan2(sine, axis[2])))


def from_matrix(rotation: np.ndarray) -> np.ndarray:
    """Quaternion of a rotation matrix (3, 3): the eigenvector to the largest eigenvalue (Bar-Itzhack, 2000)."""
    r = rotation
    k = np.array(
        [
            [r[0, 0] + r[1, 1] + r[2, 2], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [0.0, r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [0.0, 0.0, r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]],
            [0.0, 0.0, 0.0, r[2, 2] - r[0, 0] - r[1, 1]],
        ]
    )
    _, vectors = np.linalg.eigh(k + np.triu(k, 1).T)
    return vectors[:, -1] * (1.0 if vectors[0, -1] >= 0.0 else -1.0)


def compose(outer: Pose, inner: Pose) -> Pose:
    """A pose within a pose."""
    return outer[0] + turn(outer[1], inner[0]), unit(product(outer[1], inner[1]))


def inverse(pose: Pose) -> Pose:
    """What undoes a pose."""
    back = pose[1] * [1.0, -1.0, -1.0, -1.0]
    return -turn(back, pose[0]), back


def from_euler(angles: Sequence[float] | np.ndarray, sequence: str) -> np.ndarray:
    """Quaternion of three angles, rad: about moving axes where a letter is small, about fixed ones where capital."""
    found = UNIT
    for angle, letter in zip(angles, sequence, strict=True):
        step = about(np.eye(3)["xyz".index(letter.lower())], angle)
        found = product(found, step) if letter.islower() else product(step, found)
    return found


def orientation(values: Values, degrees: bool, sequence: str) -> np.ndarray:
    """The unit quaternion that an element's attributes give; no turn where they give none."""
    scale = np.pi / 180.0 if degrees else 1.0
    given = [name for name in ALTERNATIVES if values.has(name)]
    own = [name for name in (*ALTERNATIVES, "quat") if name in values.element.attributes]
    if len(own) > 1:
        raise values.element.error(f"it has {' and '.join(own)}; give its orientation in one way.")
    if not given or own == ["quat"]:
        quaternion = values.vector("quat", 4, UNIT)
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
        return between(_direction(values, name, values.vector("zaxis", 3)))
    both = values.vector("xyaxes", 6)
    x = _direction(values, name, both[:3])
    y = _direction(values, name, both[3:] - (x @ both[3:]) * x)
    return from_matrix(np.stack([x, y, np.cross(x, y)], axis=1))


def _direction(values: Values, name: str, vector: np.ndarray | Sequence[float]) -> np.ndarray:
    if float(np.linalg.norm(vector)) < 1e-12:
        raise values.error(name, "an axis of it is zero, or two are parallel")
    return unit(vector)


__all__ = [
    "IDENTITY",
    "UNIT",
    "ZERO",
    "Pose",
    "about",
    "between",
    "compose",
    "from_euler",
    "from_matrix",
    "inverse",
    "orientation",
    "product",
    "quaternion_matrix",
    "turn",
    "unit",
]
