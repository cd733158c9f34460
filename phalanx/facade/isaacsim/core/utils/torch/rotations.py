"""Rotations as torch tensors; quaternions are (w, x, y, z), Euler angles as in :mod:`..rotations`.

Tensors of real numbers keep their precision and device, all else becomes float32, on ``device`` if that is given.
"""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.utils.math import convert_quat, quat_from_matrix
from phalanx.facade.isaacsim.core.utils import array_rotations
from phalanx.facade.isaacsim.core.utils.torch.module import tensor


def deg2rad(degree_value: Any, device: Any = None) -> Any:
    """Angles in degrees as rad."""
    return array_rotations.degrees_to_radians(tensor(degree_value, device))


def rad2deg(radian_value: Any, device: Any = None) -> Any:
    """Angles in rad as degrees."""
    return array_rotations.radians_to_degrees(tensor(radian_value, device))


def euler_angles_to_quats(euler_angles: Any, degrees: bool = False, extrinsic: bool = True, device: Any = None) -> Any:
    """Quaternions, (N, 4), of Euler angles, (N, 3).

    Raises:
        ValueError: angles have another shape.
    """
    return array_rotations.from_euler(tensor(euler_angles, device), degrees, extrinsic)


def rot_matrices_to_quats(rotation_matrices: Any, device: Any = None) -> Any:
    """Quaternions, (N, 4) or (4,), of matrices, (N, 3, 3) or (3, 3)."""
    return quat_from_matrix(tensor(rotation_matrices, device))


def gf_quat_to_tensor(orientation: Any, device: Any = None) -> Any:
    """A quaternion of ``pxr.Gf``, in any precision, as (4,)."""
    return tensor([orientation.GetReal(), *orientation.GetImaginary()], device)


def normalise_quat_in_pose(pose: Any) -> Any:
    """Poses, (N, 7), with the quaternions in their last four numbers made ones of length 1."""
    return array_rotations.normalise_in_pose(tensor(pose))


def wxyz2xyzw(q: Any) -> Any:
    """Quaternions (w, x, y, z) as (x, y, z, w)."""
    return convert_quat(tensor(q), to="xyzw")


def xyzw2wxyz(q: Any) -> Any:
    """Quaternions (x, y, z, w) as (w, x, y, z)."""
    return convert_quat(tensor(q), to="wxyz")


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
