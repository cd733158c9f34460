"""What drives, resists and bounds joints, and what they follow."""

from __future__ import annotations

import math
from dataclasses import replace

from phalanx.io.formats.usd.bindings import Prim, Sdf, UsdPhysics
from phalanx.io.formats.usd.drives import UNLIMITED
from phalanx.io.formats.usd.writer.joints import Dof, JointPrims
from phalanx.io.formats.usd.writer.writing import Writing, set_attribute
from phalanx.models.actuators import Actuator
from phalanx.models.robot_model import Joint, JointDrive, RobotModel


def write_dynamics(writing: Writing, model: RobotModel, joints: JointPrims) -> None:
    """Armature, friction, damping, caps, softness of limits, drives, mimics, and where the joints stand."""
    by_name = {joint.name: joint for joint in model.joints}
    driven = _drives(writing, model)
    for name, dof in joints.dofs.items():
        joint = by_name[name if name in by_name else name.rpartition(":")[0]]
        _resistance(writing, joint, dof)
        drive = driven.get(name)
        effort = min(joint.effort_limit, drive.effort_limit if drive else math.inf)
        if drive is not None or effort < math.inf:
            write_drive(dof, replace(drive or JointDrive(), effort_limit=effort))
        if model.joint_pos.get(name):
            _state(dof, float(model.joint_pos[name]))
    for name, prim in joints.prims.items():
        joint = by_name[name]
        values = {}
        if joint.armature:
            values["armature"] = float(joint.armature)
        dof = next((dof for dof in joints.dofs.values() if dof.prim == prim), None)
        if dof is not None and joint.velocity_limit * dof.unit < UNLIMITED:
            values["maxJointVelocity"] = joint.velocity_limit * dof.unit
        writing.physx(prim, "PhysxJointAPI", "", values)
        if joint.mimic is not None:
            _mimic(prim, joint, joints)


def write_drive(dof: Dof, drive: JointDrive) -> None:
    """The drive of a dof; gains and efforts per rad or m become ones per degree."""
    api = UsdPhysics.DriveAPI.Apply(dof.prim, dof.instance)
    api.CreateTypeAttr(UsdPhysics.Tokens.force)
    if drive.effort_limit < math.inf:
        api.CreateMaxForceAttr(float(drive.effort_limit))
    api.CreateStiffnessAttr(drive.stiffness / dof.unit)
    api.CreateDampingAttr(drive.damping / dof.unit)
    if drive.position:
        api.CreateTargetPositionAttr(drive.position * dof.unit)
    if drive.velocity:
        api.CreateTargetVelocityAttr(drive.velocity * dof.unit)


def _resistance(writing: Writing, joint: Joint, dof: Dof) -> None:
    static = max(joint.static_friction, joint.friction)
    values = {
        "dynamicFrictionEffort": float(joint.friction) if joint.friction else None,
        "staticFrictionEffort": float(static) if static else None,
        "viscousFrictionCoefficient": joint.damping / dof.unit if joint.damping else None,
    }
    writing.physx(dof.prim, "PhysxJointAxisAPI", dof.instance, values)
    soft = {
        "stiffness": joint.limit_stiffness / dof.unit if joint.limit_stiffness else None,
        "damping": joint.limit_damping / dof.unit if joint.limit_damping else None,
        "restitution": float(joint.limit_restitution) if joint.limit_restitution else None,
    }
    writing.physx(dof.prim, "PhysxLimitAPI", dof.instance, soft)


def _state(dof: Dof, position: float) -> None:
    dof.prim.AddAppliedSchema(f"PhysicsJointStateAPI:{dof.instance}")
    set_attribute(dof.prim, f"state:{dof.instance}:physics:position", position * dof.unit)


def _mimic(prim: Prim, joint: Joint, joints: JointPrims) -> None:
    """PhysX holds q + gearing * q_reference + offset at 0, in degrees and metres."""
    assert joint.mimic is not None, "the joint follows another"
    mine, leader = joints.dofs[joint.name], joints.dofs[joint.mimic.joint]
    prim.AddAppliedSchema(f"PhysxMimicJointAPI:{mine.axis}")
    prefix = f"physxMimicJoint:{mine.axis}:"
    prim.CreateRelationship(prefix + "referenceJoint", False).SetTargets([Sdf.Path(str(leader.prim.GetPath()))])
    set_attribute(prim, prefix + "referenceJointAxis", leader.axis)
    set_attribute(prim, prefix + "gearing", -joint.mimic.multiplier * mine.unit / leader.unit)
    set_attribute(prim, prefix + "offset", -joint.mimic.offset * mine.unit)


def _drives(writing: Writing, model: RobotModel) -> dict[str, JointDrive]:
    """Drives by dof: the model's own, and what actuators hold by themselves."""
    found = dict(model.drives)
    told = []
    for actuator in model.actuators:
        if actuator.tendon or len(actuator.joints) != 1:
            told.append(actuator.name)
            continue
        ((name, gear),) = actuator.joints.items()
        if name in model.drives:
            told.append(actuator.name)
            continue
        found[name] = _sum(found.get(name), _held(actuator, gear))
    if model.actuators:
        left_out = f", nor are {', '.join(told)}" if told else ""
        text = (
            "actuators are written as drives with their gains, targets at control 0, and limits; control signals are "
        )
        writing.note(f"{text}not{left_out}.")
    return found


def _held(actuator: Actuator, gear: float) -> JointDrive:
    """What an actuator does at control 0: a spring to where its force is none, and a damper."""
    constant, slope, rate = actuator.bias
    low, high = actuator.force_range
    limit = max(abs(low), abs(high)) * abs(gear)
    if math.isinf(limit) and not slope and not rate:  # a motor is as strong as its controls
        limit = max(map(abs, actuator.control_range)) * abs(actuator.gain * gear)
    stiffness = max(0.0, -slope * gear * gear)
    target = -constant / (slope * gear) if slope and gear else 0.0
    return JointDrive(stiffness, max(0.0, -rate * gear * gear), limit, target if stiffness else 0.0)


def _sum(one: JointDrive | None, other: JointDrive) -> JointDrive:
    """Of two drives of the same dof."""
    if one is None:
        return other
    stiffness = one.stiffness + other.stiffness
    weighted = one.stiffness * one.position + other.stiffness * other.position
    return JointDrive(
        stiffness,
        one.damping + other.damping,
        one.effort_limit + other.effort_limit,
        weighted / stiffness if stiffness else 0.0,
    )
