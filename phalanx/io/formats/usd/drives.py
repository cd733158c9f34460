"""What drives, resists and bounds the joints of robots, axis by axis."""

from __future__ import annotations

import math

import numpy as np

from phalanx.io.formats.usd.bindings import Prim
from phalanx.io.formats.usd.joints import RADIANS, JointPrim
from phalanx.io.formats.usd.values import Reading
from phalanx.maths.arrays import matrix
from phalanx.models.pose import body_frames
from phalanx.models.robot_model import JointDrive, Mimic, RobotModel

UNLIMITED = 1e6
"""What PhysX takes for the greatest velocity of joints where nothing is written, degrees/s or units/s."""


def set_properties(reading: Reading, joint: JointPrim, dofs: dict[str, list[str]], model: RobotModel) -> None:
    """What resists and bounds a joint whose axes are the given dofs of a model; of ball joints all axes alike."""
    by_name = {one.name: one for one in model.joints}
    found: dict[str, dict[str, float]] = {}
    for axis, (dof,) in dofs.items():
        name = dof if dof in by_name else dof.rpartition(":")[0]
        mine = _properties(reading, joint, axis)
        others = found.setdefault(name, mine)
        if others != mine:
            text = "what resists and bounds a ball joint is alike about all axes here; the strictest of each is taken."
            reading.notes.add(joint.prim, text)
            for key in others.keys() | mine.keys():
                strictest = min if key == "velocity_limit" else max
                others[key] = strictest(values[key] for values in (others, mine) if key in values)
    for name, fields in found.items():
        for key, value in fields.items():
            setattr(by_name[name], key, value)
    idle_limits(reading, joint, list(dofs))


def add_drives(
    reading: Reading, joint: JointPrim, dofs: dict[str, list[str]], model: RobotModel, moved: dict[str, float]
) -> None:
    """Drives of a joint whose axes are the given dofs of a model.

    Args:
        moved: inertia that each dof moves as drawn, kg or kg·m^2, for drives of accelerations.
    """
    for axis, (dof,) in dofs.items():
        turns = axis.startswith("rot")
        for instance in dict.fromkeys((joint.instance(axis), axis)):
            if instance in reading.applied(joint.prim, "PhysicsDriveAPI"):
                drive = _drive(reading, joint, instance, turns)
                if reading.token(joint.prim, f"drive:{instance}:physics:type", "force", _TYPES) == "acceleration":
                    if dof not in moved:
                        reading.notes.add(joint.prim, "drives of acceleration are not simulated in ball joints.")
                        continue
                    drive.stiffness *= moved[dof]
                    drive.damping *= moved[dof]
                    text = "its drive is one of acceleration; it gets the gains that give that in the pose as drawn."
                    reading.notes.add(joint.prim, text)
                model.drives[dof] = drive
    unused = _idle(reading, joint, "PhysicsDriveAPI", list(dofs))
    if unused:
        reading.notes.add(joint.prim, f"its drive of {', '.join(sorted(unused))} has nothing to move.")


def idle_limits(reading: Reading, joint: JointPrim, axes: list[str]) -> None:
    """Tell of soft limits of other axes than those that have limits, such as of cones."""
    unused = [
        name
        for name in _idle(reading, joint, "PhysxLimitAPI", axes)
        if any(reading.number(joint.prim, f"physxLimit:{name}:{what}", 0.0) for what in _SOFT)
    ]
    if unused:
        reading.notes.add(joint.prim, f"limits of {', '.join(sorted(unused))} do not give way here; they are hard.")


def _idle(reading: Reading, joint: JointPrim, schema: str, axes: list[str]) -> list[str]:
    """Instances of a schema that are for none of the axes."""
    known = {*axes, *(joint.instance(axis) for axis in axes)}
    return [name for name in reading.applied(joint.prim, schema) if name not in known]


_SOFT = ("stiffness", "damping", "restitution")
_TYPES = ("force", "acceleration")


def _drive(reading: Reading, joint: JointPrim, instance: str, turns: bool) -> JointDrive:
    prim, units, prefix = joint.prim, reading.units, f"drive:{instance}:physics:"
    scale = RADIANS if turns else units.length
    effort = units.torque if turns else units.force
    limit = reading.number(prim, prefix + "maxForce", math.inf, infinite=True, least=0.0) * effort
    return JointDrive(
        reading.number(prim, prefix + "stiffness", 0.0, least=0.0) * effort / scale,
        reading.number(prim, prefix + "damping", 0.0, least=0.0) * effort / scale,
        limit if limit < 3e38 else math.inf,
        reading.number(prim, prefix + "targetPosition", 0.0) * scale,
        reading.number(prim, prefix + "targetVelocity", 0.0) * scale,
    )


def _properties(reading: Reading, joint: JointPrim, axis: str) -> dict[str, float]:
    """Armature, friction, damping, caps and softness of limits of one axis, as fields of a joint."""
    prim, units, turns = joint.prim, reading.units, axis.startswith("rot")
    scale = RADIANS if turns else units.length
    effort, inertia = (units.torque, units.torque) if turns else (units.force, units.mass)
    own = [f"physxJointAxis:{name}:" for name in (joint.instance(axis), axis)]

    def first(name: str, factor: float, *others: str, default: float = 0.0) -> float:
        """Of an axis, or of the whole joint where the axis does not say."""
        for full in (*(prefix + name for prefix in own), *others):
            if reading.authored(prim, full):
                return reading.number(prim, full, default, infinite=True, least=0.0) * factor
        return default

    friction = first("dynamicFrictionEffort", effort, "newton:friction")
    speed = first("maxJointVelocity", scale, "physxJoint:maxJointVelocity", "newton:velocityLimit", default=math.inf)
    if reading.number(prim, "physxJoint:jointFriction", 0.0):
        text = '"physxJoint:jointFriction", a share of the load, is not simulated; give efforts by PhysxJointAxisAPI.'
        reading.notes.add(prim, text)
    return {
        "armature": first("armature", inertia, "physxJoint:armature", "newton:armature"),
        "friction": friction,
        "static_friction": max(friction, first("staticFrictionEffort", effort)),
        "damping": first("viscousFrictionCoefficient", effort / scale, "newton:damping"),
        "velocity_limit": speed if speed < UNLIMITED * scale else math.inf,
        **softness(reading, joint, axis),
    }


def resists(reading: Reading, joint: JointPrim) -> bool:
    """Whether a joint has anything that resists or bounds its speed."""
    spaces = ("physxJoint", "physxJointAxis", "newton")
    names = [str(name) for name in joint.prim.GetAuthoredPropertyNames() if str(name).partition(":")[0] in spaces]
    idle = ("enableProjection", "limitStiffness", "limitDamping")
    return any(
        reading.number(joint.prim, name, 0.0, infinite=True) not in (0.0, math.inf)
        for name in names
        if joint.prim.GetAttribute(name) and not name.endswith(idle)
    )


def softness(reading: Reading, joint: JointPrim, axis: str) -> dict[str, float]:
    """How the limits of an axis give way or throw back: fields of a joint, empty if it does not say."""
    prim, units = joint.prim, reading.units
    said = [name for name in (joint.instance(axis), axis) if name in reading.applied(prim, "PhysxLimitAPI")]
    if not said:
        return {}
    prefix = f"physxLimit:{said[0]}:"
    gain = units.torque / RADIANS if axis.startswith("rot") else units.mass
    found = {
        "limit_stiffness": reading.number(prim, prefix + "stiffness", 0.0, least=0.0) * gain,
        "limit_damping": reading.number(prim, prefix + "damping", 0.0, least=0.0) * gain,
        "limit_restitution": min(1.0, reading.number(prim, prefix + "restitution", 0.0, least=0.0)),
    }
    if found["limit_restitution"] and (found["limit_stiffness"] or found["limit_damping"]):
        reading.notes.add(prim, "limits that give way do not throw back here; the restitution is left out.")
        found["limit_restitution"] = 0.0
    return found


def mimic(
    reading: Reading, joint: JointPrim, dofs: dict[str, list[str]], known: dict[str, dict[str, list[str]]]
) -> Mimic | None:
    """The law by which a joint follows another one of the same robot, ``known`` by path with their dofs.

    PhysX holds q + gearing * q_reference + offset at 0, in degrees and units of length.
    """
    prim, units = joint.prim, reading.units
    instances = reading.applied(prim, "PhysxMimicJointAPI")
    if instances and len(dofs) == 1:
        prefix = f"physxMimicJoint:{instances[0]}:"
        leader = _leader(reading, prim, f"{prefix}referenceJoint", known)
        if leader is None:
            return None
        axis, name = leader
        mine, theirs = (RADIANS if one.startswith("rot") else units.length for one in (next(iter(dofs)), axis))
        gearing = reading.number(prim, prefix + "gearing", 1.0)
        if reading.number(prim, prefix + "naturalFrequency", 0.0) > 0.0:
            reading.notes.add(prim, "the joint follows rigidly; the natural frequency of its mimic is not simulated.")
        return Mimic(name, -gearing * mine / theirs, -reading.number(prim, prefix + "offset", 0.0) * mine)
    if instances:
        reading.notes.add(prim, "only joints with one axis can follow others here; it follows none.")
    if reading.targets(prim, "newton:mimicJoint") and reading.flag(prim, "newton:mimicEnabled", True):
        leader = _leader(reading, prim, "newton:mimicJoint", known)
        if leader is not None and len(dofs) == 1:
            axis, name = leader
            mine, theirs = (RADIANS if one.startswith("rot") else units.length for one in (next(iter(dofs)), axis))
            slope = reading.number(prim, "newton:mimicCoef1", 1.0)
            return Mimic(name, slope * mine / theirs, reading.number(prim, "newton:mimicCoef0", 0.0) * mine)
    return None


def _leader(reading: Reading, prim: Prim, name: str, known: dict[str, dict[str, list[str]]]) -> tuple[str, str] | None:
    """Axis and dof of the joint that a relationship names."""
    targets = reading.targets(prim, name)
    found = known.get(str(targets[0]), {}) if len(targets) == 1 else {}
    if len(found) != 1:
        reading.notes.add(prim, f"{name} must name a joint of the same robot that moves in one way; it follows none.")
        return None
    ((axis, (dof,)),) = found.items()
    return axis, dof


def moved_inertia(model: RobotModel) -> dict[str, float]:
    """What each revolute and prismatic joint moves as drawn, kg·m^2 or kg: all that hangs on it, and its armature."""
    frames = body_frames(model, {k: v for k, v in model.joint_pos.items() if ":" not in k})
    bodies = {body.name: body for body in model.bodies}
    outgoing = model.outgoing()
    found = {}
    for joint in model.joints:
        if joint.type not in ("revolute", "continuous", "prismatic"):
            continue
        rotation, origin = frames[joint.child]
        # The axis in the world, and a point on it.
        anchor = origin + rotation @ np.array(joint.child_position, float)
        axis = rotation @ matrix(joint.child_orientation) @ np.array(joint.axis, float)
        total, waiting = joint.armature, [joint.child]
        while waiting:
            name = waiting.pop()
            waiting += [one.child for one in outgoing[name]]
            body, (turned, place) = bodies[name], frames[name]
            if joint.type == "prismatic":
                total += body.mass
                continue
            arm = np.cross(axis, place + turned @ np.array(body.com) - anchor)
            along = turned.T @ axis
            total += float(along @ np.asarray(body.inertia) @ along + body.mass * arm @ arm)
        found[joint.name] = total
    return found
