"""Rotations as torch tensors; quaternions are (w, x, y, z), Euler angles as in :mod:`..rotations`.

Tensors of real numbers keep their precision and device, all else becomes float32, on ``device`` if that is given.
"""

import math
from typing import Any

from phalanx.facade.isaaclab.utils.math import (
    convert_quat,
    euler_xyz_from_quat,
    matrix_from_quat,
    quat_apply,
    quat_conjugate,
    quat_from_angle_axis,
    quat_from_matrix,
    quat_mul,
    quat_rotate,
    quat_rotate_inverse,
)
from phalanx.facade.isaaclab.utils.math import quat_from_euler_xyz as _from_extrinsic
from phalanx.facade.isaacsim.core.utils import array_rotations
from phalanx.facade.isaacsim.core.utils.torch.maths import normalize
from phalanx.facade.isaacsim.core.utils.torch.module import tensor, torch
from phalanx.facade.namespaces import Array, scriptable

_TURN = 2.0 * math.pi
_NOTHING = 1e-10


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


def normalize_angle(x: Array) -> Array:
    """Angles, rad, as those between -π and π that mean the same."""
    return torch().atan2(torch().sin(x), torch().cos(x))


def get_euler_xyz(q: Array, extrinsic: bool = True) -> tuple[Array, Array, Array]:
    """Euler angles about x, y and z, (N,) each, of quaternions (N, 4), in [0, 2π)."""
    angles = euler_xyz_from_quat(q) if extrinsic else [-a for a in euler_xyz_from_quat(quat_conjugate(q))]
    roll, pitch, yaw = (angle % _TURN for angle in angles)
    return roll, pitch, yaw


def quat_from_euler_xyz(roll: Array, pitch: Array, yaw: Array, extrinsic: bool = True) -> Array:
    """Quaternions, (N, 4), of Euler angles, (N,) each, about axes that stay where they are, or that turn along."""
    if extrinsic:
        return _from_extrinsic(roll, pitch, yaw)
    return quat_conjugate(_from_extrinsic(-roll, -pitch, -yaw))


def quats_to_rot_matrices(quats: Array) -> Array:
    """Matrices, (N, 3, 3) or (3, 3), of quaternions; of a quaternion of length 0 no rotation."""
    none = (quats * quats).sum(-1, keepdim=True) < _NOTHING
    turned = torch().where(none, torch().tensor([1.0, 0.0, 0.0, 0.0]).to(quats), quats)
    return matrix_from_quat(turned)


def matrices_to_euler_angles(mat: Array, extrinsic: bool = True) -> Array:
    """Euler angles about x, y and z, (N, 3), of matrices, (N, 3, 3)."""
    return array_rotations.to_euler(quat_from_matrix(mat), False, extrinsic)


def quat_unit(a: Array) -> Array:
    """Quaternions, (N, 4), made ones of length 1."""
    return normalize(a)


def quat_diff_rad(a: Array, b: Array) -> Array:
    """Angles, rad, (N,), between the orientations of quaternions, (N, 4)."""
    turn = quat_mul(a, quat_conjugate(b))
    return 2.0 * torch().asin(turn[:, 1:].norm(dim=-1).clamp(max=1.0))


def quat_axis(q: Array, axis: int = 0) -> Array:
    """Where rotations take a coordinate axis, 0 to 2: (N, 3)."""
    known = torch()
    return quat_apply(q, known.eye(3, dtype=q.dtype, device=q.device)[axis].expand(*q.shape[:-1], 3))


def get_basis_vector(q: Array, v: Array) -> Array:
    """Vectors, (N, 3), turned by quaternions, (N, 4)."""
    return quat_apply(q, v)


def compute_heading_and_up(
    torso_rotation: Array, inv_start_rot: Array, to_target: Array, vec0: Array, vec1: Array, up_idx: int
) -> tuple[Array, Array, Array, Array, Array]:
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
    torso_quat: Array,
    velocity: Array,
    ang_velocity: Array,
    targets: Array,
    torso_positions: Array,
    extrinsic: bool = True,
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Velocities of torsos in their own frames, and their angles.

    Args:
        torso_quat: quaternions, (N, 4).
        velocity, ang_velocity: in the world, (N, 3) each.
        targets, torso_positions: in the world, (N, 3) each.
        extrinsic: whether angles are about axes that stay where they are.

    Returns:
        Both velocities in the torso's frame, (N, 3) each; roll, pitch and yaw in [0, 2π), (N,) each; and the angle of
        the direction to the target, from x to z, minus the yaw, (N,).
    """
    roll, pitch, yaw = get_euler_xyz(torso_quat, extrinsic)
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
    "matrices_to_euler_angles",
    "normalise_quat_in_pose",
    "normalize_angle",
    "quat_apply",
    "quat_axis",
    "quat_conjugate",
    "quat_diff_rad",
    "quat_from_angle_axis",
    "quat_from_euler_xyz",
    "quat_mul",
    "quat_rotate",
    "quat_rotate_inverse",
    "quat_unit",
    "quats_to_rot_matrices",
    "rad2deg",
    "rot_matrices_to_quats",
    "wxyz2xyzw",
    "xyzw2wxyz",
]

scriptable(
    globals(),
    [
        "compute_heading_and_up",
        "compute_rot",
        "get_basis_vector",
        "get_euler_xyz",
        "matrices_to_euler_angles",
        "normalize_angle",
        "quat_axis",
        "quat_diff_rad",
        "quat_from_euler_xyz",
        "quat_unit",
        "quats_to_rot_matrices",
    ],
)
