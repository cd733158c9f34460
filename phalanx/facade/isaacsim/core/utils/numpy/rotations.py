"""Rotations as NumPy arrays; quaternions are (w, x, y, z), Euler angles as in :mod:`..rotations`.

Arrays of real numbers keep their precision, all else becomes float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.arrays import accept
from phalanx.facade.isaaclab.utils.math import convert_quat, matrix_from_quat, quat_from_matrix
from phalanx.facade.isaacsim.core.utils import array_rotations


def _real(value: Any) -> np.ndarray:
    array = np.asarray(accept(value))
    return array if array.dtype.kind == "f" else array.astype(float)


def deg2rad(degree_value: np.ndarray, device: Any = None) -> np.ndarray:
    """Angles in degrees as rad."""
    return array_rotations.degrees_to_radians(_real(degree_value))


def rad2deg(radian_value: np.ndarray, device: Any = None) -> np.ndarray:
    """Angles in rad as degrees."""
    return array_rotations.radians_to_degrees(_real(radian_value))


def euler_angles_to_quats(
    euler_angles: np.ndarray, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> np.ndarray:
    """Quaternions, (N, 4) or (4,), of Euler angles, (N, 3) or (3,).

    Raises:
        ValueError: angles have another shape.
    """
    return array_rotations.from_euler(_real(euler_angles), degrees, extrinsic)


def quats_to_euler_angles(
    quaternions: np.ndarray, degrees: bool = False, extrinsic: bool = True, device: Any = None
) -> np.ndarray:
    """Euler angles, (N, 3) or (3,), of quaternions, (N, 4) or (4,)."""
    return array_rotations.to_euler(_real(quaternions), degrees, extrinsic)


def quats_to_rot_matrices(quaternions: np.ndarray, device: Any = None) -> np.ndarray:
    """Matrices, (N, 3, 3) or (3, 3), of quaternions, (N, 4) or (4,)."""
    return matrix_from_quat(_real(quaternions))


def rot_matrices_to_quats(rotation_matrices: np.ndarray, device: Any = None) -> np.ndarray:
    """Quaternions, (N, 4) or (4,), of matrices, (N, 3, 3) or (3, 3)."""
    return quat_from_matrix(_real(rotation_matrices))


def quats_to_rotvecs(quaternions: np.ndarray, device: Any = None) -> np.ndarray:
    """Rotation vectors, (N, 3) or (3,), of quaternions, (N, 4) or (4,): the axis times the angle in rad."""
    return array_rotations.to_vectors(_real(quaternions))


def rotvecs_to_quats(rotation_vectors: np.ndarray, degrees: bool = False, device: Any = None) -> np.ndarray:
    """Quaternions, (N, 4) or (4,), of rotation vectors, (N, 3) or (3,), whose lengths are in rad or in degrees."""
    return array_rotations.from_vectors(_real(rotation_vectors), degrees)


def gf_quat_to_tensor(orientation: Any, device: Any = None) -> np.ndarray:
    """A quaternion of ``pxr.Gf``, in any precision, as (4,)."""
    return np.array([orientation.GetReal(), *orientation.GetImaginary()], float)


def wxyz2xyzw(q: Any, ret_torch: bool = False) -> Any:
    """Quaternions (w, x, y, z) as (x, y, z, w); as a tensor if ``ret_torch``."""
    return _torch_or_not(convert_quat(_real(q), to="xyzw"), ret_torch)


def xyzw2wxyz(q: Any, ret_torch: bool = False) -> Any:
    """Quaternions (x, y, z, w) as (w, x, y, z); as a tensor if ``ret_torch``."""
    return _torch_or_not(convert_quat(_real(q), to="wxyz"), ret_torch)


def _torch_or_not(quats: np.ndarray, ret_torch: bool) -> Any:
    from phalanx.facade.isaaclab.utils.array import convert_to_torch

    return convert_to_torch(quats) if ret_torch else quats


__all__ = [
    "deg2rad",
    "euler_angles_to_quats",
    "gf_quat_to_tensor",
    "quats_to_euler_angles",
    "quats_to_rot_matrices",
    "quats_to_rotvecs",
    "rad2deg",
    "rot_matrices_to_quats",
    "rotvecs_to_quats",
    "wxyz2xyzw",
    "xyzw2wxyz",
]
