"""Poses as 4×4 matrices, and ways between two of them."""

import math

from phalanx.facade.isaaclab.utils.math.quaternions import (
    axis_angle_from_quat,
    matrix_from_euler,
    matrix_from_quat,
    quat_from_matrix,
    quat_from_rotation_vector,
    quat_slerp,
)
from phalanx.facade.namespaces import Array, common, device_of, uniform


def make_pose(pos: Array, rot: Array) -> Array:
    """Matrices, (..., 4, 4), from positions, (..., 3), and rotation matrices, (..., 3, 3).

    Raises:
        ValueError: shapes do not go together.
    """
    xp, pos, rot = common(pos, rot)
    if tuple(rot.shape) != (*pos.shape[:-1], 3, 3) or pos.shape[-1] != 3:
        raise ValueError(f"positions of shape {tuple(pos.shape)} and rotations of {tuple(rot.shape)} make no poses")
    upper = xp.concatenate([rot, pos[..., None]], -1)
    zero = xp.zeros_like(upper[..., 0:1, 0:1])
    return xp.concatenate([upper, xp.concatenate([zero, zero, zero, zero + 1.0], -1)], -2)


def unmake_pose(pose: Array) -> tuple[Array, Array]:
    """Positions, (..., 3), and rotation matrices, (..., 3, 3), of matrices, (..., 4, 4)."""
    _, pose = common(pose)
    return pose[..., :3, 3], pose[..., :3, :3]


def pose_inv(pose: Array) -> Array:
    """Inverses of poses, (..., 4, 4)."""
    xp, pose = common(pose)
    pos, rot = unmake_pose(pose)
    turned = xp.swapaxes(rot, -1, -2)
    return make_pose(-(turned @ pos[..., None])[..., 0], turned)


def pose_in_A_to_pose_in_B(pose_in_A: Array, pose_A_in_B: Array) -> Array:  # noqa: N802, N803, RUF100
    """Poses given in frame A, (..., 4, 4), as frame B sees them; ``pose_A_in_B`` is A in B, (..., 4, 4)."""
    _, pose_in_a, pose_a_in_b = common(pose_in_A, pose_A_in_B)
    return pose_a_in_b @ pose_in_a


def transform_poses_from_frame_A_to_frame_B(  # noqa: N802, RUF100
    src_poses: Array,
    frame_A: Array,  # noqa: N803, RUF100
    frame_B: Array,  # noqa: N803, RUF100
) -> Array:
    """Poses that are to frame B what the given ones, (N, 4, 4), are to frame A; all seen from one common frame."""
    _, src_poses, frame_a, frame_b = common(src_poses, frame_A, frame_B)
    return frame_b @ pose_inv(frame_a) @ src_poses


def interpolate_rotations(R1: Array, R2: Array, num_steps: int, axis_angle: bool = True) -> Array:  # noqa: N803, RUF100
    """From one rotation matrix, (3, 3), to another at constant speed.

    Args:
        R1, R2: first and last rotation.
        num_steps: number of equal steps.
        axis_angle: whether to go along the rotation vector of the difference, or by :func:`quat_slerp`: the same way.

    Returns:
        Rotations including both ends, (num_steps + 1, 3, 3).
    """
    xp, first, last = common(R1, R2)
    fractions = [i / num_steps for i in range(num_steps)]
    if axis_angle:
        vector = axis_angle_from_quat(quat_from_matrix(last @ xp.swapaxes(first, -1, -2)))
        steps = [matrix_from_quat(quat_from_rotation_vector(f * vector)) @ first for f in fractions]
    else:
        a, b = quat_from_matrix(first), quat_from_matrix(last)
        steps = [matrix_from_quat(quat_slerp(a, b, f)) for f in fractions]
    return xp.stack([*steps, last])


def interpolate_poses(
    pose_1: Array,
    pose_2: Array,
    num_steps: int | None = None,
    step_size: float | None = None,
    perturb: bool = False,
) -> tuple[Array, int]:
    """From one pose, (4, 4), to another, straight on in position and at constant speed in rotation.

    Args:
        pose_1, pose_2: first and last pose.
        num_steps: number of poses in between. Either this or ``step_size`` has to be given.
        step_size: greatest distance of neighbouring positions, m.
        perturb: move positions in between along the line, at random by up to half a step.

    Returns:
        Poses including both ends, (num_steps + 2, 4, 4), and the number of poses in between.

    Raises:
        ValueError: both or none of the two are given, or ``step_size`` is given and positions are the same.
    """
    if (num_steps is None) == (step_size is None):
        raise ValueError("give either num_steps or step_size")
    xp, first, last = common(pose_1, pose_2)
    (pos_1, rot_1), (pos_2, rot_2) = unmake_pose(first), unmake_pose(last)
    way = pos_2 - pos_1
    if num_steps is None:
        distance = float(xp.sqrt(xp.sum(way * way)))
        if distance == 0 or not step_size:
            raise ValueError("step_size needs two different positions and must not be zero: give num_steps")
        num_steps = math.ceil(distance / step_size)
    grid = [float(i) for i in range(num_steps + 1)]
    if perturb:
        moves = uniform(num_steps, device_of(way)) - 0.5
        grid[1:] = [g + float(m) for g, m in zip(grid[1:], moves, strict=True)]
    positions = xp.stack([*(pos_1 + way * (g / (num_steps + 1)) for g in grid), pos_2])
    return make_pose(positions, interpolate_rotations(rot_1, rot_2, num_steps + 1)), num_steps


def generate_random_rotation(rot_boundary: float = 2 * math.pi) -> Array:
    """A rotation matrix, (3, 3), from angles about fixed x, y, z that are uniform in [0, ``rot_boundary``) rad."""
    return matrix_from_euler(uniform(3) * rot_boundary, "ZYX")


def generate_random_translation(pos_boundary: float = 1) -> Array:
    """A vector, (3,), uniform in the cube of half length ``pos_boundary``, m."""
    return (2.0 * uniform(3) - 1.0) * pos_boundary


def generate_random_transformation_matrix(pos_boundary: float = 1, rot_boundary: float = 2 * math.pi) -> Array:
    """A pose, (4, 4), of :func:`generate_random_translation` and :func:`generate_random_rotation`."""
    return make_pose(generate_random_translation(pos_boundary), generate_random_rotation(rot_boundary))
