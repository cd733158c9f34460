"""Boxes around prims: along the world's axes (AABB), or along the prim's own (OBB). Units are the stage's."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom


def create_bbox_cache(time: Any = None, use_extents_hint: bool = True) -> Any:
    """What computes boxes, and keeps them; make a new one when prims have moved.

    Args:
        time: a ``Usd.TimeCode``; the default one by default.
        use_extents_hint: trust the extents that prims of models have written, instead of looking below them.
    """
    time = Usd.TimeCode.Default() if time is None else time
    purposes = [UsdGeom.Tokens.default_]
    return UsdGeom.BBoxCache(time, includedPurposes=purposes, useExtentsHint=use_extents_hint)


def compute_aabb(bbox_cache: Any, prim_path: str, include_children: bool = False) -> np.ndarray:
    """The box along the world's axes around a prim of the current stage and all below it.

    Args:
        bbox_cache: of :func:`create_bbox_cache`.
        prim_path: of the prim.
        include_children: build it of the boxes of all prims below instead of the prim's own box, which is tighter
            where they are turned.

    Returns:
        (6,): least x, y, z, greatest x, y, z. Of what has no extent, the least are greater than the greatest.

    Raises:
        ValueError: there is no such prim.
    """
    prim = prim_at(prim_path)
    if not include_children:
        return _numbers(bbox_cache.ComputeWorldBound(prim).ComputeAlignedRange())
    prims = [one for one in Usd.PrimRange(prim, Usd.TraverseInstanceProxies()) if one.IsA(UsdGeom.Boundable)]
    return _union([_numbers(bbox_cache.ComputeWorldBound(one).ComputeAlignedRange()) for one in prims])


def compute_combined_aabb(bbox_cache: Any, prim_paths: Sequence[str]) -> np.ndarray:
    """The box along the world's axes around several prims, (6,); see :func:`compute_aabb`."""
    return _union([compute_aabb(bbox_cache, path) for path in prim_paths])


def _numbers(box: Any) -> np.ndarray:
    return np.array([*box.GetMin(), *box.GetMax()])


def _union(boxes: list[np.ndarray]) -> np.ndarray:
    greatest = np.finfo(np.float32).max
    boxes = [*boxes, np.repeat((greatest, -greatest), 3)]  # as USD has it where there is nothing
    return np.concatenate([np.min(boxes, 0)[:3], np.max(boxes, 0)[3:]])


def compute_obb(bbox_cache: Any, prim_path: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The box along a prim's own axes around it and all below it. It need not be the smallest one.

    Returns:
        Centre (3,) in the world; axes (3, 3), one in each row, scaled as the prim is; half of the extent (3,) along
        them, which is not scaled.

    Raises:
        ValueError: there is no such prim.
    """
    box = bbox_cache.ComputeWorldBound(prim_at(prim_path))
    axes = np.array(box.GetMatrix())[:3, :3]
    return np.array(box.ComputeCentroid()), axes, 0.5 * np.array(box.GetRange().GetSize())


def get_obb_corners(centroid: np.ndarray, axes: np.ndarray, half_extent: np.ndarray) -> np.ndarray:
    """Corners of a box, (8, 3): for x from the least, for y from the least, z least and greatest.

    Args:
        centroid, axes, half_extent: as :func:`compute_obb` has them.
    """
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    return np.asarray(centroid) + (signs * np.asarray(half_extent)) @ np.asarray(axes)


def compute_obb_corners(bbox_cache: Any, prim_path: str) -> np.ndarray:
    """Corners of the box along a prim's own axes, (8, 3); see :func:`get_obb_corners`."""
    return get_obb_corners(*compute_obb(bbox_cache, prim_path))


def recompute_extents(prim: Prim, time: Any = None, include_children: bool = False) -> None:
    """Write the extent of a prim as it is now.

    Args:
        prim: a ``UsdGeom.Boundable``, or its prim.
        time: a ``Usd.TimeCode``; the default one by default.
        include_children: do so for all such prims below it, too.

    Raises:
        ValueError: the prim has no extent, being no ``UsdGeom.Boundable``.
    """
    time = Usd.TimeCode.Default() if time is None else time
    prim = prim.GetPrim()
    if not include_children and not prim.IsA(UsdGeom.Boundable):
        raise ValueError(f"<{prim.GetPath()}> of type {str(prim.GetTypeName())!r} is no UsdGeom.Boundable")
    for one in Usd.PrimRange(prim) if include_children else [prim]:
        if one.IsA(UsdGeom.Boundable):
            shape = UsdGeom.Boundable(one)
            extent = UsdGeom.Boundable.ComputeExtentFromPlugins(shape, time)
            if extent is not None:
                shape.CreateExtentAttr().Set(extent, time)


__all__ = [
    "compute_aabb",
    "compute_combined_aabb",
    "compute_obb",
    "compute_obb_corners",
    "create_bbox_cache",
    "get_obb_corners",
    "recompute_extents",
]
