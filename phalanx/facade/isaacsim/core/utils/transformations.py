"""Poses as 4 x 4 matrices, NumPy arrays that are multiplied with columns; quaternions are (w, x, y, z)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.arrays import api_of
from phalanx.facade.isaacsim.core.utils import array_poses
from phalanx.facade.isaacsim.core.utils.rotations import quat_to_rot_matrix, rot_matrix_to_quat
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom


def _to_world(prim: Prim) -> np.ndarray:
    """The matrix that takes points of a prim's frame, scale and all, to the world."""
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    return np.array(cache.GetLocalToWorldTransform(prim)).T


def get_relative_transform(source_prim: Prim, target_prim: Prim) -> np.ndarray:
    """The matrix, (4, 4), that takes points of one prim's frame to those of another one's, their scales and all."""
    return np.linalg.solve(_to_world(target_prim), _to_world(source_prim))


def get_translation_from_target(
    translation_from_source: np.ndarray, source_prim: Prim, target_prim: Prim
) -> np.ndarray:
    """A point, (3,), of one prim's frame as one of another one's, (3,)."""
    matrix = get_relative_transform(source_prim, target_prim)
    return matrix[:3, :3] @ np.asarray(translation_from_source, float) + matrix[:3, 3]


def get_world_pose_from_relative(
    coord_prim: Prim, relative_translation: np.ndarray, relative_orientation: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """A pose in a prim's frame as one in the world.

    Args:
        coord_prim: in whose frame the pose is.
        relative_translation: (3,); it is scaled as the prim is.
        relative_orientation: quaternion, (4,).

    Returns:
        Position (3,) and quaternion (4,).
    """
    matrix = _to_world(coord_prim) @ tf_matrix_from_pose(relative_translation, relative_orientation)
    return pose_from_tf_matrix(get_transform_with_normalized_rotation(matrix))


def get_transform_with_normalized_rotation(transform: np.ndarray) -> np.ndarray:
    """A matrix, (4, 4), without the scale along its axes; what mirrors gets all three axes flipped."""
    found = np.array(transform, float)
    found[:3, :3] = array_poses.without_scale(found[:3, :3])
    return found


def pose_from_tf_matrix(transformation: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Translation (3,) and quaternion (4,) of a matrix, (4, 4), without scale."""
    matrix = np.asarray(transformation, float)
    return matrix[:3, 3].copy(), rot_matrix_to_quat(matrix[:3, :3])


def tf_matrix_from_pose(
    translation: Sequence[float] | np.ndarray, orientation: Sequence[float] | np.ndarray
) -> np.ndarray:
    """The matrix, (4, 4), of a translation (3,) and a quaternion (4,)."""
    found = np.eye(4)
    found[:3, :3] = quat_to_rot_matrix(np.asarray(orientation))
    found[:3, 3] = translation
    return found


def tf_matrices_from_poses(translations: Any, orientations: Any) -> Any:
    """Matrices, (N, 4, 4), of translations (N, 3) and quaternions (N, 4): arrays or tensors, as these are."""
    if api_of(translations) is None:
        translations, orientations = np.asarray(translations, float), np.asarray(orientations, float)
    return array_poses.matrices(translations, orientations)


__all__ = [
    "get_relative_transform",
    "get_transform_with_normalized_rotation",
    "get_translation_from_target",
    "get_world_pose_from_relative",
    "pose_from_tf_matrix",
    "tf_matrices_from_poses",
    "tf_matrix_from_pose",
]
