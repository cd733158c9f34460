"""Vertices of meshes."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.utils.transformations import get_relative_transform
from phalanx.io.formats.usd.bindings import Prim, UsdGeom


def get_mesh_vertices_relative_to(mesh_prim: Any, coord_prim: Prim) -> np.ndarray:
    """The vertices of a mesh in another prim's frame, (N, 3).

    Args:
        mesh_prim: a ``UsdGeom.Mesh``, or its prim.
        coord_prim: the prim, whose scale is in its frame.

    Raises:
        ValueError: the mesh has no points.
    """
    prim = mesh_prim if not hasattr(mesh_prim, "GetPrim") else mesh_prim.GetPrim()
    points = UsdGeom.Mesh(prim).GetPointsAttr().Get()
    if not points:
        raise ValueError(f"<{prim.GetPath()}> has no points")
    matrix = get_relative_transform(prim, coord_prim)
    return np.array(points, float) @ matrix[:3, :3].T + matrix[:3, 3]


__all__ = ["get_mesh_vertices_relative_to"]
