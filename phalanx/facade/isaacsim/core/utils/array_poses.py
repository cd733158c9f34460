"""Poses of arrays of NumPy, CuPy or torch; quaternions are (w, x, y, z) unless rows have seven numbers."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.utils.math import convert_quat, make_pose, matrix_from_quat, quat_from_matrix
from phalanx.facade.namespaces import as_like, common, rows


def matrices(translations: Any, orientations: Any) -> Any:
    """Matrices, (N, 4, 4), which are multiplied with columns, of translations (N, 3) and quaternions (N, 4)."""
    return make_pose(translations, matrix_from_quat(orientations))


def rows_of_seven(positions: Any, orientations: Any) -> Any:
    """Poses, (N, 7), with quaternions (x, y, z, w), as tensor views take them."""
    xp, positions, orientations = common(positions, orientations)
    return xp.concatenate([positions, convert_quat(orientations, to="xyzw")], -1)


def written(
    current_positions: Any, current_orientations: Any, positions: Any, orientations: Any, indices: Any, pose: Any
) -> Any:
    """Poses of all, (N, 7), quaternions (x, y, z, w), with those of some written.

    Args:
        current_positions, current_orientations: of all, (N, 3) and (N, 4).
        positions, orientations: of some, (M, 3) and (M, 4); ``None`` leaves the current ones.
        indices: which ones, (M,).
        pose: where to write, (N, 7); a new array by default.
    """
    current = rows_of_seven(current_positions, current_orientations)
    pose = current if pose is None else pose
    pose[...] = current
    if positions is not None:
        pose[rows(indices), :3] = as_like(pose, positions)
    if orientations is not None:
        pose[rows(indices), 3:] = convert_quat(as_like(pose, orientations), to="xyzw")
    return pose


def to_local(parent_transforms: Any, positions: Any, orientations: Any) -> tuple[Any, Any]:
    """Poses in the world as poses in the frames of prims above.

    Args:
        parent_transforms: where these are, (N, 4, 4), as USD writes matrices: they are multiplied with rows from the
            left, so that the translation is the last row. Scale is divided out of translations, and not in rotations.
        positions, orientations: in the world, (N, 3) and (N, 4).
    """
    return _moved(parent_transforms, positions, orientations, inverse=True)


def to_world(parent_transforms: Any, translations: Any, orientations: Any) -> tuple[Any, Any]:
    """Poses in the frames of prims above as poses in the world: the inverse of :func:`to_local`."""
    return _moved(parent_transforms, translations, orientations, inverse=False)


def _moved(parents: Any, translations: Any, orientations: Any, inverse: bool) -> tuple[Any, Any]:
    xp, translations, orientations = common(translations, orientations)
    parents = as_like(translations, parents).swapaxes(-1, -2)
    place, whole = parents[..., :3, 3], parents[..., :3, :3]
    turn = without_scale(whole)
    rotations = matrix_from_quat(orientations)
    if inverse:
        moved = (xp.linalg.inv(whole) @ (translations - place)[..., None])[..., 0]
        return moved, quat_from_matrix(turn.swapaxes(-1, -2) @ rotations)
    return (whole @ translations[..., None])[..., 0] + place, quat_from_matrix(turn @ rotations)


def without_scale(matrix: Any) -> Any:
    """Rotations, (..., 3, 3), of matrices that also scale along their own axes, (..., 3, 3).

    What mirrors is a rotation with all three axes flipped, as USD has it.
    """
    xp, matrix = common(matrix)
    turn = matrix / xp.sqrt(xp.sum(matrix * matrix, -2))[..., None, :]
    return turn * xp.sign(xp.linalg.det(turn))[..., None, None]
