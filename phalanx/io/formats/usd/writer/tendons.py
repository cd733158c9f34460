"""Tendons, by the attributes of PhysX. Springs in joints become fixed tendons over one joint: USD has no others."""

from __future__ import annotations

import math
from typing import Any

from phalanx.io.formats.usd.bindings import Prim, Sdf, Tf
from phalanx.io.formats.usd.writer.joints import JointPrims
from phalanx.io.formats.usd.writer.writing import Writing, set_attribute
from phalanx.models.robot_model import RobotModel
from phalanx.models.tendons import FixedTendon, SpatialTendon

HARD = 1e9
"""N/m: what stands for limits of tendons that are hard."""


def write_tendons(writing: Writing, model: RobotModel, joints: JointPrims, bodies: dict[str, Prim]) -> None:
    """Tendons of a robot whose joints and bodies are written; springs of joints among them."""
    springs = [
        FixedTendon(f"{joint.name}_spring", {joint.name: 1.0}, joint.stiffness, rest_length=joint.rest_position)
        for joint in model.joints
        if joint.stiffness
    ]
    if springs:
        writing.note("springs in joints are written as fixed tendons over one joint each.")
    used: set[str] = set()
    for tendon in [*model.fixed_tendons, *springs]:
        _fixed(writing, tendon, _name(tendon.name, used), model, joints)
    for tendon in model.spatial_tendons:
        _spatial(writing, tendon, _name(tendon.name, used), bodies)


def _name(name: str, used: set[str]) -> str:
    wanted = str(Tf.MakeValidIdentifier(name))
    found, number = wanted, 1
    while found in used:
        found, number = f"{wanted}_{number}", number + 1
    used.add(found)
    return found


def _fixed(writing: Writing, tendon: FixedTendon, name: str, model: RobotModel, joints: JointPrims) -> None:
    rest = tendon.rest_length
    if rest is None:
        rest = tendon.offset + sum(c * model.joint_pos.get(joint, 0.0) for joint, c in tendon.joints.items())
    for n, (joint, coefficient) in enumerate(tendon.joints.items()):
        dof = joints.dofs[joint]
        # Lengths are counted per degree, efforts are N·m per N.
        values: dict[str, Any] = {"gearing": [coefficient / dof.unit], "forceCoefficient": [float(coefficient)]}
        schema = "PhysxTendonAxisAPI"
        if n == 0:
            schema = "PhysxTendonAxisRootAPI"
            values |= {**_spring(writing, tendon), "restLength": float(rest), **_limits(tendon)}
        writing.physx(dof.prim, schema, name, values)


def _spatial(writing: Writing, tendon: SpatialTendon, name: str, bodies: dict[str, Prim]) -> None:
    leaves = set(tendon.leaves())
    names = [name if n == 0 else f"{name}_{n}" for n in range(len(tendon.attachments))]
    for n, attachment in enumerate(tendon.attachments):
        values: dict[str, Any] = {"localPos": attachment.position, "gearing": float(attachment.coefficient)}
        schema = "PhysxTendonAttachmentAPI"
        if n == 0:
            schema = "PhysxTendonAttachmentRootAPI"
            values |= _spring(writing, tendon)
        elif n in leaves:
            schema = "PhysxTendonAttachmentLeafAPI"
            values |= _limits(attachment)
            if attachment.rest_length is not None:
                values["restLength"] = float(attachment.rest_length)
        prim = bodies[attachment.body]
        writing.physx(prim, schema, names[n], values)
        if n:
            parent = tendon.attachments[attachment.parent].body
            prefix = f"physxTendon:{names[n]}:"
            target = Sdf.Path(str(bodies[parent].GetPath()))
            prim.CreateRelationship(prefix + "parentLink", False).SetTargets([target])
            set_attribute(prim, prefix + "parentAttachment", names[attachment.parent])


def _spring(writing: Writing, tendon: FixedTendon | SpatialTendon) -> dict[str, float]:
    limit = float(tendon.limit_stiffness)
    if math.isinf(limit):
        writing.note(f'tendon "{tendon.name}": USD has no hard limits of tendons; they have a stiffness of {HARD:g}.')
        limit = HARD
    return {
        "stiffness": float(tendon.stiffness),
        "damping": float(tendon.damping),
        "limitStiffness": limit,
        "offset": float(tendon.offset),
    }


def _limits(owner: Any) -> dict[str, float]:
    limits = {"lowerLimit": owner.lower, "upperLimit": owner.upper}
    return {name: float(value) for name, value in limits.items() if not math.isinf(value)}
