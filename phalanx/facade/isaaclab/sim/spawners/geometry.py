"""What shapes and meshes have in common: prims at a path, its geometry, materials and physics."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from phalanx.facade.isaaclab.sim import schemas
from phalanx.facade.isaaclab.sim.utils import (
    bind_physics_material,
    bind_visual_material,
    create_prim,
    get_current_stage,
)
from phalanx.facade.isaaclab.sim.utils.edits import remove_prims
from phalanx.io.formats.usd.bindings import Prim

Pose = Sequence[float] | None
"""A translation (3,) in m, or an orientation (4,) as w, x, y, z; ``None`` is none."""


def refuse_existing(prim_path: str) -> None:
    """Raise ``ValueError`` if there is a prim at a path."""
    if get_current_stage().GetPrimAtPath(prim_path).IsValid():
        raise ValueError(f"A prim already exists at path: '{prim_path}': choose another path, or delete it first")


@contextlib.contextmanager
def all_or_nothing(prim_path: str) -> Iterator[None]:
    """Within a ``with`` block, remove a prim that was not there before if something goes wrong."""
    stage = get_current_stage()
    new = not stage.GetPrimAtPath(prim_path).IsValid()
    try:
        yield
    except Exception:
        if new and stage.GetPrimAtPath(prim_path).IsValid():
            remove_prims(stage, [prim_path])
        raise


def begin(prim_path: str, translation: Pose, orientation: Pose) -> tuple[Prim, str]:
    """Make an Xform and the one for its geometry; the prim, and the path of the other."""
    prim = create_prim(prim_path, "Xform", translation=translation, orientation=orientation)
    create_prim(f"{prim_path}/geometry", "Xform")
    return prim, f"{prim_path}/geometry"


def add_materials(mesh: str, above: str, cfg: Any) -> None:
    """Put the visual and the physics material of a configuration on the stage, and bind them to a prim."""
    if cfg.visual_material is not None:
        path = _path(above, cfg.visual_material_path)
        cfg.visual_material.func(path, cfg.visual_material)
        bind_visual_material(mesh, path)
    if getattr(cfg, "physics_material", None) is not None:
        path = _path(above, cfg.physics_material_path)
        cfg.physics_material.func(path, cfg.physics_material)
        bind_physics_material(mesh, path)


def _path(above: str, path: str) -> str:
    """An absolute path, or one below another prim."""
    return path if path.startswith("/") else f"{above}/{path}"


def add_physics(prim_path: str, cfg: Any, approximation: str | None = None) -> None:
    """Materials, collider and body of a prim whose geometry is at ``geometry/mesh`` below it.

    Args:
        prim_path: of the prim.
        cfg: of a shape or mesh.
        approximation: what stands for a mesh in collisions.
    """
    mesh = f"{prim_path}/geometry/mesh"
    if cfg.collision_props is not None:
        schemas.define_collision_properties(mesh, cfg.collision_props)
        if approximation is not None:
            stands = schemas.MeshCollisionPropertiesCfg(mesh_approximation_name=approximation)
            schemas.define_mesh_collision_properties(mesh, stands)
    add_materials(mesh, f"{prim_path}/geometry", cfg)
    if cfg.mass_props is not None:
        schemas.define_mass_properties(prim_path, cfg.mass_props)
    if cfg.rigid_props is not None:
        schemas.define_rigid_body_properties(prim_path, cfg.rigid_props)
