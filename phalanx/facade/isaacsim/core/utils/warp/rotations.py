"""Rotations as arrays of Warp, of float32; quaternions are (w, x, y, z), Euler angles as in :mod:`..rotations`."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.utils.math import convert_quat, quat_from_matrix
from phalanx.facade.isaacsim.core.utils import array_rotations
from phalanx.facade.isaacsim.core.utils.warp.module import give, real_array


def deg2rad(degree_value: Any, device: Any = None) -> Any:
    """Angles in degrees as rad."""
    return give(array_rotations.degrees_to_radians(real_array(degree_value, device)))


def rad2deg(radian_value: Any, device: Any = None) -> Any:
    """Angles in rad as degrees."""
    return give(array_rotations.radians_to_degrees(real_array(radian_value, device)))


def euler_angles_to_quats(euler_angles: Any, degrees: bool = False, extrinsic: bool = True, device: Any = None) -> Any:
    """Quaternions, (N, 4), of Euler angles, (N, 3).

    Raises:
        ValueError: angles have another shape.
    """
    return give(array_rotations.from_euler(real_array(euler_angles, device), degrees, extrinsic))


def rot_matrices_to_quats(rotation_matrices: Any, device: Any = None) -> Any:
    """Quaternions, (N, 4) or (4,), of matrices, (N, 3, 3) or (3, 3)."""
    return give(quat_from_matrix(real_array(rotation_matrices, device)))


def gf_quat_to_tensor(orientation: Any, device: Any = None) -> Any:
    """A quaternion of ``pxr.Gf``, in any precision, as (4,)."""
    return give(real_array([orientation.GetReal(), *orientation.GetImaginary()], device))


def normalise_quat_in_pose(pose: Any) -> Any:
    """Poses, (N, 7), with the quaternions in their last four numbers made ones of length 1."""
    return give(array_rotations.normalise_in_pose(real_array(pose)))


def wxyz2xyzw(q: Any) -> Any:
    """Quaternions (w, x, y, z), (..., 4), as (x, y, z, w), in a new array."""
    return give(convert_quat(real_array(q), to="xyzw"))


def xyzw2wxyz(q: Any) -> Any:
    """Quaternions (x, y, z, w), (..., 4), as (w, x, y, z), in a new array."""
    return give(convert_quat(real_array(q), to="wxyz"))


__all__ = [
    "deg2rad",
    "euler_angles_to_quats",
    "gf_quat_to_tensor",
    "normalise_quat_in_pose",
    "rad2deg",
    "rot_matrices_to_quats",
    "wxyz2xyzw",
    "xyzw2wxyz",
]
