"""Drives of joints, and tendons."""

from __future__ import annotations

import math

from phalanx.facade.isaaclab.sim.schemas.authoring import applied_schemas, apply_schema, instances, write, write_all
from phalanx.facade.isaaclab.sim.schemas.schemas_cfg import (
    FixedTendonPropertiesCfg,
    JointDrivePropertiesCfg,
    SpatialTendonPropertiesCfg,
)
from phalanx.facade.isaaclab.sim.utils.edits import prim_at
from phalanx.facade.isaaclab.sim.utils.nested import apply_nested
from phalanx.facade.isaaclab.utils.dict import class_to_dict
from phalanx.io.formats.usd.bindings import Stage, UsdPhysics

DEGREE = math.pi / 180.0
"""rad."""


@apply_nested
def modify_joint_drive_properties(prim_path: str, cfg: JointDrivePropertiesCfg, stage: Stage | None = None) -> bool:
    """Change drives of revolute and prismatic joints at and below a path; ``None`` leaves a property as it is.

    Joints without a drive get one. Gains and speeds about axes are per rad here and per degree on the stage.

    Returns:
        Whether the prim is such a joint.
    """
    prim = prim_at(prim_path, stage)
    turns = prim.IsA(UsdPhysics.RevoluteJoint)
    if not turns and not prim.IsA(UsdPhysics.PrismaticJoint):
        return False
    name, scale = ("angular", DEGREE) if turns else ("linear", 1.0)
    UsdPhysics.DriveAPI.Apply(prim, name)
    write_all(prim, f"drive:{name}:physics", {"type": cfg.drive_type, "max_force": cfg.max_effort})
    for gain in ("stiffness", "damping"):
        value = getattr(cfg, gain)
        write(prim, f"drive:{name}:physics:{gain}", None if value is None else value * scale)
    apply_schema(prim, "PhysxJointAPI")
    if cfg.max_velocity is not None:
        write(prim, "physxJoint:maxJointVelocity", cfg.max_velocity / scale)
        for one in instances(prim, "PhysxJointAxisAPI"):  # what is said of the axis goes before
            write(prim, f"physxJointAxis:{one}:maxJointVelocity", cfg.max_velocity / scale)
    return True


@apply_nested
def modify_fixed_tendon_properties(prim_path: str, cfg: FixedTendonPropertiesCfg, stage: Stage | None = None) -> bool:
    """Change fixed tendons of joints at and below a path; ``None`` leaves a property as it is.

    Returns:
        Whether a tendon begins with the prim.
    """
    prim = prim_at(prim_path, stage)
    found = instances(prim, "PhysxTendonAxisRootAPI")
    for name in found:
        write_all(prim, f"physxTendon:{name}", class_to_dict(cfg))
    return bool(found)


@apply_nested
def modify_spatial_tendon_properties(
    prim_path: str, cfg: SpatialTendonPropertiesCfg, stage: Stage | None = None
) -> bool:
    """Change spatial tendons of bodies at and below a path; ``None`` leaves a property as it is.

    Returns:
        Whether a tendon begins or ends with the prim.
    """
    prim = prim_at(prim_path, stage)
    found = instances(prim, "PhysxTendonAttachmentRootAPI")
    for name in found:
        write_all(prim, f"physxTendon:{name}", class_to_dict(cfg))
    leaves = any(name.startswith("PhysxTendonAttachmentLeafAPI:") for name in applied_schemas(prim))
    return bool(found) or leaves


__all__ = ["modify_fixed_tendon_properties", "modify_joint_drive_properties", "modify_spatial_tendon_properties"]
