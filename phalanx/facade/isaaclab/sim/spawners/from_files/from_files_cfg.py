"""Assets from files, and the ground."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

from phalanx.facade.isaaclab.sim import converters, schemas
from phalanx.facade.isaaclab.sim.spawners import materials
from phalanx.facade.isaaclab.sim.spawners.from_files import from_files
from phalanx.facade.isaaclab.sim.spawners.spawner_cfg import (
    DeformableObjectSpawnerCfg,
    RigidObjectSpawnerCfg,
    SpawnerCfg,
)
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class FileCfg(RigidObjectSpawnerCfg, DeformableObjectSpawnerCfg):
    """What all assets from files have in common. Properties change what the file has; those it has not, stay away."""

    scale: tuple[float, float, float] | None = None
    """Along x, y and z; ``None`` is as in the file."""

    articulation_props: schemas.ArticulationRootPropertiesCfg | None = None
    """Of its articulations."""

    fixed_tendons_props: schemas.FixedTendonPropertiesCfg | None = None
    """Of its fixed tendons."""

    spatial_tendons_props: schemas.SpatialTendonPropertiesCfg | None = None
    """Of its spatial tendons."""

    joint_drive_props: schemas.JointDrivePropertiesCfg | None = None
    """Of the drives of its joints."""

    visual_material_path: str = "material"
    """Where the visual material is put: an absolute path, or one below the prim."""

    visual_material: materials.VisualMaterialCfg | None = None
    """How it looks, instead of as in the file."""


@configclass
class UsdFileCfg(FileCfg):
    """An asset from a USD file."""

    func: Callable[..., Any] = from_files.spawn_from_usd

    usd_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """The file."""

    variants: object | dict[str, str] | None = None
    """The variant of each variant set that is named, by a dictionary or by the members of a configuration."""


@configclass
class UrdfFileCfg(FileCfg, converters.UrdfConverterCfg):
    """An asset from a URDF file, which is converted to USD first."""

    func: Callable[..., Any] = from_files.spawn_from_urdf


@configclass
class MjcfFileCfg(FileCfg, converters.MjcfConverterCfg):
    """An asset from an MJCF file, which is converted to USD first."""

    func: Callable[..., Any] = from_files.spawn_from_mjcf


@configclass
class UsdFileWithCompliantContactCfg(UsdFileCfg):
    """An asset from a USD file, contacts of which give way."""

    func: Callable[..., Any] = from_files.spawn_from_usd_with_compliant_contact_material

    compliant_contact_stiffness: float | None = None
    """N/m; ``None`` is that of ``RigidBodyMaterialCfg``."""

    compliant_contact_damping: float | None = None
    """N s/m; ``None`` likewise. Where neither is given, contacts stay as in the file."""

    physics_material_prim_path: str | list[str] | None = None
    """Of which prims: absolute paths, or ones below the asset's prim."""


@configclass
class GroundPlaneCfg(SpawnerCfg):
    """A ground without end."""

    func: Callable[..., Any] = from_files.spawn_ground_plane

    usd_path: str | None = None
    """A file with a plane to use; by default a plane is made."""

    color: tuple[float, float, float] | None = (0.0, 0.0, 0.0)
    """Red, green and blue, 0 to 1."""

    size: tuple[float, float] = (100.0, 100.0)
    """How much of it is drawn along x and y, m. It collides without end."""

    physics_material: materials.RigidBodyMaterialCfg = materials.RigidBodyMaterialCfg()
    """Its friction and restitution."""
