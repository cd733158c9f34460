"""What stands for meshes in collisions. Fields that are ``None`` leave what is on the stage as it is.

How hulls are cooked, and how meshes are simplified, are hints: the engine has its own ways and does not read them.
"""

from __future__ import annotations

from typing import ClassVar

from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MeshCollisionPropertiesCfg:
    """What the kinds have in common; use one of them."""

    mesh_approximation_name: str = "none"
    """The word that UsdPhysics has for the kind."""

    physx_schema: ClassVar[tuple[str, str] | None] = None
    """The schema of PhysX with the kind's hints, and the space of their names."""


@configclass
class BoundingCubePropertiesCfg(MeshCollisionPropertiesCfg):
    """A box around the mesh."""

    mesh_approximation_name: str = "boundingCube"


@configclass
class BoundingSpherePropertiesCfg(MeshCollisionPropertiesCfg):
    """A sphere around the mesh."""

    mesh_approximation_name: str = "boundingSphere"


@configclass
class ConvexDecompositionPropertiesCfg(MeshCollisionPropertiesCfg):
    """Convex hulls of parts of the mesh."""

    mesh_approximation_name: str = "convexDecomposition"

    physx_schema: ClassVar[tuple[str, str] | None] = (
        "PhysxConvexDecompositionCollisionAPI",
        "physxConvexDecompositionCollision",
    )

    hull_vertex_limit: int | None = None
    """Vertices of a hull at most."""

    max_convex_hulls: int | None = None
    """Hulls at most."""

    min_thickness: float | None = None
    """Of a hull, m."""

    voxel_resolution: int | None = None
    """Cells in which the mesh is looked at."""

    error_percentage: float | None = None
    """How much of the volume may be wrong."""

    shrink_wrap: bool | None = None
    """Whether vertices of hulls are put onto the mesh."""


@configclass
class ConvexHullPropertiesCfg(MeshCollisionPropertiesCfg):
    """The convex hull of the mesh."""

    mesh_approximation_name: str = "convexHull"

    physx_schema: ClassVar[tuple[str, str] | None] = ("PhysxConvexHullCollisionAPI", "physxConvexHullCollision")

    hull_vertex_limit: int | None = None
    """Its vertices at most."""

    min_thickness: float | None = None
    """m."""


@configclass
class TriangleMeshPropertiesCfg(MeshCollisionPropertiesCfg):
    """The triangles themselves; for what does not move."""

    mesh_approximation_name: str = "none"

    physx_schema: ClassVar[tuple[str, str] | None] = ("PhysxTriangleMeshCollisionAPI", "physxTriangleMeshCollision")

    weld_tolerance: float | None = None
    """Distance within which vertices are one, m."""


@configclass
class TriangleMeshSimplificationPropertiesCfg(MeshCollisionPropertiesCfg):
    """Fewer triangles; for what does not move. The engine takes them all, and tells of it."""

    mesh_approximation_name: str = "meshSimplification"

    physx_schema: ClassVar[tuple[str, str] | None] = (
        "PhysxTriangleMeshSimplificationCollisionAPI",
        "physxTriangleMeshSimplificationCollision",
    )

    simplification_metric: float | None = None
    """How much of the accuracy is kept."""

    weld_tolerance: float | None = None
    """Distance within which vertices are one, m."""


@configclass
class SDFMeshPropertiesCfg(MeshCollisionPropertiesCfg):
    """A signed distance field of the mesh."""

    mesh_approximation_name: str = "sdf"

    physx_schema: ClassVar[tuple[str, str] | None] = ("PhysxSDFMeshCollisionAPI", "physxSDFMeshCollision")

    sdf_margin: float | None = None
    """How far it reaches beyond the mesh, in lengths of the diagonal of the mesh's bounds."""

    sdf_narrow_band_thickness: float | None = None
    """How far it is fine around the surface; not read by the engine."""

    sdf_resolution: int | None = None
    """Cells along the longest side."""

    sdf_subgrid_resolution: int | None = None
    """Cells of a block of the fine part; not read by the engine."""

    sdf_bits_per_subgrid_pixel: str | None = None
    """How fine its numbers are ("BitsPerPixel8", 16 or 32); not read by the engine."""
