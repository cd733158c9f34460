"""Joints as prims: frames, axes and limits.

The engine's joints of one dof are UsdPhysics's; planar and free ones become generic joints, ball joints spherical ones,
or generic ones where their twist is limited. Several joints between two bodies are several prims that name both, with
Newton's attribute that says that each moves what the one before it moves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.io.formats.usd.bindings import Prim, Sdf, UsdPhysics
from phalanx.io.formats.usd.frames import inverse, orientation_of, pose
from phalanx.io.formats.usd.writer.writing import Writing, point, quaternion, set_attribute
from phalanx.maths.arrays import between
from phalanx.models.robot_model import Joint, RobotModel

DEGREES = 180.0 / math.pi
ALONG = 1e-12
"""By how much a unit vector may differ from an axis that it counts as."""

TRANSLATIONS = ("transX", "transY", "transZ")
ROTATIONS = ("rotX", "rotY", "rotZ")


@dataclass
class Dof:
    """A dof as the stage has it: the prim of its joint, its axis ("rotX"), and what its drives are called."""

    prim: Prim
    axis: str
    instance: str

    @property
    def unit(self) -> float:
        """Units of the stage in one rad or m."""
        return DEGREES if self.axis.startswith("rot") else 1.0


@dataclass
class JointPrims:
    """Prims by name of the joint, and dofs by theirs."""

    prims: dict[str, Prim] = field(default_factory=dict)
    dofs: dict[str, Dof] = field(default_factory=dict)
    in_rows: bool = False
    """Some bodies have several joints."""


def write_joints(writing: Writing, model: RobotModel, scope: str) -> JointPrims:
    """All joints of a model, in its order, below a path."""
    written = JointPrims()
    hidden = {body.name for body in model.bodies if body.hidden}
    outgoing = model.outgoing()
    for joint in model.joints:
        if joint.parent in hidden:
            continue
        row = [joint]
        while row[-1].child in hidden:
            row += outgoing[row[-1].child][:1]
        written.in_rows |= len(row) > 1
        ends = (writing.done.bodies[joint.parent], writing.done.bodies[row[-1].child])
        for one, frames in zip(row, _frames(row), strict=True):
            path = writing.free(scope, one.name)
            writing.done.joints[one.name] = path
            written.prims[one.name] = _joint(writing, path, one, ends, frames, written.dofs)
    return written


def _frames(row: list[Joint]) -> list[tuple[np.ndarray, np.ndarray]]:
    """(4, 4) of each of a row of joints, in the first body and in the last one, as they stand at zero."""
    parents = [pose(np.array(one.position), np.array(one.orientation)) for one in row]
    children = [pose(np.array(one.child_position), np.array(one.child_orientation)) for one in row]
    last = [children[-1]]
    for n in reversed(range(len(row) - 1)):
        last.insert(0, last[0] @ inverse(parents[n + 1]) @ children[n])
    found, first = [], parents[0]
    for n, frame in enumerate(last):
        found.append((first, frame))
        if n + 1 < len(row):
            first = first @ inverse(children[n]) @ parents[n + 1]
    return found


def _joint(
    writing: Writing,
    path: str,
    joint: Joint,
    ends: tuple[str, str],
    frames: tuple[np.ndarray, np.ndarray],
    dofs: dict[str, Dof],
) -> Prim:
    axis = np.array(joint.axis, float)
    letter, onto = _turned(axis)
    stage = writing.stage
    if joint.type == "fixed":
        made, onto = UsdPhysics.FixedJoint.Define(stage, path), np.eye(4)
    elif joint.type in ("revolute", "continuous"):
        made = UsdPhysics.RevoluteJoint.Define(stage, path)
        made.CreateAxisAttr(letter)
        _bounds(made, joint, DEGREES)
        dofs[joint.name] = Dof(made.GetPrim(), f"rot{letter}", "angular")
    elif joint.type == "prismatic":
        made = UsdPhysics.PrismaticJoint.Define(stage, path)
        made.CreateAxisAttr(letter)
        _bounds(made, joint, 1.0)
        dofs[joint.name] = Dof(made.GetPrim(), f"trans{letter}", "linear")
    elif joint.type == "spherical":
        made, onto = _spherical(writing, path, joint, letter, onto, dofs)
    else:
        made, onto = _generic(writing, path, joint, axis, onto, dofs)
    prim = made.GetPrim()
    for n, (end, frame) in enumerate(zip(ends, frames, strict=True)):
        prim.GetRelationship(f"physics:body{n}").SetTargets([Sdf.Path(end)])
        placed = frame @ onto
        prim.GetAttribute(f"physics:localPos{n}").Set(point(placed[:3, 3]))
        prim.GetAttribute(f"physics:localRot{n}").Set(quaternion(orientation_of(placed)))
    return prim


def _turned(axis: np.ndarray) -> tuple[str, np.ndarray]:
    """The letter of the axis nearest to a unit vector (3,), and the turn (4, 4) that takes that onto it."""
    n = int(np.abs(axis).argmax())
    if axis[n] > 1.0 - ALONG:
        return "XYZ"[n], np.eye(4)
    if axis[n] < ALONG - 1.0:
        turn = np.zeros(4)
        turn[1 + (n + 1) % 3] = 1.0  # half a turn about the next axis
        return "XYZ"[n], pose(np.zeros(3), turn)
    return "XYZ"[n], pose(np.zeros(3), between(np.eye(3)[n], axis))


def _bounds(made: Any, joint: Joint, unit: float) -> None:
    if not math.isinf(joint.lower):
        made.CreateLowerLimitAttr(joint.lower * unit)
    if not math.isinf(joint.upper):
        made.CreateUpperLimitAttr(joint.upper * unit)


def _spherical(
    writing: Writing, path: str, joint: Joint, letter: str, onto: np.ndarray, dofs: dict[str, Dof]
) -> tuple[Any, np.ndarray]:
    """A ball joint, and how its frames are turned: not at all where its coordinates can be kept."""
    twists = not (math.isinf(joint.lower) and math.isinf(joint.upper))
    limited = twists or not math.isinf(joint.swing_limit)
    n = "XYZ".index(letter)
    along = abs(joint.axis[n]) > 1.0 - ALONG
    if limited and (not along or (twists and letter != "X")):
        writing.note(
            f'joint "{joint.name}": for its limits its frames are turned so that its axis is X, and so are its '
            "coordinates."
        )
        axis = np.array(joint.axis, float)
        letter, onto = "X", pose(np.zeros(3), between(np.array([1.0, 0.0, 0.0]), axis))
        low, high = joint.lower, joint.upper
    else:
        onto = np.eye(4)  # both ways along an axis are the same to swing; twist changes its sign
        low, high = (joint.lower, joint.upper) if joint.axis[n] > 0.0 else (-joint.upper, -joint.lower)
    if twists:
        made = UsdPhysics.Joint.Define(writing.stage, path)
        swing = (-joint.swing_limit, joint.swing_limit)
        limits: dict[str, tuple[float, float]] = {axis: LOCKED for axis in TRANSLATIONS}
        limits |= {"rotX": (low, high), "rotY": swing, "rotZ": swing}
        _limits(made, limits)
    else:
        made = UsdPhysics.SphericalJoint.Define(writing.stage, path)
        made.CreateAxisAttr(letter)
        if not math.isinf(joint.swing_limit):
            made.CreateConeAngle0LimitAttr(joint.swing_limit * DEGREES)
            made.CreateConeAngle1LimitAttr(joint.swing_limit * DEGREES)
    for axis, end in zip(ROTATIONS, ("rx", "ry", "rz"), strict=True):
        dofs[f"{joint.name}:{end}"] = Dof(made.GetPrim(), axis, axis)
    return made, onto


LOCKED = (1.0, -1.0)


def _generic(
    writing: Writing, path: str, joint: Joint, axis: np.ndarray, onto: np.ndarray, dofs: dict[str, Dof]
) -> tuple[Any, np.ndarray]:
    """A planar joint, which turns about Z and slides along X and Y, or a free one."""
    made = UsdPhysics.Joint.Define(writing.stage, path)
    if joint.type == "planar":
        # Axes as phalanx.models.articulation has them, so that positions are the same numbers.
        x = np.cross(axis, [0.0, 0.0, 1.0] if abs(axis[2]) < 0.9 else [0.0, 1.0, 0.0])
        x /= np.linalg.norm(x)
        onto = np.eye(4)
        onto[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
        _limits(made, {locked: LOCKED for locked in ("transZ", "rotX", "rotY")})
        names = {"x": "transX", "y": "transY", "turn": "rotZ"}
    elif joint.type == "free":
        onto = np.eye(4)
        names = dict(zip(("x", "y", "z", "rx", "ry", "rz"), TRANSLATIONS + ROTATIONS, strict=True))
        writing.note(f'joint "{joint.name}": a free joint within a robot has three shifts and three turns in USD.')
    else:
        raise ValueError(f"joint {joint.name!r}: the type {joint.type!r} is unknown; it cannot be written as USD")
    for end, name in names.items():
        dofs[f"{joint.name}:{end}"] = Dof(made.GetPrim(), name, name)
    return made, onto


def _limits(made: Any, limits: dict[str, tuple[float, float]]) -> None:
    for axis, (low, high) in limits.items():
        if math.isinf(low) and math.isinf(high):
            continue
        unit = DEGREES if axis.startswith("rot") and (low, high) != LOCKED else 1.0
        api = UsdPhysics.LimitAPI.Apply(made.GetPrim(), axis)
        if not math.isinf(low):
            api.CreateLowAttr(low * unit)
        if not math.isinf(high):
            api.CreateHighAttr(high * unit)


def add_mobility(marker: Prim) -> None:
    """Say that joints between the same two bodies add up."""
    set_attribute(marker, "newton:jointsAddMobility", True)
