"""Poses as torch tensors; quaternions are (w, x, y, z) but in rows of seven numbers, where they are (x, y, z, w)."""

from typing import Any

from phalanx.facade.isaaclab.utils.math import convert_quat, quat_apply, quat_conjugate, quat_mul
from phalanx.facade.isaacsim.core.utils import array_poses
from phalanx.facade.isaacsim.core.utils.torch.module import tensor
from phalanx.facade.isaacsim.core.utils.torch.rotations import normalise_quat_in_pose
from phalanx.facade.namespaces import Array, scriptable


def tf_matrices_from_poses(translations: Any, orientations: Any, device: Any = None) -> Any:
    """Matrices, (N, 4, 4), which are multiplied with columns, of translations (N, 3) and quaternions (N, 4)."""
    return array_poses.matrices(tensor(translations, device), tensor(orientations, device))


def get_pose(positions: Any, orientations: Any, device: Any) -> Any:
    """Poses as rows of seven numbers, (N, 7), with (x, y, z, w), as tensor views take them."""
    return array_poses.rows_of_seven(tensor(positions, device), tensor(orientations, device))


def assign_pose(
    current_positions: Any,
    current_orientations: Any,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any,
    pose: Any = None,
) -> Any:
    """Rows of seven numbers with some of them written; see :func:`.array_poses.written`."""
    current = tensor(current_positions, device), tensor(current_orientations, device)
    return array_poses.written(*current, positions, orientations, indices, pose)


def get_local_from_world(parent_transforms: Any, positions: Any, orientations: Any, device: Any) -> tuple[Any, Any]:
    """Translations (N, 3) and quaternions (N, 4) in frames of parents; see :func:`.array_poses.to_local`."""
    return array_poses.to_local(parent_transforms, tensor(positions, device), tensor(orientations, device))


def get_world_from_local(parent_transforms: Any, translations: Any, orientations: Any, device: Any) -> tuple[Any, Any]:
    """Positions (N, 3) and quaternions (N, 4) in the world; see :func:`.array_poses.to_world`."""
    return array_poses.to_world(parent_transforms, tensor(translations, device), tensor(orientations, device))


def get_world_from_local_position(pos_offset_local: Array, pose_global: Array) -> Array:
    """Points, (N, 3), in frames of poses, (N, 7) with (x, y, z, w), as points in the world, (N, 3)."""
    return quat_apply(convert_quat(pose_global[:, 3:7], to="wxyz"), pos_offset_local) + pose_global[:, 0:3]


# -- frames as a quaternion (N, 4) and a translation (N, 3) ------------------------------------------------------------


def tf_inverse(q: Array, t: Array) -> tuple[Array, Array]:
    """Frames from which others are seen as these are seen from them."""
    back = quat_conjugate(q)
    return back, -quat_apply(back, t)


def tf_apply(q: Array, t: Array, v: Array) -> Array:
    """Points, (N, 3), in frames, as points outside of them."""
    return quat_apply(q, v) + t


def tf_vector(q: Array, v: Array) -> Array:
    """Vectors, (N, 3), in frames, as vectors outside of them."""
    return quat_apply(q, v)


def tf_combine(q1: Array, t1: Array, q2: Array, t2: Array) -> tuple[Array, Array]:
    """Frames that are seen from others."""
    return quat_mul(q1, q2), quat_apply(q1, t2) + t1


__all__ = [
    "assign_pose",
    "get_local_from_world",
    "get_pose",
    "get_world_from_local",
    "get_world_from_local_position",
    "normalise_quat_in_pose",
    "tf_apply",
    "tf_combine",
    "tf_inverse",
    "tf_matrices_from_poses",
    "tf_vector",
]

scriptable(globals(), ["get_world_from_local_position", "tf_apply", "tf_combine", "tf_inverse", "tf_vector"])
