"""Meshes for cloth and deformable bodies, and what lets meshes of a stage be deformable bodies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade.isaacsim.core.api.materials import deformable_attributes as attributes
from phalanx.facade.isaacsim.core.api.materials.accessors import write
from phalanx.io.formats.usd.bindings import Gf, Prim, Sdf, Stage, UsdGeom, UsdShade

SCHEMA = "PhysxDeformableBodyAPI"

_FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
"""Corners of a tetrahedron's faces, seen from outside against the clock if its volume is positive."""


def create_triangle_mesh_square(dimx: int, dimy: int, scale: float = 1.0) -> tuple[list[Any], list[int]]:
    """A square of triangles in the plane z = 0, around the origin.

    Args:
        dimx: squares along x, of two triangles each.
        dimy: along y.
        scale: its edge, in stage units.

    Returns:
        Points, ((dimx + 1) (dimy + 1), 3), x first, and numbers of points, 6 dimx dimy.
    """
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, dimx + 1), np.linspace(-0.5, 0.5, dimy + 1))
    points = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1) * float(scale)
    corner = (np.arange(dimy)[:, None] * (dimx + 1) + np.arange(dimx)).ravel()
    right, above, across = corner + 1, corner + dimx + 1, corner + dimx + 2
    triangles = np.stack([corner, right, across, corner, across, above], axis=1)
    return [Gf.Vec3f(*each) for each in points.tolist()], triangles.ravel().tolist()


def extractTriangleSurfaceFromTetra(
    tetra_points: Sequence[Any], tetra_indices: Sequence[int]
) -> tuple[list[Any], list[int]]:
    """The surface of a mesh of tetrahedra: faces that only one of them has.

    Args:
        tetra_points: (n, 3).
        tetra_indices: numbers of points, four for each tetrahedron, whose volume is positive.

    Returns:
        The points of the surface, in the order in which they were, and three numbers of these for each triangle.
    """
    faces = np.asarray(tetra_indices, int).reshape(-1, 4)[:, _FACES].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    outside = faces[np.sort(first[count == 1])]
    used, numbers = np.unique(outside, return_inverse=True)
    return [Gf.Vec3f(*tetra_points[i]) for i in used.tolist()], numbers.ravel().tolist()


def add_physx_deformable_body(
    stage: Stage,
    prim_path: Any,
    collision_simplification: bool = True,
    collision_simplification_remeshing: bool = True,
    collision_simplification_remeshing_resolution: int = 0,
    collision_simplification_target_triangle_count: int = 0,
    collision_simplification_force_conforming: bool = False,
    simulation_hexahedral_resolution: int = 10,
    kinematic_enabled: bool = False,
    self_collision: bool | None = None,
    self_collision_filter_distance: float | None = None,
    solver_position_iteration_count: int | None = None,
    vertex_velocity_damping: float | None = None,
    sleep_damping: float | None = None,
    sleep_threshold: float | None = None,
    settling_threshold: float | None = None,
) -> bool:
    """Let a mesh be a deformable body. What its attributes do is said by ``isaacsim.core.prims.DeformablePrim``.

    Returns:
        Whether there is a mesh at the path.
    """
    mesh = UsdGeom.Mesh.Get(stage, Sdf.Path(str(prim_path)))
    if not mesh:
        return False
    prim = mesh.GetPrim()
    prim.AddAppliedSchema(SCHEMA)
    for name, kind, value in (
        ("collisionSimplification", "Bool", collision_simplification),
        ("collisionSimplificationRemeshing", "Bool", collision_simplification_remeshing),
        ("collisionSimplificationRemeshingResolution", "UInt", collision_simplification_remeshing_resolution),
        ("collisionSimplificationTargetTriangleCount", "UInt", collision_simplification_target_triangle_count),
        ("collisionSimplificationForceConforming", "Bool", collision_simplification_force_conforming),
        ("simulationHexahedralResolution", "UInt", simulation_hexahedral_resolution),
        ("kinematicEnabled", "Bool", kinematic_enabled),
        ("selfCollision", "Bool", self_collision),
        ("selfCollisionFilterDistance", "Float", self_collision_filter_distance),
        ("solverPositionIterationCount", "Int", solver_position_iteration_count),
        ("vertexVelocityDamping", "Float", vertex_velocity_damping),
        ("sleepDamping", "Float", sleep_damping),
        ("sleepThreshold", "Float", sleep_threshold),
        ("settlingThreshold", "Float", settling_threshold),
    ):
        if value is not None:
            write(prim, f"physxDeformable:{name}", kind, value)
    return True


def remove_deformable_body(stage: Stage, prim_path: Any) -> bool:
    """Let a mesh be a deformable body no longer; whether it was one."""
    prim = stage.GetPrimAtPath(Sdf.Path(str(prim_path)))
    return bool(prim) and _is_body(prim) and bool(prim.RemoveAppliedSchema(SCHEMA))


def _is_body(prim: Prim) -> bool:
    return SCHEMA in [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def add_deformable_body_material(
    stage: Stage,
    path: Any,
    damping_scale: float | None = None,
    density: float | None = None,
    dynamic_friction: float | None = None,
    elasticity_damping: float | None = None,
    poissons_ratio: float | None = None,
    youngs_modulus: float | None = None,
) -> bool:
    """A material of deformable bodies; what is ``None`` stays as PhysX takes it. Whether it could be made.

    Args:
        stage: that gets it.
        path: of its prim.
        damping_scale: what damping of elastic motion is scaled by, 0 to 1.
        density: in the stage's units.
        dynamic_friction: coefficient of friction.
        elasticity_damping: s.
        poissons_ratio: below 0.5.
        youngs_modulus: Pa.
    """
    material = UsdShade.Material.Define(stage, Sdf.Path(str(path)))
    if not material:
        return False
    prim = material.GetPrim()
    prim.AddAppliedSchema(attributes.SCHEMA)
    for name, value in (
        (attributes.DAMPING_SCALE[0], damping_scale),
        (f"{attributes.PREFIX}:density", density),
        (attributes.DYNAMIC_FRICTION[0], dynamic_friction),
        (attributes.ELASTICITY_DAMPING[0], elasticity_damping),
        (attributes.POISSONS_RATIO[0], poissons_ratio),
        (attributes.YOUNGS_MODULUS[0], youngs_modulus),
    ):
        if value is not None:
            write(prim, name, "Float", value)
    return True


__all__ = [
    "add_deformable_body_material",
    "add_physx_deformable_body",
    "create_triangle_mesh_square",
    "extractTriangleSurfaceFromTetra",
    "remove_deformable_body",
]
