"""Rigid bodies, their masses and colliders, and who reports contacts."""

from __future__ import annotations

from phalanx.facade.isaaclab.sim.schemas.authoring import apply_schema, write, write_all
from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import (
    CollisionPropertiesCfg,
    MassPropertiesCfg,
    RigidBodyPropertiesCfg,
)
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Stage, UsdPhysics


def define_rigid_body_properties(prim_path: str, cfg: RigidBodyPropertiesCfg, stage: Stage | None = None) -> None:
    """Make a prim a rigid body, with the properties that are given.

    Args:
        prim_path: of the prim.
        cfg: the properties.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim.
    """
    prim = prim_at(prim_path, stage)
    UsdPhysics.RigidBodyAPI.Apply(prim)
    modify_rigid_body_properties(prim_path, cfg, stage)


@apply_nested
def modify_rigid_body_properties(prim_path: str, cfg: RigidBodyPropertiesCfg, stage: Stage | None = None) -> bool:
    """Change properties of rigid bodies at and below a path; ``None`` leaves one as it is.

    The greatest angular velocity is in degrees/s, as on the stage.

    Returns:
        Whether the prim is one.
    """
    prim = prim_at(prim_path, stage)
    if not prim.HasAPI(UsdPhysics.RigidBodyAPI):
        return False
    values = class_to_dict(cfg)
    for name in ("rigid_body_enabled", "kinematic_enabled"):
        write_all(prim, "physics", {name: values.pop(name)})
    apply_schema(prim, "PhysxRigidBodyAPI")
    write_all(prim, "physxRigidBody", values)
    return True


def define_collision_properties(prim_path: str, cfg: CollisionPropertiesCfg, stage: Stage | None = None) -> None:
    """Make a prim a collider, with the properties that are given.

    Args:
        prim_path: of the prim, which is geometry.
        cfg: the properties.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim.
    """
    prim = prim_at(prim_path, stage)
    UsdPhysics.CollisionAPI.Apply(prim)
    modify_collision_properties(prim_path, cfg, stage)


@apply_nested
def modify_collision_properties(prim_path: str, cfg: CollisionPropertiesCfg, stage: Stage | None = None) -> bool:
    """Change properties of colliders at and below a path; ``None`` leaves one as it is.

    Returns:
        Whether the prim is one.
    """
    prim = prim_at(prim_path, stage)
    if not prim.HasAPI(UsdPhysics.CollisionAPI):
        return False
    values = class_to_dict(cfg)
    write_all(prim, "physics", {"collision_enabled": values.pop("collision_enabled")})
    apply_schema(prim, "PhysxCollisionAPI")
    write_all(prim, "physxCollision", values)
    return True


def define_mass_properties(prim_path: str, cfg: MassPropertiesCfg, stage: Stage | None = None) -> None:
    """Give a rigid body or collider a mass, or a density.

    Args:
        prim_path: of the prim.
        cfg: the properties.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim.
    """
    prim = prim_at(prim_path, stage)
    UsdPhysics.MassAPI.Apply(prim)
    modify_mass_properties(prim_path, cfg, stage)


@apply_nested
def modify_mass_properties(prim_path: str, cfg: MassPropertiesCfg, stage: Stage | None = None) -> bool:
    """Change masses and densities of prims that have them, at and below a path; ``None`` leaves one as it is.

    Returns:
        Whether the prim has them.
    """
    prim = prim_at(prim_path, stage)
    if not prim.HasAPI(UsdPhysics.MassAPI):
        return False
    write_all(prim, "physics", class_to_dict(cfg))
    return True


def activate_contact_sensors(prim_path: str, threshold: float = 0.0, stage: Stage | None = None) -> None:
    """Let the rigid bodies at and below a path report their contacts, and never sleep.

    Args:
        prim_path: of the prim.
        threshold: force from which contacts are reported, N. It is kept on the stage; the engine reports them all.
        stage: the current one by default.

    Raises:
        ValueError: there is no such prim, or no rigid body.
    """
    waiting, found = [prim_at(prim_path, stage)], 0
    while waiting:
        prim = waiting.pop(0)
        waiting += prim.GetChildren()
        if prim.HasAPI(UsdPhysics.RigidBodyAPI) and not prim.IsInstanceProxy():
            found += 1
            apply_schema(prim, "PhysxRigidBodyAPI")
            write(prim, "physxRigidBody:sleepThreshold", 0.0)
            apply_schema(prim, "PhysxContactReportAPI")
            write(prim, "physxContactReport:threshold", threshold)
    if not found:
        raise ValueError(
            f"no rigid body at or below <{prim_path}> that could report contacts: apply rigid body properties first"
        )


__all__ = [
    "activate_contact_sensors",
    "define_collision_properties",
    "define_mass_properties",
    "define_rigid_body_properties",
    "modify_collision_properties",
    "modify_mass_properties",
    "modify_rigid_body_properties",
]
