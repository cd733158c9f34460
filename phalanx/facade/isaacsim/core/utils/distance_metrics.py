"""How far rotations and positions are from each other. ``Gf.Matrix3d`` and ``Gf.Matrix4d`` are transposed first."""

from __future__ import annotations

from typing import Any

import numpy as np


def _matrix(value: Any) -> np.ndarray:
    """A matrix that is multiplied with columns."""
    matrix = np.array(value, float)
    return matrix if isinstance(value, np.ndarray | list | tuple) else matrix.T


def _rotation(value: Any) -> np.ndarray:
    matrix = _matrix(value)
    if matrix.shape not in ((3, 3), (4, 4)):
        raise ValueError(f"rotations are matrices of shape (3, 3) or (4, 4), not {matrix.shape}")
    return matrix[:3, :3]


def _translation(value: Any) -> np.ndarray:
    matrix = _matrix(value)
    if matrix.shape not in ((3,), (4, 4)):
        raise ValueError(f"translations have shape (3,), or (4, 4) with a rotation, not {matrix.shape}")
    return matrix if matrix.ndim == 1 else matrix[:3, 3]


def weighted_translational_distance(t1: Any, t2: Any, weight_matrix: np.ndarray = np.eye(3)) -> Any:  # noqa: B008
    """The length √(xᵀ W x) of the difference x of two positions.

    Args:
        t1, t2: (3,), or transformations (4, 4).
        weight_matrix: W, (3, 3), positive semidefinite.

    Raises:
        ValueError: something has another shape.
    """
    x = _translation(t1) - _translation(t2)
    return np.sqrt(x @ np.asarray(weight_matrix, float) @ x)


def rotational_distance_angle(r1: Any, r2: Any) -> Any:
    """The angle, rad, of the rotation from one orientation to another: matrices (3, 3), or (4, 4) with a translation.

    The chord |R₁ - R₂| is √8 sin(θ/2), which keeps its digits where the trace of R₁ᵀ R₂, 1 + 2 cos θ, has none left.

    Raises:
        ValueError: something has another shape.
    """
    a, b = _rotation(r1), _rotation(r2)
    sine = np.linalg.norm(a - b) / np.sqrt(8.0)
    cosine = np.sqrt(max(np.trace(a.T @ b) + 1.0, 0.0)) / 2.0
    return 2.0 * np.arctan2(sine, cosine)


def rotational_distance_identity_matrix_deviation(r1: Any, r2: Any) -> Any:
    """The Frobenius norm of I - R₁ R₂ᵀ, for matrices (3, 3), or (4, 4) with a translation.

    Raises:
        ValueError: something has another shape.
    """
    return np.linalg.norm(np.eye(3) - _rotation(r1) @ _rotation(r2).T)


def rotational_distance_single_axis(r1: Any, r2: Any, axis: np.ndarray) -> Any:
    """The angle, rad, between where two rotations take an axis, (3,).

    Raises:
        ValueError: something has another shape.
    """
    a, b = _rotation(r1) @ np.asarray(axis, float), _rotation(r2) @ np.asarray(axis, float)
    return np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b)


__all__ = [
    "rotational_distance_angle",
    "rotational_distance_identity_matrix_deviation",
    "rotational_distance_single_axis",
    "weighted_translational_distance",
]
