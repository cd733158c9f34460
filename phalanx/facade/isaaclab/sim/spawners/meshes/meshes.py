"""Puts shapes on the stage as triangle meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.isaaclab.sim.schemas import define_deformable_body_properties, define_mass_properties
from phalanx.facade.isaaclab.sim.spawners.geometry import (
    Pose,
    add_materials,
    add_physics,
    all_or_nothing,
    begin,
    refuse_existing,
)
from phalanx.facade.isaaclab.sim.utils import clone, get_current_stage
from phalanx.io.formats.usd.bindings import Prim, UsdGeom

if TYPE_CHECKING:
    import trimesh

    from phalanx.facade.isaaclab.sim.spawners.meshes import meshes_cfg


@clone
def spawn_mesh_sphere(
    prim_path: str, cfg: meshes_cfg.MeshSphereCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a sphere of triangles on the stage: an Xform at the path, a ``UsdGeom.Mesh`` at ``geometry/mesh`` below it.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: what.
        translation: (x, y, z) in the parent's frame, m; (0, 0, 0) by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; (1, 0, 0, 0) by default.
        kwargs: what :func:`clone` takes.

    Returns:
        The prim, or the first of them.

    Raises:
        ValueError: there is a prim at the path already, or it is to be both rigid and deformable, or its
            physics material is of the other kind.
    """
    import trimesh

    sphere = trimesh.creation.uv_sphere(radius=cfg.radius)
    return _spawn(prim_path, cfg, sphere, "boundingSphere", translation, orientation)


@clone
def spawn_mesh_cuboid(
    prim_path: str, cfg: meshes_cfg.MeshCuboidCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a box of triangles on the stage; else as :func:`spawn_mesh_sphere`."""
    import trimesh

    return _spawn(prim_path, cfg, trimesh.creation.box(cfg.size), "boundingCube", translation, orientation)


@clone
def spawn_mesh_cylinder(
    prim_path: str, cfg: meshes_cfg.MeshCylinderCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a cylinder of triangles on the stage; else as :func:`spawn_mesh_sphere`."""
    import trimesh

    made = trimesh.creation.cylinder(radius=cfg.radius, height=cfg.height, transform=_onto(cfg.axis))
    return _spawn(prim_path, cfg, made, "convexHull", translation, orientation)


@clone
def spawn_mesh_capsule(
    prim_path: str, cfg: meshes_cfg.MeshCapsuleCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a capsule of triangles on the stage; else as :func:`spawn_mesh_sphere`."""
    import trimesh

    made = trimesh.creation.capsule(radius=cfg.radius, height=cfg.height, transform=_onto(cfg.axis))
    return _spawn(prim_path, cfg, made, "convexHull", translation, orientation)


@clone
def spawn_mesh_cone(
    prim_path: str, cfg: meshes_cfg.MeshConeCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put a cone of triangles on the stage, its base at the origin; else as :func:`spawn_mesh_sphere`."""
    import trimesh

    made = trimesh.creation.cone(radius=cfg.radius, height=cfg.height, transform=_onto(cfg.axis))
    return _spawn(prim_path, cfg, made, "convexHull", translation, orientation)


def _onto(axis: str) -> np.ndarray:
    """(4, 4): a rotation that takes z to an axis."""
    if axis.upper() not in ("X", "Y", "Z"):
        raise ValueError(f'axis={axis!r}: must be "X", "Y" or "Z"')
    found = np.eye(4)
    found[:3, :3] = np.roll(np.eye(3), "XYZ".index(axis.upper()) + 1, axis=0)
    return found


def _spawn(
    prim_path: str,
    cfg: meshes_cfg.MeshCfg,
    mesh: trimesh.Trimesh,
    approximation: str,
    translation: Pose,
    orientation: Pose,
) -> Prim:
    """An Xform with a mesh below it, and the physics and materials that are given."""
    if cfg.deformable_props is not None:
        if cfg.rigid_props is not None or cfg.collision_props is not None:
            raise ValueError(
                "deformable_props together with rigid_props or collision_props: a prim is deformable or rigid, not both"
            )
        if cfg.physics_material is not None and not hasattr(cfg.physics_material, "youngs_modulus"):
            raise ValueError("deformable_props need a deformable physics material, such as DeformableBodyMaterialCfg")
    elif cfg.rigid_props is not None and hasattr(cfg.physics_material, "youngs_modulus"):
        raise ValueError("rigid_props need a rigid physics material, such as RigidBodyMaterialCfg")
    refuse_existing(prim_path)
    with all_or_nothing(prim_path):
        prim, geometry = begin(prim_path, translation, orientation)
        made = UsdGeom.Mesh.Define(get_current_stage(), f"{geometry}/mesh")
        made.CreatePointsAttr(np.asarray(mesh.vertices, "float32").tolist())
        made.CreateFaceVertexIndicesAttr(np.asarray(mesh.faces).reshape(-1).tolist())
        made.CreateFaceVertexCountsAttr([3] * len(mesh.faces))
        made.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.bilinear)
        made.CreateExtentAttr(np.asarray(mesh.bounds, "float32").tolist())
        if cfg.deformable_props is None:
            add_physics(prim_path, cfg, approximation)
            return prim
        mesh_path = f"{geometry}/mesh"
        if cfg.mass_props is not None:
            define_mass_properties(mesh_path, cfg.mass_props)
        define_deformable_body_properties(mesh_path, cfg.deformable_props)
        add_materials(mesh_path, geometry, cfg)
    return prim
