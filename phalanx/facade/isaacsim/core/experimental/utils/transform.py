"""Rotations as arrays of Warp; quaternions are (w, x, y, z), Euler angles are about x, y and z."""

from __future__ import annotations

from typing import Any

from phalanx.facade.backends import to_warp
from phalanx.facade.isaaclab.utils.math import matrix_from_quat, quat_conjugate, quat_from_matrix, quat_mul
from phalanx.facade.isaacsim.core.experimental.utils.ops import engine_array
from phalanx.facade.isaacsim.core.utils.array_rotations import from_euler


def _real(x: Any, dtype: Any, device: Any) -> Any:
    array = engine_array(x, dtype, device)
    return array if array.dtype.kind == "f" else array.astype("float32")


def _checked(what: str, array: Any, tail: tuple[int, ...]) -> Any:
    if tuple(array.shape[-len(tail) :]) != tail:
        wanted = ", ".join(map(str, tail))
        raise ValueError(f"{what} have shape {tuple(array.shape)}; it must be (..., {wanted})")
    return array


def rotation_matrix_to_quaternion(rotation_matrix: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Quaternions (..., 4) of matrices (..., 3, 3).

    Raises:
        ValueError: they have another shape.
    """
    given = _checked("rotation matrices", _real(rotation_matrix, dtype, device), (3, 3))
    return to_warp(quat_from_matrix(given).astype(given.dtype, copy=False))


def euler_angles_to_rotation_matrix(
    euler_angles: Any, *, degrees: bool = False, extrinsic: bool = True, dtype: Any = None, device: Any = None
) -> Any:
    """Matrices (..., 3, 3) of Euler angles (..., 3).

    Args:
        euler_angles: in rad.
        degrees: they are in degrees.
        extrinsic: rotations are about the axes of the world, one after the other; else about those of the body.
        dtype, device: see :func:`.ops.place`.

    Raises:
        ValueError: they have another shape.
    """
    given = _checked("Euler angles", _real(euler_angles, dtype, device), (3,))
    return to_warp(matrix_from_quat(from_euler(given, degrees, extrinsic)).astype(given.dtype, copy=False))


def euler_angles_to_quaternion(
    euler_angles: Any, *, degrees: bool = False, extrinsic: bool = True, dtype: Any = None, device: Any = None
) -> Any:
    """Quaternions (..., 4) of Euler angles (..., 3); see :func:`euler_angles_to_rotation_matrix`."""
    given = _checked("Euler angles", _real(euler_angles, dtype, device), (3,))
    return to_warp(from_euler(given, degrees, extrinsic).astype(given.dtype, copy=False))


def quaternion_multiplication(
    first_quaternion: Any, second_quaternion: Any, *, dtype: Any = None, device: Any = None
) -> Any:
    """Products (..., 4) of quaternions: the rotation by the second, and then by the first.

    Raises:
        ValueError: they have other shapes, or different ones.
    """
    first = _checked("quaternions", _real(first_quaternion, dtype, device), (4,))
    second = _checked("quaternions", _real(second_quaternion, dtype, device), (4,))
    if first.shape != second.shape and first.size != second.size:
        raise ValueError(f"quaternions have shapes {tuple(first.shape)} and {tuple(second.shape)}; they must be equal")
    return to_warp(quat_mul(first, second.reshape(first.shape).astype(first.dtype, copy=False)))


def quaternion_conjugate(quaternion: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Conjugates (..., 4) of quaternions.

    Raises:
        ValueError: they have another shape.
    """
    return to_warp(quat_conjugate(_checked("quaternions", _real(quaternion, dtype, device), (4,))))


def quaternion_to_rotation_matrix(quaternion: Any, *, dtype: Any = None, device: Any = None) -> Any:
    """Matrices (..., 3, 3) of quaternions (..., 4).

    Raises:
        ValueError: they have another shape.
    """
    return to_warp(matrix_from_quat(_checked("quaternions", _real(quaternion, dtype, device), (4,))))
