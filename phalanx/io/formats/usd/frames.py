"""Poses as 4x4 matrices that turn columns, and the units and axes of a stage."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phalanx.io.formats.usd.bindings import Stage, UsdGeom, UsdPhysics
from phalanx.maths.arrays import from_matrix, matrix

SHEARED = 1e-4
"""Cosine of the angle between two axes above which a transform is said to shear."""

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True)
class Units:
    """What a stage's numbers are in: metres and kilograms per unit, and how it is turned to have z up."""

    length: float
    mass: float
    upright: np.ndarray
    """(3, 3)."""

    @classmethod
    def of(cls, stage: Stage) -> Units:
        """Units of a stage; where it does not say, those that USD takes: centimetres, kilograms, y up."""
        y_up = UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y
        upright = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]) if y_up else np.eye(3)
        return cls(UsdGeom.GetStageMetersPerUnit(stage), UsdPhysics.GetStageKilogramsPerUnit(stage), upright)

    @property
    def world(self) -> np.ndarray:
        """(4, 4): from the stage's world to ours."""
        found = np.eye(4)
        found[:3, :3] = self.length * self.upright
        return found

    @property
    def force(self) -> float:
        """N per unit."""
        return self.mass * self.length

    @property
    def torque(self) -> float:
        """N·m per unit, which is also that of work, and of inertia in kg·m^2."""
        return self.mass * self.length**2

    @property
    def density(self) -> float:
        """kg/m^3 per unit."""
        return self.mass / self.length**3


def pose(position: np.ndarray, orientation: np.ndarray) -> np.ndarray:
    """(4, 4) of a position and a quaternion w x y z, which need not have length 1."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = matrix(orientation), position
    return found


def rigid(transform: np.ndarray) -> np.ndarray:
    """(4, 4): a transform without its scale. Of one that mirrors, the one that all three axes are flipped to get.

    (UsdPhysics does the same: its frames are what is left once a scale that may be negative is taken out.)
    """
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = rotation(transform[:3, :3]), transform[:3, 3]
    return found


def rotation(linear: np.ndarray) -> np.ndarray:
    """(3, 3): the rotation of a linear map (3, 3) whose axes are scaled, nearest to those in direction."""
    axes = linear / np.linalg.norm(linear, axis=0)
    u, _, v = np.linalg.svd(-axes if np.linalg.det(axes) < 0.0 else axes)
    return u @ v


def sheared(linear: np.ndarray) -> bool:
    """Whether a linear map (3, 3) bends right angles between the axes."""
    axes = linear / np.linalg.norm(linear, axis=0)
    return bool(np.abs(axes.T @ axes - np.eye(3)).max() > SHEARED)


def inverse(rigid_pose: np.ndarray) -> np.ndarray:
    """(4, 4): what undoes a pose without scale."""
    found = np.eye(4)
    found[:3, :3] = rigid_pose[:3, :3].T
    found[:3, 3] = -found[:3, :3] @ rigid_pose[:3, 3]
    return found


def position_of(transform: np.ndarray) -> Vector:
    """Of a pose, as plain numbers."""
    x, y, z = transform[:3, 3].tolist()
    return x, y, z


def orientation_of(rigid_pose: np.ndarray) -> Quaternion:
    """Quaternion w x y z of a pose without scale, as plain numbers."""
    if np.array_equal(rigid_pose[:3, :3], np.eye(3)):
        return 1.0, 0.0, 0.0, 0.0
    w, x, y, z = from_matrix(rigid_pose[:3, :3]).tolist()
    return w, x, y, z
