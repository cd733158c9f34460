"""Binding materials to prims."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.utils.decorators import apply_nested
from phalanx.facade.isaaclab.sim.utils.edits import PrimPath, current, prim_at
from phalanx.io.formats.usd.bindings import Prim, Stage, UsdPhysics, UsdShade

_PHYSX = ("PhysxSceneAPI", "PhysxDeformableBodyAPI")


@apply_nested
def bind_visual_material(
    prim_path: PrimPath,
    material_path: PrimPath,
    stage: Stage | None = None,
    stronger_than_descendants: bool = True,
) -> bool:
    """Bind a visual material to a prim. It can be seen where a stage is shown, and changes nothing in the simulation.

    Args:
        prim_path: of the prim.
        material_path: of the material.
        stage: the current one by default.
        stronger_than_descendants: whether it wins over those of prims below.

    Returns:
        Whether it could be bound.

    Raises:
        ValueError: there is no prim, or no material, at the path.
    """
    return _bind(prim_at(prim_path, stage), material_path, current(stage), stronger_than_descendants, "")


@apply_nested
def bind_physics_material(
    prim_path: PrimPath,
    material_path: PrimPath,
    stage: Stage | None = None,
    stronger_than_descendants: bool = True,
) -> bool:
    """Bind a physics material to the first prims at or below a path that can have one.

    These are colliders, physics scenes, deformable bodies and particle systems.

    Args:
        prim_path: of the prim.
        material_path: of the material.
        stage: the current one by default.
        stronger_than_descendants: whether it wins over those of prims below.

    Returns:
        Whether it could be bound.

    Raises:
        ValueError: there is no prim, or no material, at the path.
    """
    stage = current(stage)
    prim = prim_at(prim_path, stage)
    schemas = [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]
    takes_it = (
        prim.HasAPI(UsdPhysics.CollisionAPI)
        or any(name in schemas for name in _PHYSX)
        or prim.GetTypeName() == "PhysxParticleSystem"
    )
    return takes_it and _bind(prim, material_path, stage, stronger_than_descendants, "physics")


def _bind(prim: Prim, material_path: object, stage: Stage, stronger: bool, purpose: str) -> bool:
    material = UsdShade.Material(prim_at(material_path, stage))
    if not material:
        raise ValueError(f"'{material_path}' is not a material but of type '{material.GetPrim().GetTypeName()}'")
    tokens = UsdShade.Tokens
    strength = tokens.strongerThanDescendants if stronger else tokens.weakerThanDescendants
    binding = UsdShade.MaterialBindingAPI.Apply(prim)
    return bool(binding.Bind(material, strength, purpose or tokens.allPurpose))


__all__ = ["bind_physics_material", "bind_visual_material"]
