"""Deformable bodies."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas, apply_schema, write, write_all
from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import DeformableBodyPropertiesCfg
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.sim.utils.queries import get_all_matching_child_prims
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Stage

SCHEMA, ENABLED = "PhysxDeformableBodyAPI", "physxDeformable:deformableEnabled"


def define_deformable_body_properties(
    prim_path: str, cfg: DeformableBodyPropertiesCfg, stage: Stage | None = None
) -> None:
    """Make the one mesh at or below a prim a deformable body, with the properties that are given.

    Args:
        prim_path: of the prim.
        cfg: the properties.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim, or no mesh at or below it, or more than one.
    """
    prim_at(prim_path, stage)
    meshes = get_all_matching_child_prims(prim_path, lambda one: one.GetTypeName() == "Mesh", stage=stage)
    if len(meshes) != 1:
        names = ", ".join(str(one.GetPath()) for one in meshes) or "none"
        raise ValueError(f"'{prim_path}': there must be one mesh at or below it that becomes deformable; found {names}")
    apply_schema(meshes[0], SCHEMA)
    if not meshes[0].GetAttribute(ENABLED):
        write(meshes[0], ENABLED, True)  # usd-core does not know PhysX's default
    modify_deformable_body_properties(str(meshes[0].GetPath()), cfg, stage)


@apply_nested
def modify_deformable_body_properties(
    prim_path: str, cfg: DeformableBodyPropertiesCfg, stage: Stage | None = None
) -> bool:
    """Change properties of deformable bodies at and below a path; ``None`` leaves one as it is.

    Returns:
        Whether the prim is one.
    """
    prim = prim_at(prim_path, stage)
    if SCHEMA not in applied_schemas(prim):
        return False
    values = class_to_dict(cfg)
    apply_schema(prim, "PhysxCollisionAPI")
    write_all(prim, "physxCollision", {name: values.pop(name) for name in ("contact_offset", "rest_offset")})
    write_all(prim, "physxDeformable", values)
    return True


__all__ = ["define_deformable_body_properties", "modify_deformable_body_properties"]
