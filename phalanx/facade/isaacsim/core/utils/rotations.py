"""One rotation in its several forms, as NumPy arrays. Quaternions are (w, x, y, z).

Euler angles (a, b, c) about x, y, z are *extrinsic* by default: about the axes of the frame that stays, x first, so
that the matrix is R_z(c) R_y(b) R_x(a). *Intrinsic* ones are about the axes that turn along, x first:
R_x(a) R_y(b) R_z(c).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.utils.numpy import rotations as many
from phalanx.io.formats.usd.bindings import Gf


def euler_angles_to_quat(euler_angles: np.ndarray, degrees: bool = False, extrinsic: bool = True) -> np.ndarray:
    """The quaternion, (4,), of Euler angles, (3,), in rad or in degrees."""
    return many.euler_angles_to_quats(euler_angles, degrees, extrinsic)


def euler_to_rot_matrix(euler_angles: np.ndarray, degrees: bool = False, extrinsic: bool = True) -> np.ndarray:
    """The matrix, (3, 3), of Euler angles, (3,), in rad or in degrees."""
    return quat_to_rot_matrix(euler_angles_to_quat(euler_angles, degrees, extrinsic))


def quat_to_euler_angles(quat: np.ndarray, degrees: bool = False, extrinsic: bool = True) -> np.ndarray:
    """Euler angles, (3,), in rad or in degrees, of a quaternion, (4,)."""
    return many.quats_to_euler_angles(quat, degrees, extrinsic)


def matrix_to_euler_angles(mat: np.ndarray, degrees: bool = False, extrinsic: bool = True) -> np.ndarray:
    """Euler angles, (3,), in rad or in degrees, of a matrix, (3, 3)."""
    return quat_to_euler_angles(rot_matrix_to_quat(mat), degrees, extrinsic)


def quat_to_rot_matrix(quat: np.ndarray) -> np.ndarray:
    """The matrix, (3, 3), of a quaternion, (4,)."""
    return many.quats_to_rot_matrices(quat)


def rot_matrix_to_quat(mat: np.ndarray) -> np.ndarray:
    """The quaternion, (4,), of a matrix, (3, 3)."""
    return many.rot_matrices_to_quats(mat)


def gf_quat_to_np_array(orientation: Any) -> np.ndarray:
    """A quaternion of ``pxr.Gf``, in any precision, as (4,)."""
    return many.gf_quat_to_tensor(orientation)


def gf_rotation_to_np_array(orientation: Any) -> np.ndarray:
    """A ``Gf.Rotation`` as a quaternion, (4,)."""
    return gf_quat_to_np_array(orientation.GetQuat())


def lookat_to_quatf(camera: Any, target: Any, up: Any) -> Any:
    """The ``Gf.Quatf`` of a camera that looks along its -z at a target, with its y upwards.

    Args:
        camera: where it is, a ``Gf.Vec3f``.
        target: what it looks at.
        up: the direction that is up in the picture.

    Raises:
        ValueError: the target is where the camera is, or straight above or below it.
    """
    eye, target, up = (Gf.Vec3d(*map(float, one)) for one in (camera, target, up))
    if not Gf.Cross(target - eye, up).GetLength() > 1e-9 * (target - eye).GetLength() * up.GetLength():
        raise ValueError(f"no orientation looks from {tuple(eye)} at {tuple(target)} with {tuple(up)} upwards")
    return Gf.Quatf(Gf.Matrix4d().SetLookAt(eye, target, up).GetInverse().ExtractRotationQuat())


__all__ = [
    "euler_angles_to_quat",
    "euler_to_rot_matrix",
    "gf_quat_to_np_array",
    "gf_rotation_to_np_array",
    "lookat_to_quatf",
    "matrix_to_euler_angles",
    "quat_to_euler_angles",
    "quat_to_rot_matrix",
    "rot_matrix_to_quat",
]
