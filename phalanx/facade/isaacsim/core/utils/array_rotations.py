"""Rotations of arrays of NumPy, CuPy or torch; quaternions are (w, x, y, z), Euler angles as in :mod:`.rotations`."""

from __future__ import annotations

import math
from typing import Any

from phalanx.facade.isaaclab.utils.math import (
    axis_angle_from_quat,
    euler_xyz_from_quat,
    quat_conjugate,
    quat_from_euler_xyz,
)
from phalanx.facade.isaaclab.utils.math.quaternions import quat_from_rotation_vector
from phalanx.facade.namespaces import common


def degrees_to_radians(values: Any) -> Any:
    """Angles in degrees as rad."""
    return values * (math.pi / 180.0)


def radians_to_degrees(values: Any) -> Any:
    """Angles in rad as degrees."""
    return values * (180.0 / math.pi)


def from_euler(angles: Any, degrees: bool, extrinsic: bool) -> Any:
    """Quaternions, (..., 4), of Euler angles, (..., 3).

    The inverse of a rotation about x, y and z is one about z, y and x by the opposite angles, so that intrinsic angles
    are the inverse of extrinsic ones of the other sign.

    Raises:
        ValueError: not three angles.
    """
    if angles.shape[-1] != 3:
        raise ValueError(f"Euler angles have shape (3,) or (N, 3), not {tuple(angles.shape)}")
    angles = degrees_to_radians(angles) if degrees else angles
    if extrinsic:
        return quat_from_euler_xyz(angles[..., 0], angles[..., 1], angles[..., 2])
    return quat_conjugate(quat_from_euler_xyz(-angles[..., 0], -angles[..., 1], -angles[..., 2]))


def to_euler(quaternions: Any, degrees: bool, extrinsic: bool) -> Any:
    """Euler angles, (..., 3), of quaternions, (..., 4); the middle one is in [-π/2, π/2]."""
    xp, quaternions = common(quaternions)
    angles = xp.stack(euler_xyz_from_quat(quaternions if extrinsic else quat_conjugate(quaternions)), -1)
    angles = angles if extrinsic else -angles
    return radians_to_degrees(angles) if degrees else angles


def to_vectors(quaternions: Any) -> Any:
    """Rotation vectors, (..., 3), in rad, of quaternions, (..., 4)."""
    return axis_angle_from_quat(quaternions)


def from_vectors(vectors: Any, degrees: bool) -> Any:
    """Quaternions, (..., 4), of rotation vectors, (..., 3)."""
    return quat_from_rotation_vector(degrees_to_radians(vectors) if degrees else vectors, eps=0.0)


def normalise_in_pose(pose: Any) -> Any:
    """Poses, (..., 7), with the quaternions in their last four numbers made ones of length 1."""
    xp, pose = common(pose)
    quats = pose[..., 3:7]
    return xp.concatenate([pose[..., :3], quats / xp.sqrt(xp.sum(quats * quats, -1))[..., None]], -1)
