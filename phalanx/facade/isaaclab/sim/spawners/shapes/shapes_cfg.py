"""Primitive shapes: what makes them, their sizes and materials."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sim.spawners import materials
from phalanx.facade.isaaclab.sim.spawners.shapes import shapes
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import RigidObjectSpawnerCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ShapeCfg(RigidObjectSpawnerCfg):
    """What all primitive shapes have in common."""

    visual_material_path: str = "material"
    """Where the visual material is put: an absolute path, or one below the prim's ``geometry``."""

    visual_material: materials.VisualMaterialCfg | None = None
    """How it looks."""

    physics_material_path: str = "material"
    """Where the physics material is put: an absolute path, or one below the prim's ``geometry``."""

    physics_material: materials.PhysicsMaterialCfg | None = None
    """Its friction and restitution."""


@configclass
class SphereCfg(ShapeCfg):
    """A sphere."""

    func: Callable[..., Any] = shapes.spawn_sphere

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""


@configclass
class CuboidCfg(ShapeCfg):
    """A box."""

    func: Callable[..., Any] = shapes.spawn_cuboid

    size: tuple[float, float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Lengths of its edges along x, y and z, m."""


@configclass
class CylinderCfg(ShapeCfg):
    """A cylinder."""

    func: Callable[..., Any] = shapes.spawn_cylinder

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """What it lies along."""


@configclass
class CapsuleCfg(ShapeCfg):
    """A capsule."""

    func: Callable[..., Any] = shapes.spawn_capsule

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Of its cylinder, without the round ends, m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """What it lies along."""


@configclass
class ConeCfg(ShapeCfg):
    """A cone, with the middle of its height at the origin."""

    func: Callable[..., Any] = shapes.spawn_cone

    radius: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Of its base, m."""

    height: float = MISSING  # pyright: ignore[reportAssignmentType]
    """m."""

    axis: Literal["X", "Y", "Z"] = "Z"
    """Where its apex is."""
