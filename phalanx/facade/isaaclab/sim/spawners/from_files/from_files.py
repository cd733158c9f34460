"""Puts assets from files on the stage, and the ground."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from phalanx.facade.isaaclab.sim import converters, schemas
from phalanx.facade.isaaclab.sim.spawners.from_files.references import check_file, refer
from phalanx.facade.isaaclab.sim.spawners.geometry import Pose, all_or_nothing, refuse_existing
from phalanx.facade.isaaclab.sim.spawners.materials import RigidBodyMaterialCfg
from phalanx.facade.isaaclab.sim.utils import (
    bind_physics_material,
    bind_visual_material,
    clone,
    create_prim,
    get_current_stage,
    select_usd_variants,
)
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom, UsdPhysics

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.from_files import from_files_cfg

logger = logging.getLogger("phalanx.facade")


@clone
def spawn_from_usd(
    prim_path: str, cfg: from_files_cfg.UsdFileCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put what a USD file has on the stage, by reference.

    If there is a prim at the path already, it is not touched but for the properties that are given, with a warning.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: what.
        translation: (x, y, z) in the parent's frame, m; as in the file by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; as in the file by default.
        kwargs: what :func:`clone` takes.

    Returns:
        The prim, or the first of them.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it has no prim that could be referred to.
    """
    return _spawn(prim_path, cfg.usd_path, cfg, translation, orientation)


@clone
def spawn_from_urdf(
    prim_path: str, cfg: from_files_cfg.UrdfFileCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put what a URDF file has on the stage, converted to USD; else as :func:`spawn_from_usd`."""
    return _spawn(prim_path, converters.UrdfConverter(cfg).usd_path, cfg, translation, orientation)


@clone
def spawn_from_mjcf(
    prim_path: str, cfg: from_files_cfg.MjcfFileCfg, translation: Pose = None, orientation: Pose = None, **kwargs: Any
) -> Prim:
    """Put what an MJCF file has on the stage, converted to USD; else as :func:`spawn_from_usd`."""
    return _spawn(prim_path, converters.MjcfConverter(cfg).usd_path, cfg, translation, orientation)


@clone
def spawn_from_usd_with_compliant_contact_material(
    prim_path: str,
    cfg: from_files_cfg.UsdFileWithCompliantContactCfg,
    translation: Pose = None,
    orientation: Pose = None,
    **kwargs: Any,
) -> Prim:
    """Put what a USD file has on the stage, with contacts of some of its prims that give way; else as
    :func:`spawn_from_usd`.
    """
    prim = _spawn(prim_path, cfg.usd_path, cfg, translation, orientation)
    given: dict[str, Any] = {"compliant_contact_stiffness": cfg.compliant_contact_stiffness}
    given["compliant_contact_damping"] = cfg.compliant_contact_damping
    given = {name: value for name, value in given.items() if value is not None}
    if cfg.physics_material_prim_path is None:
        logger.warning("<%s>: physics_material_prim_path is not given: contacts stay as in the file", prim_path)
        return prim
    paths = cfg.physics_material_prim_path
    for path in [paths] if isinstance(paths, str) else paths:
        whole = path if path.startswith("/") else f"{prim_path}/{path}"
        if given:
            material = RigidBodyMaterialCfg(**given)
            material.func(f"{whole}/compliant_material", material)
            bind_physics_material(whole, f"{whole}/compliant_material")
    return prim


@clone
def spawn_ground_plane(
    prim_path: str,
    cfg: from_files_cfg.GroundPlaneCfg,
    translation: Pose = None,
    orientation: Pose = None,
    **kwargs: Any,
) -> Prim:
    """Put a ground on the stage: an Xform at the path, with a plane that collides without end below it.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: what.
        translation: (x, y, z) in the parent's frame, m; (0, 0, 0) by default.
        orientation: quaternion (w, x, y, z) in the parent's frame; (1, 0, 0, 0), z up, by default.
        kwargs: what :func:`clone` takes.

    Returns:
        The prim, or the first of them. Its physics material is at ``physicsMaterial`` below it.

    Raises:
        ValueError: there is a prim at the path already, or the file has no plane.
        FileNotFoundError: there is no such file.
    """
    refuse_existing(prim_path)
    with all_or_nothing(prim_path):
        prim = _ground(prim_path, cfg, translation, orientation)
    return prim


def _ground(prim_path: str, cfg: from_files_cfg.GroundPlaneCfg, translation: Pose, orientation: Pose) -> Prim:
    """A plane, made or of a file, with its material."""
    if cfg.usd_path is None:
        prim = create_prim(prim_path, "Xform", translation=translation, orientation=orientation)
        create_prim(f"{prim_path}/GroundPlane", "Xform")
        made = UsdGeom.Plane.Define(get_current_stage(), f"{prim_path}/GroundPlane/CollisionPlane")
        made.CreateAxisAttr("Z")
        made.CreateWidthAttr(float(cfg.size[0]))
        made.CreateLengthAttr(float(cfg.size[1]))
        UsdPhysics.CollisionAPI.Apply(made.GetPrim())
        planes = [made.GetPrim()]
    else:
        check_file(cfg.usd_path)
        prim = refer(prim_path, cfg.usd_path, translation, orientation, None)
        planes = [one for one in Usd.PrimRange(prim) if str(one.GetTypeName()) == "Plane"]
        if not planes:
            raise ValueError(f"{cfg.usd_path} has no Plane that could be the ground at '{prim_path}'")
    if cfg.physics_material is not None:
        cfg.physics_material.func(f"{prim_path}/physicsMaterial", cfg.physics_material)
    for plane in planes:
        if cfg.physics_material is not None:
            bind_physics_material(str(plane.GetPath()), f"{prim_path}/physicsMaterial")
        if cfg.color is not None:
            UsdGeom.Gprim(plane).CreateDisplayColorAttr([tuple(float(part) for part in cfg.color)])
    return prim


def _spawn(prim_path: str, usd_path: str, cfg: from_files_cfg.FileCfg, translation: Pose, orientation: Pose) -> Prim:
    """What a file has, changed; the prim at the path."""
    check_file(usd_path)
    stage = get_current_stage()
    with all_or_nothing(prim_path):
        _refer_and_change(prim_path, usd_path, cfg, translation, orientation)
    return stage.GetPrimAtPath(prim_path)


def _refer_and_change(
    prim_path: str, usd_path: str, cfg: from_files_cfg.FileCfg, translation: Pose, orientation: Pose
) -> None:
    """Refer to a file, choose its variants, and change the properties that are given."""
    if get_current_stage().GetPrimAtPath(prim_path).IsValid():
        logger.warning("A prim already exists at prim path: '%s'; %s is not put there", prim_path, usd_path)
    else:
        refer(prim_path, usd_path, translation, orientation, cfg.scale)
    variants = getattr(cfg, "variants", None)
    if variants is not None:
        select_usd_variants(prim_path, variants)
    for props, modify in (
        (cfg.rigid_props, schemas.modify_rigid_body_properties),
        (cfg.collision_props, schemas.modify_collision_properties),
        (cfg.mass_props, schemas.modify_mass_properties),
        (cfg.deformable_props, schemas.modify_deformable_body_properties),
        (cfg.articulation_props, schemas.modify_articulation_root_properties),
        (cfg.fixed_tendons_props, schemas.modify_fixed_tendon_properties),
        (cfg.spatial_tendons_props, schemas.modify_spatial_tendon_properties),
        (cfg.joint_drive_props, schemas.modify_joint_drive_properties),
    ):
        if props is not None:
            modify(prim_path, props)
    if cfg.visual_material is not None:
        path = cfg.visual_material_path
        path = path if path.startswith("/") else f"{prim_path}/{path}"
        cfg.visual_material.func(path, cfg.visual_material)
        bind_visual_material(prim_path, path)
