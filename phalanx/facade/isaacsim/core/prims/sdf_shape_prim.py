"""Views of meshes that have signed distance fields."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from phalanx.facade.isaacsim.core.prims.geometry_prim import GeometryPrim
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims
from phalanx.io.formats.usd.bindings import UsdGeom, UsdPhysics

log = logging.getLogger("phalanx.facade")

SCHEMA = "PhysxSDFMeshCollisionAPI"


class SdfShapePrim(GeometryPrim, SoftPrims):
    """Meshes that collide by signed distance fields. See :class:`GeometryPrim`.

    The engine collides with such meshes, and hands their fields out to nobody.

    Args:
        prim_paths_expr: an expression for paths, or several in a list.
        num_query_points: points that are asked for at once.
        prepare_sdf_schemas: whether meshes get the schemas of such colliders.
        name: for scenes and messages.
        positions, translations, orientations, scales, visibilities, reset_xform_properties, collisions,
            track_contact_forces, prepare_contact_sensors, disable_stablization, contact_filter_prim_paths_expr: see
            :class:`GeometryPrim`.

    Raises:
        ValueError: no prim matches, or an array has another shape.
    """

    WHAT = "signed distance fields"

    def __init__(
        self,
        prim_paths_expr: str | Sequence[str],
        num_query_points: int,
        prepare_sdf_schemas: bool = True,
        name: str = "sdf_shape_view",
        positions: Any = None,
        translations: Any = None,
        orientations: Any = None,
        scales: Any = None,
        visibilities: Any = None,
        reset_xform_properties: bool = True,
        collisions: Any = None,
        track_contact_forces: bool = False,
        prepare_contact_sensors: bool = False,
        disable_stablization: bool = True,
        contact_filter_prim_paths_expr: Sequence[Any] | None = (),
    ) -> None:
        super().__init__(
            prim_paths_expr,
            name,
            positions,
            translations,
            orientations,
            scales,
            visibilities,
            reset_xform_properties,
            collisions,
            track_contact_forces,
            prepare_contact_sensors,
            disable_stablization,
            contact_filter_prim_paths_expr,
        )
        self._num_query_points = int(num_query_points)
        for prim in self._prims if prepare_sdf_schemas else ():
            if not prim.IsA(UsdGeom.Mesh):
                log.error("%s is no mesh, and has no signed distance field", prim.GetPath())
                continue
            UsdPhysics.CollisionAPI.Apply(prim)
            UsdPhysics.MeshCollisionAPI.Apply(prim).CreateApproximationAttr().Set("sdf")
            prim.AddAppliedSchema(SCHEMA)

    @property
    def num_query_points(self) -> int:
        """Points that are asked for at once."""
        return self._num_query_points

    def get_sdf_and_gradients(self, points: Any, indices: Any = None, clone: bool = True) -> None:
        """``None``, with a warning: distances and their gradients at points, (M, points, 4)."""
        log.warning("get_sdf_and_gradients: the engine does not hand out signed distance fields")

    def set_sdf_margins(self, values: Any, indices: Any = None) -> None:
        """Set distances beyond surfaces that fields reach to, of the bounds' diagonal, (M,); from the next reset on."""
        self._set_number("physxSDFMeshCollision:sdfMargin", "Float", SCHEMA, values, indices)

    def get_sdf_margins(self, indices: Any = None, clone: bool = True) -> Any:
        """Distances beyond the surface that fields reach to, of the diagonal of the bounds, (M,)."""
        return self._number("physxSDFMeshCollision:sdfMargin", "Float", 0.01, indices)

    def set_sdf_narrow_band_thickness(self, values: Any, indices: Any = None) -> None:
        """Set thicknesses of the band of fine cells, of the diagonal of the bounds, (M,); from the next reset on."""
        self._set_number("physxSDFMeshCollision:sdfNarrowBandThickness", "Float", SCHEMA, values, indices)

    def get_sdf_narrow_band_thickness(self, indices: Any = None, clone: bool = True) -> Any:
        """Thicknesses of the band of fine cells, of the diagonal of the bounds, (M,)."""
        return self._number("physxSDFMeshCollision:sdfNarrowBandThickness", "Float", 0.01, indices)

    def set_sdf_subgrid_resolution(self, values: Any, indices: Any = None) -> None:
        """Set cells along a side of a block of fine cells, (M,); from the next reset on."""
        self._set_number("physxSDFMeshCollision:sdfSubgridResolution", "Int", SCHEMA, values, indices)

    def get_sdf_subgrid_resolution(self, indices: Any = None, clone: bool = True) -> Any:
        """Cells along a side of a block of fine cells, (M,)."""
        return self._number("physxSDFMeshCollision:sdfSubgridResolution", "Int", 6, indices)

    def set_sdf_resolution(self, values: Any, indices: Any = None) -> None:
        """Set cells along the longest side, (M,); from the next reset on."""
        self._set_number("physxSDFMeshCollision:sdfResolution", "Int", SCHEMA, values, indices)

    def get_sdf_resolution(self, indices: Any = None, clone: bool = True) -> Any:
        """Cells along the longest side, (M,)."""
        return self._number("physxSDFMeshCollision:sdfResolution", "Int", 256, indices)


__all__ = ["SdfShapePrim"]
