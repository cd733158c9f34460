"""What stands for meshes in collisions."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema, write, write_all
from phalanx.facade.isaaclab.sim.schemas.mesh_collision_cfg import MeshCollisionPropertiesCfg
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Stage, Usd, UsdGeom, UsdPhysics


def define_mesh_collision_properties(
    prim_path: str, cfg: MeshCollisionPropertiesCfg, stage: Stage | None = None
) -> None:
    """Say what stands for a mesh, or for all meshes below a prim.

    Args:
        prim_path: of the prim.
        cfg: the kind, with its hints.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim, or no mesh.
    """
    meshes = [one for one in Usd.PrimRange(prim_at(prim_path, stage)) if one.IsA(UsdGeom.Mesh)]
    if not meshes:
        raise ValueError(f"there is no mesh at or below <{prim_path}>; primitives collide as they are")
    for mesh in meshes:
        UsdPhysics.MeshCollisionAPI.Apply(mesh)
        modify_mesh_collision_properties(str(mesh.GetPath()), cfg, stage)


@apply_nested
def modify_mesh_collision_properties(
    prim_path: str, cfg: MeshCollisionPropertiesCfg, stage: Stage | None = None
) -> bool:
    """Change what stands for meshes at and below a path; hints that are ``None`` stay as they are.

    Returns:
        Whether something is said to stand for the prim.
    """
    prim = prim_at(prim_path, stage)
    if not prim.HasAPI(UsdPhysics.MeshCollisionAPI):
        return False
    values = class_to_dict(cfg)
    write(prim, "physics:approximation", values.pop("mesh_approximation_name"))
    if cfg.physx_schema is not None:
        schema, space = cfg.physx_schema
        apply_schema(prim, schema)
        write_all(prim, space, values)
    return True


__all__ = ["define_mesh_collision_properties", "modify_mesh_collision_properties"]
