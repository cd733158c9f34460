"""Rays against what there is to be seen: meshes, height fields and primitives, of each environment and shared.

:class:`RayScene` holds instances of :class:`RayGeometry` and casts batches of rays, on the CPU and on NVIDIA GPUs, from
one source; see docs/decisions/0022-rays.md. Scene queries on a world's collision shapes are
:mod:`phalanx.world.queries.scene_queries`.
"""

from phalanx.rays.geometry import RayGeometry, field_geometry, mesh_geometry, primitive_geometry
from phalanx.rays.hits import RayHits
from phalanx.rays.scene import RayScene

__all__ = ["RayGeometry", "RayHits", "RayScene", "field_geometry", "mesh_geometry", "primitive_geometry"]
