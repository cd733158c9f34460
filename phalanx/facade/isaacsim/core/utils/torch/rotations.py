"""Rotations as torch tensors; quaternions are (w, x, y, z), Euler angles as in :mod:`..rotations`.

Tensors of real numbers keep their precision and device, all else becomes float32, on ``device`` if that is given.
"""

from __future__ import annotations

import math
from typing import Any

from phalanx.facade.isaaclab.utils.math import (
    convert_quat,
    euler_xyz_from_quat,
    quat_apply,
    quat_conjugate,
    quat_from_angle_axis,
    quat_from_euler_xyz,
    quat_from_matrix,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
)
from phalanx.facade.isaacsim.core.utils import array_rotations
from phalanx.facade.isaacsim.core.utils.torch.maths import normalize
from phalanx.facade.isaacsim.core.utils.torch.module import tensor, torch

_TURN = 2.0 * math.pi


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


# -- of tasks with robots that walk ---------------------------------------------------------------------------------


def normalize_angle(x: Any) -> Any:
    """Angles, rad, as those between -π and π that mean the same."""
    return torch().atan2(torch().sin(x), torch().cos(x))


def get_euler_xyz(q: Any, extrinsic: bool = True) -> tuple[Any, Any, Any]:
    """Euler angles about x, y and z, (N,) each, of quaternions (N, 4), in [0, 2π)."""
    angles = euler_xyz_from_quat(q) if extrinsic else [-a for a in euler_xyz_from_quat(quat_conjugate(q))]
    roll, pitch, yaw = (angle % _TURN for angle in angles)
    return roll, pitch, yaw


def quat_axis(q: Any, axis: int = 0) -> Any:
    """Where rotations take a coordinate axis, 0 to 2: (N, 3)."""
    known = torch()
    return quat_apply(q, known.eye(3, dtype=q.dtype, device=q.device)[axis].expand(*q.shape[:-1], 3))


def get_basis_vector(q: Any, v: Any) -> Any:
    """Vectors, (N, 3), turned by quaternions, (N, 4)."""
    return quat_apply(q, v)


def compute_heading_and_up(
    torso_rotation: Any, inv_start_rot: Any, to_target: Any, vec0: Any, vec1: Any, up_idx: int
) -> tuple[Any, Any, Any, Any, Any]:
    """How upright torsos are, and how much they face their targets.

    Args:
        torso_rotation: quaternions, (N, 4).
        inv_start_rot: inverses of those in which torsos stand, (N, 4).
        to_target: from torsos to targets, (N, 3).
        vec0, vec1: forwards and upwards of a torso that stands, (N, 3).
        up_idx: which of the world's axes is up.

    Returns:
        Turns since they stood, (N, 4); the part of their upwards that is up, (N,); the cosine between their forwards
        and the direction to the target, (N,); upwards and forwards, (N, 3) each.
    """
    turn = quat_mul(torso_rotation, inv_start_rot)
    up, heading = quat_apply(turn, vec1), quat_apply(turn, vec0)
    return turn, up[:, up_idx], (heading * normalize(to_target)).sum(-1), up, heading


def compute_rot(
    torso_quat: Any, velocity: Any, ang_velocity: Any, targets: Any, torso_positions: Any
) -> tuple[Any, Any, Any, Any, Any, Any]:
    """Velocities of torsos in their own frames, and their angles.

    Args:
        torso_quat: quaternions, (N, 4).
        velocity, ang_velocity: in the world, (N, 3) each.
        targets, torso_positions: in the world, (N, 3) each.

    Returns:
        Both velocities in the torso's frame, (N, 3) each; roll, pitch and yaw in [0, 2π), (N,) each; and the angle of
        the direction to the target, from x to z, minus the yaw, (N,).
    """
    roll, pitch, yaw = get_euler_xyz(torso_quat)
    way = targets - torso_positions
    angle = torch().atan2(way[:, 2], way[:, 0])
    own = quat_rotate_inverse(torso_quat, velocity), quat_rotate_inverse(torso_quat, ang_velocity)
    return *own, roll, pitch, yaw, angle - yaw


__all__ = [
    "compute_heading_and_up",
    "compute_rot",
    "deg2rad",
    "euler_angles_to_quats",
    "get_basis_vector",
    "get_euler_xyz",
    "gf_quat_to_tensor",
    "normalise_quat_in_pose",
    "normalize_angle",
    "quat_apply",
    "quat_axis",
    "quat_conjugate",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "rad2deg",
    "rot_matrices_to_quats",
    "wxyz2xyzw",
    "xyzw2wxyz",
]
