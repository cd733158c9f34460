"""Poses of prims, and the operations that prims keep them in. Quaternions are (w, x, y, z)."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.transforms import resolve_prim_pose, standardize_xform_ops, wxyz
from phalanx.io.formats.usd.bindings import Gf, Prim, UsdGeom


def clear_xform_ops(prim: Prim) -> None:
    """Remove all operations that place a prim: it is then where the prim above is."""
    UsdGeom.Xformable(prim).ClearXformOpOrder()
    for name in list(prim.GetAuthoredPropertyNames()):
        if name.startswith("xformOp:"):
            prim.RemoveProperty(name)


def reset_xform_ops(prim: Prim) -> None:
    """Let a prim be where the prim above is, by translation, orientation and scale."""
    reset_and_set_xform_ops(prim, Gf.Vec3d(0.0), Gf.Quatd(1.0))


def reset_and_set_xform_ops(prim: Prim, translation: Any, orientation: Any, scale: Any = (1.0, 1.0, 1.0)) -> None:
    """Place a prim by translation, orientation and scale, whatever operations it had.

    Args:
        prim: to place.
        translation: in the frame of the prim above, a ``Gf.Vec3d`` or a sequence.
        orientation: in the frame of the prim above, a ``Gf.Quatd`` or a sequence (w, x, y, z).
        scale: along the prim's own axes.

    Raises:
        ValueError: values have the wrong number of elements or no length.
    """
    if hasattr(orientation, "GetReal"):
        orientation = (orientation.GetReal(), *orientation.GetImaginary())
    clear_xform_ops(prim)
    standardize_xform_ops(prim, tuple(translation), tuple(orientation), tuple(scale))


def get_local_pose(prim_path: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a prim of the current stage is in the frame of the prim above: translation (3,), and quaternion (4,).

    Raises:
        ValueError: there is no prim at the path.
    """
    matrix = Gf.Matrix4d(UsdGeom.Xformable(prim_at(prim_path)).GetLocalTransformation())
    return np.array(matrix.ExtractTranslation()), np.array(wxyz(matrix.RemoveScaleShear().ExtractRotationQuat()))


def get_world_pose(prim_path: str) -> tuple[np.ndarray, np.ndarray]:
    """Where a prim of the current stage is in the world: position (3,), and quaternion (4,).

    Raises:
        ValueError: there is no prim at the path.
    """
    position, orientation = resolve_prim_pose(prim_at(prim_path))
    return np.array(position), np.array(orientation)


__all__ = ["clear_xform_ops", "get_local_pose", "get_world_pose", "reset_and_set_xform_ops", "reset_xform_ops"]
