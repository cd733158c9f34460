"""Views of meshes that have signed distance fields."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.backends import on_host, shaped
from phalanx.facade.isaacsim.core.prims.geometry_prim import GeometryPrim
from phalanx.facade.isaacsim.core.prims.soft_view import SoftPrims
from phalanx.io.formats.usd.bindings import Prim, UsdGeom, UsdPhysics
from phalanx.io.formats.usd.frames import Units
from phalanx.io.formats.usd.meshes import triangles
from phalanx.io.formats.usd.notes import Notes
from phalanx.io.formats.usd.values import Reading
from phalanx.models.meshes.signed_distance import SMALLEST_RESOLUTION, DistanceField, distance_field
from phalanx.models.sdf_options import SdfOptions

log = logging.getLogger("phalanx.facade")

SCHEMA = "PhysxSDFMeshCollisionAPI"

MOST_CELLS = 256
"""Along the longest side, of a field that is asked for distances: 256 take 70 MB."""


def _sampled(field: DistanceField, points: np.ndarray) -> np.ndarray:
    """Gradients and distances, (n, 4), of a field at points (n, 3)."""
    counts = np.array(field.distances.shape)
    places = (points - field.centre - field.corner) / field.cell
    within = np.clip(places, 0.0, counts - 1.0)
    first = np.minimum(within.astype(int), counts - 2)
    share = within - first
    corners = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), -1).reshape(8, 3)
    nodes = first[:, None] + corners
    values = field.distances[nodes[..., 0], nodes[..., 1], nodes[..., 2]].astype(float)
    weights = np.where(corners, share[:, None], 1.0 - share[:, None])  # (n, 8, 3)
    found = np.empty((len(points), 4))
    for axis in range(3):
        others = weights[..., (axis + 1) % 3] * weights[..., (axis + 2) % 3]
        found[:, axis] = (values * others * np.where(corners[:, axis], 1.0, -1.0)).sum(axis=1) / field.cell
    beyond = (places - within) * field.cell
    length = np.linalg.norm(beyond, axis=1)
    found[:, 3] = (values * weights.prod(axis=2)).sum(axis=1) + length
    far = length > 0.0
    found[far, :3] = beyond[far] / length[far, None]
    return found


class SdfShapePrim(GeometryPrim, SoftPrims):
    """Meshes that collide by signed distance fields. See :class:`GeometryPrim`.

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

    def get_sdf_and_gradients(self, points: Any, indices: Any = None, clone: bool = True) -> Any:
        """Signed distances from the surfaces of meshes, and how they grow.

        Args:
            points: of all prims, (N, points, 3), in the frames of the meshes, in which their own points are.
            indices: of the prims that are wanted, (M,).
            clone: of no effect.

        Returns:
            (M, points, 4), float32: gradients x, y, z, and the distance, in the meshes' units and negative inside.
            Distances are those of a grid with as many cells as :meth:`get_sdf_resolution` says, :data:`MOST_CELLS` at
            most, between its nodes by interpolation, and outside of it those from its border on top. ``None``, with a
            warning, while nothing plays.

        Raises:
            ValueError: ``points`` has another shape, or a mesh has no inside.
        """
        if simulation.stage_world() is None:
            log.warning("get_sdf_and_gradients: nothing is simulated; let the world play first")
            return None
        self._check_valid()
        asked = shaped("points", on_host(points, float), (self.count, on_host(points).shape[-2], 3))
        chosen = self._chosen(indices)
        resolutions = on_host(self.get_sdf_resolution(indices)).tolist()
        found = [
            _sampled(self._field(self._prims[i], int(cells)), asked[i])
            for i, cells in zip(chosen, resolutions, strict=True)
        ]
        return self._backend.give(np.array(found, np.float32).reshape(len(chosen), asked.shape[1], 4))

    def _field(self, prim: Prim, resolution: int) -> DistanceField:
        """The field of a mesh; the same object for the same mesh."""
        stage = prim.GetStage()
        reading = Reading(stage, Units.of(stage), Notes(stage.GetRootLayer().identifier))
        vertices, faces = triangles(reading, prim, np.eye(4))
        return distance_field(vertices, faces, SdfOptions(min(max(resolution, SMALLEST_RESOLUTION), MOST_CELLS)))

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
