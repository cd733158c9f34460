"""Shapes as triangle meshes: what makes them, their sizes and materials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners import materials
from phalanx.facade.isaaclab.sim.spawners.meshes import meshes
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import DeformableObjectSpawnerCfg, RigidObjectSpawnerCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class MeshCfg(RigidObjectSpawnerCfg, DeformableObjectSpawnerCfg):
    """What all meshes have in common."""

    visual_material_path: str = "material"
    """Where the visual material is put: an absolute path, or one below the prim's ``geometry``."""

    visual_material: materials.VisualMaterialCfg | None = None
    """How it looks."""

    physics_material_path: str = "material"
    """Where the physics material is put: an absolute path, or one below the prim's ``geometry``."""

    physics_material: materials.PhysicsMaterialCfg | None = None
    """Its friction and restitution."""


@configclass
class MeshSphereCfg(MeshCfg):
    """A sphere; a sphere around it collides."""

    func: Callable[..., Any] = meshes.spawn_mesh_sphere

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""


@configclass
class MeshCuboidCfg(MeshCfg):
    """A box; a box around it collides."""

    func: Callable[..., Any] = meshes.spawn_mesh_cuboid

    size: tuple[float, float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Lengths of its edges along x, y and z, m."""


@configclass
class MeshCylinderCfg(MeshCfg):
    """A cylinder; its convex hull collides."""

    func: Callable[..., Any] = meshes.spawn_mesh_cylinder

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """What it lies along."""


@configclass
class MeshCapsuleCfg(MeshCfg):
    """A capsule; its convex hull collides."""

    func: Callable[..., Any] = meshes.spawn_mesh_capsule

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Of its cylinder, without the round ends, m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """What it lies along."""


@configclass
class MeshConeCfg(MeshCfg):
    """A cone with its base at the origin; its convex hull collides."""

    func: Callable[..., Any] = meshes.spawn_mesh_cone

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Of its base, m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """Where its apex is."""
