"""Puts physics materials on the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema, write_all
from phalanx.facade.isaaclab.sim.utils import clone, get_current_stage
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Prim, UsdPhysics, UsdShade

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sim.spawners.materials import physics_materials_cfg

MODES = ("average", "min", "multiply", "max")


@clone
def spawn_rigid_body_material(prim_path: str, cfg: physics_materials_cfg.RigidBodyMaterialCfg) -> Prim:
    """Put a physics material on the stage; a material that is at the path already becomes one.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.

    Returns:
        The prim, or the first of them.

    Raises:
        ValueError: what is at the path is no material, or a mode is none.
    """
    for mode in (cfg.friction_combine_mode, cfg.restitution_combine_mode):
        if mode not in MODES:
            raise ValueError(f'combine mode {mode!r}: must be one of "average", "min", "multiply" and "max"')
    prim = _material(prim_path)
    UsdPhysics.MaterialAPI.Apply(prim)
    values = class_to_dict(cfg)
    values.pop("func")
    for name in ("static_friction", "dynamic_friction", "restitution"):
        write_all(prim, "physics", {name: values.pop(name)})
    apply_schema(prim, "PhysxMaterialAPI")
    write_all(prim, "physxMaterial", values)
    return prim


@clone
def spawn_deformable_body_material(prim_path: str, cfg: physics_materials_cfg.DeformableBodyMaterialCfg) -> Prim:
    """Put a material of deformable bodies on the stage; a material that is at the path already becomes one.

    Args:
        prim_path: where; the parent may be a regular expression, and then each parent that matches gets one.
        cfg: which.

    Returns:
        The prim, or the first of them.

    Raises:
        ValueError: what is at the path is no material.
    """
    prim = _material(prim_path)
    values = class_to_dict(cfg)
    values.pop("func")
    apply_schema(prim, "PhysxDeformableBodyMaterialAPI")
    write_all(prim, "physxDeformableBodyMaterial", values)
    return prim


def _material(prim_path: str) -> Prim:
    """The material at a path, a new one if there is nothing."""
    stage = get_current_stage()
    prim = stage.GetPrimAtPath(prim_path)
    if not prim.IsValid():
        return UsdShade.Material.Define(stage, prim_path).GetPrim()
    if not prim.IsA(UsdShade.Material):
        raise ValueError(f"A prim already exists at path: '{prim_path}', and it is no material")
    return prim
