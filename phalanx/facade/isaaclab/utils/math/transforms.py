"""Poses as a position and a quaternion: composing, comparing, moving points and velocities between frames.

Positions have shape (N, 3), in m, quaternions (N, 4), as (w, x, y, z). ``t01, q01`` is the pose of frame 1 in frame 0.
"""

from typing import Literal

from phalanx.facade.isaaclab.utils.math.general import cross
from phalanx.facade.isaaclab.utils.math.quaternions import (
    axis_angle_from_quat,
    quat_apply,
    quat_apply_inverse,
    quat_from_rotation_vector,
    quat_inv,
    quat_mul,
)
from phalanx.facade.namespaces import Array, common


def is_identity_pose(pos: Array, rot: Array) -> bool:
    """Whether all positions are zero and all quaternions ±(1, 0, 0, 0), to 1e-5."""
    _, pos, rot = common(pos, rot)
    still = bool((abs(pos) <= 1e-5).all()) and bool((abs(rot[..., 1:]) <= 1e-5).all())
    return still and bool((abs(abs(rot[..., 0]) - 1.0) <= 1e-5).all())


def combine_frame_transforms(
    t01: Array, q01: Array, t12: Array | None = None, q12: Array | None = None
) -> tuple[Array, Array]:
    """The pose of frame 2 in frame 0, ``(t02, q02)``, from 1 in 0 and 2 in 1; ``None`` stands for no offset."""
    _, t01, q01, t12, q12 = common(t01, q01, t12, q12)
    q02 = q01 if q12 is None else quat_mul(q01, q12)
    t02 = t01 if t12 is None else t01 + quat_apply(q01, t12)
    return t02, q02


def subtract_frame_transforms(
    t01: Array, q01: Array, t02: Array | None = None, q02: Array | None = None
) -> tuple[Array, Array]:
    """The pose of frame 2 in frame 1, ``(t12, q12)``, from both poses in frame 0; ``None`` stands for frame 0."""
    _, t01, q01, t02, q02 = common(t01, q01, t02, q02)
    q10 = quat_inv(q01)
    q12 = q10 if q02 is None else quat_mul(q10, q02)
    return quat_apply(q10, -t01 if t02 is None else t02 - t01), q12


def rigid_body_twist_transform(v0: Array, w0: Array, t01: Array, q01: Array) -> tuple[Array, Array]:
    """The velocity of a rigid body at frame 1 in its axes, from that at frame 0; both frames are fixed to the body.

    Args:
        v0, w0: linear (m/s) and angular velocity (rad/s) at frame 0's origin in its axes, (N, 3).
        t01, q01: pose of frame 1 in frame 0.

    Returns:
        Linear and angular velocity at frame 1's origin in its axes, (N, 3).
    """
    _, v0, w0, t01, q01 = common(v0, w0, t01, q01)
    return quat_apply_inverse(q01, v0 + cross(w0, t01)), quat_apply_inverse(q01, w0)


def compute_pose_error(
    t01: Array, q01: Array, t02: Array, q02: Array, rot_error_type: Literal["quat", "axis_angle"] = "axis_angle"
) -> tuple[Array, Array]:
    """What leads from a source pose 1 to a target pose 2, in the axes of frame 0.

    Returns:
        Difference of the positions, (N, 3), and the rotation: a quaternion, (N, 4), or a rotation vector, (N, 3).

    Raises:
        ValueError: ``rot_error_type`` is neither ``"quat"`` nor ``"axis_angle"``.
    """
    if rot_error_type not in ("quat", "axis_angle"):
        raise ValueError(f'rot_error_type={rot_error_type!r}: must be "quat" or "axis_angle"')
    _, t01, q01, t02, q02 = common(t01, q01, t02, q02)
    rotation = quat_mul(q02, quat_inv(q01))
    return t02 - t01, rotation if rot_error_type == "quat" else axis_angle_from_quat(rotation)


def apply_delta_pose(
    source_pos: Array, source_rot: Array, delta_pose: Array, eps: float = 1.0e-6
) -> tuple[Array, Array]:
    """Poses moved on by a displacement and a rotation vector, both in the axes of the frame that poses are given in.

    Args:
        source_pos, source_rot: poses, (N, 3) and (N, 4).
        delta_pose: displacement (m) and rotation vector (rad), (N, 6).
        eps: angles below are taken as zero.
    """
    _, source_pos, source_rot, delta_pose = common(source_pos, source_rot, delta_pose)
    turn = quat_from_rotation_vector(delta_pose[..., 3:6], eps)
    return source_pos + delta_pose[..., 0:3], quat_mul(turn, source_rot)


def transform_points(points: Array, pos: Array | None = None, quat: Array | None = None) -> Array:
    """Points given in a frame, seen from the frame that its pose is given in.

    Args:
        points: (P, 3), or (N, P, 3): points of each of N frames.
        pos: where the frame is, (3,) or (N, 3); ``None``: at the origin.
        quat: its orientation, (4,) or (N, 4); ``None``: not rotated.

    Returns:
        (P, 3) if the points and the pose have no N, else (N, P, 3).

    Raises:
        ValueError: shapes are none of these.
    """
    _, points, pos, quat = common(points, pos, quat)
    if points.ndim not in (2, 3) or points.shape[-1] != 3:
        raise ValueError(f"points have shape (P, 3) or (N, P, 3), not {tuple(points.shape)}")
    for name, value, size in (("pos", pos, 3), ("quat", quat, 4)):
        if value is not None and (value.ndim not in (1, 2) or value.shape[-1] != size):
            raise ValueError(f"{name} has shape ({size},) or (N, {size}), not {tuple(value.shape)}")
    if quat is not None:
        points = quat_apply(quat if quat.ndim == 1 else quat[:, None], points)
    return points if pos is None else points + (pos if pos.ndim == 1 else pos[:, None])
