"""Poses as NumPy arrays; quaternions are (w, x, y, z) but in rows of seven numbers, where they are (x, y, z, w)."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.utils import array_poses


def tf_matrices_from_poses(translations: np.ndarray, orientations: np.ndarray, device: Any = None) -> np.ndarray:
    """Matrices, (N, 4, 4), which are multiplied with columns, of translations (N, 3) and quaternions (N, 4)."""
    return array_poses.matrices(np.asarray(translations), np.asarray(orientations))


def get_pose(positions: Any, orientations: Any, device: Any = None) -> np.ndarray:
    """Poses as rows of seven numbers, (N, 7), with (x, y, z, w), as tensor views take them."""
    return array_poses.rows_of_seven(np.asarray(positions), np.asarray(orientations))


def assign_pose(
    current_positions: Any,
    current_orientations: Any,
    positions: Any,
    orientations: Any,
    indices: Any,
    device: Any = None,
    pose: Any = None,
) -> np.ndarray:
    """Rows of seven numbers with some of them written; see :func:`.array_poses.written`."""
    return array_poses.written(current_positions, current_orientations, positions, orientations, indices, pose)


def get_local_from_world(
    parent_transforms: Any, positions: Any, orientations: Any, device: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Translations (N, 3) and quaternions (N, 4) in frames of parents; see :func:`.array_poses.to_local`."""
    return array_poses.to_local(parent_transforms, np.asarray(positions), np.asarray(orientations))


def get_world_from_local(
    parent_transforms: Any, translations: Any, orientations: Any, device: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (N, 3) and quaternions (N, 4) in the world; see :func:`.array_poses.to_world`."""
    return array_poses.to_world(parent_transforms, np.asarray(translations), np.asarray(orientations))


__all__ = ["assign_pose", "get_local_from_world", "get_pose", "get_world_from_local", "tf_matrices_from_poses"]
