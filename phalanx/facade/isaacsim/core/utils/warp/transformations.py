"""Poses as arrays of Warp; quaternions are (w, x, y, z) unless said otherwise."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaacsim.core.utils import array_poses
from phalanx.facade.isaacsim.core.utils.warp.module import engine_array, give, module_of, real_array
from phalanx.facade.isaacsim.core.utils.warp.rotations import normalise_quat_in_pose


def tf_matrices_from_poses(translations: Any, orientations: Any, device: Any = None) -> Any:
    """Matrices, (N, 4, 4), which are multiplied with columns, of translations (N, 3) and quaternions (N, 4)."""
    return give(array_poses.matrices(real_array(translations, device), real_array(orientations, device)))


def get_pose(positions: Any, orientations: Any, device: Any) -> Any:
    """Positions, (N, 3), and quaternions, (N, 4), side by side, (N, 7): these stay in the order that they have.

    The functions of the same name for NumPy and torch change the order.
    """
    places, turns = real_array(positions, device), real_array(orientations, device)
    return give(module_of(places).concatenate([places, turns], -1))


def assign_pose(
    current_positions: Any,
    current_orientations: Any,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any,
    pose: Any = None,
) -> Any:
    """Rows of seven numbers, with (x, y, z, w), some of them written; see :func:`.array_poses.written`."""
    written = array_poses.written(
        real_array(current_positions, device),
        real_array(current_orientations, device),
        None if positions is None else real_array(positions, device),
        None if orientations is None else real_array(orientations, device),
        engine_array(indices, device, "int64"),
        None if pose is None else engine_array(pose),
    )
    return give(written) if pose is None else pose


def get_local_from_world(parent_transforms: Any, positions: Any, orientations: Any, device: Any) -> tuple[Any, Any]:
    """Translations (N, 3) and quaternions (N, 4) in frames of parents; see :func:`.array_poses.to_local`.

    Isaac Sim 5.1's own function for Warp returns poses in the world instead; this one does what its name says.
    """
    parents = engine_array(parent_transforms, device)
    moved = array_poses.to_local(parents, real_array(positions, device), real_array(orientations, device))
    return give(moved[0]), give(moved[1])


def get_world_from_local(parent_transforms: Any, translations: Any, orientations: Any, device: Any) -> tuple[Any, Any]:
    """Positions (N, 3) and quaternions (N, 4) in the world; see :func:`.array_poses.to_world`."""
    parents = engine_array(parent_transforms, device)
    moved = array_poses.to_world(parents, real_array(translations, device), real_array(orientations, device))
    return give(moved[0]), give(moved[1])


__all__ = [
    "assign_pose",
    "get_local_from_world",
    "get_pose",
    "get_world_from_local",
    "normalise_quat_in_pose",
    "tf_matrices_from_poses",
]
