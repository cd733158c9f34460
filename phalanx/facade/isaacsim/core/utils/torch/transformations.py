"""Poses as torch tensors; quaternions are (w, x, y, z) but in rows of seven numbers, where they are (x, y, z, w)."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.utils import array_poses
from phalanx.facade.isaacsim.core.utils.torch.module import tensor
from phalanx.facade.isaacsim.core.utils.torch.rotations import normalise_quat_in_pose


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


__all__ = [
    "assign_pose",
    "get_local_from_world",
    "get_pose",
    "get_world_from_local",
    "normalise_quat_in_pose",
    "tf_matrices_from_poses",
]
