"""Joints of trees as the model has them: frames, axes, limits, and where they stand as drawn."""

from __future__ import annotations

import math

import numpy as np

from phalanx.io.formats.usd.frames import Quaternion, Vector, inverse, orientation_of, position_of
from phalanx.io.formats.usd.joints import RADIANS, JointPrim, drawn
from phalanx.io.formats.usd.trees import Edge
from phalanx.io.formats.usd.values import Reading
from phalanx.maths.arrays import from_matrix, rotation_vector
from phalanx.models.robot_model import Body, Joint, RobotModel

APART = 1e-3
"""m and rad by which frames that a joint holds together may be apart as drawn without a word."""

NOISE = 2e-6
"""rad or m below which a position as drawn counts as 0, since stages keep orientations in single precision."""

ROTATIONS = ("rx", "ry", "rz")


def add_edge(
    reading: Reading, edge: Edge, model: RobotModel, parent: str, child: str, name: str
) -> dict[str, list[str]]:
    """Put the joint of an edge into a model, with hidden bodies in between where it moves in several ways.

    A joint that turns about three axes is a ball joint, unless it may swing further to one side than to the other: then
    it turns about x, y and z one after the other, each within its own limits, as PhysX limits each by itself.

    The edge of a joint that comes after another one gets the hidden body that that one moves as its parent; it is where
    the child is drawn.

    Returns:
        For each axis that moves the names of its dofs; one each, with signs as the stage has them.
    """
    joint = edge.joint
    frames = list(joint.frames)
    if edge.backwards:
        frames.reverse()
    if edge.after:
        frames[0] = frames[1]
    placed = (position_of(frames[0]), orientation_of(frames[0]), position_of(frames[1]), orientation_of(frames[1]))
    if joint.kind == "fixed" or (joint.kind == "spherical" and not joint.uneven):
        made = Joint(name, joint.kind, parent, child, placed[0], placed[1])
        made.child_position, made.child_orientation = placed[2], placed[3]
        model.joints.append(made)
        if joint.kind == "fixed":
            _check_drawn(reading, joint, {})
            return {}
        return _spherical(reading, edge, made, model)
    sign = -1.0 if edge.backwards else 1.0
    axes = sorted(joint.free, key=_order)
    names = {axis: name if len(axes) == 1 else f"{name}:{axis}" for axis in axes}
    before = parent
    for n, axis in enumerate(reversed(axes) if edge.backwards else axes):
        last = n == len(axes) - 1
        after = child if last else f"{child}:{names[axis]}"
        if not last:
            model.bodies.append(Body(after, hidden=True))
        first_place: tuple[Vector, Quaternion] = placed[:2] if n == 0 else ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
        one = Joint(names[axis], "prismatic", before, after, *first_place, axis=_direction(axis, sign))
        if last:
            one.child_position, one.child_orientation = placed[2], placed[3]
        one.lower, one.upper = joint.free[axis]
        if axis.startswith("rot"):
            one.type = "continuous" if math.isinf(one.lower) and math.isinf(one.upper) else "revolute"
        model.joints.append(one)
        before = after
    _stand(reading, joint, names, model)
    return {axis: [names[axis]] for axis in axes}


def _order(axis: str) -> tuple[bool, str]:
    """Shifts before turns: what turns is carried by what shifts."""
    return axis.startswith("rot"), axis


def _direction(axis: str, sign: float) -> Vector:
    x, y, z = (sign if axis.endswith(letter) else 0.0 for letter in "XYZ")
    return x, y, z


def _spherical(reading: Reading, edge: Edge, made: Joint, model: RobotModel) -> dict[str, list[str]]:
    joint = edge.joint
    made.axis = _direction("XYZ"[joint.axis], 1.0)
    if joint.swing[0] != joint.swing[1]:
        text = "limits of swing in the joints of robots are even about the axis; the wider one is taken."
        reading.notes.add(joint.prim, text)
    made.swing_limit = max(joint.swing)
    low, high = joint.free["rot" + "XYZ"[joint.axis]]
    low, high = (-high, -low) if edge.backwards else (low, high)
    made.lower, made.upper = (math.inf * math.copysign(1, end) if abs(end) > math.pi else end for end in (low, high))
    if edge.backwards:
        text = "its second body is nearer to the root, so its coordinates turn the other way."
        reading.notes.add(joint.prim, text)
    turned = drawn(joint)
    if edge.backwards:
        turned = inverse(turned)
    _check_drawn(reading, joint, dict.fromkeys(("rotX", "rotY", "rotZ"), 0.0))
    vector = rotation_vector(from_matrix(turned[:3, :3]))
    names = [f"{made.name}:{letter}" for letter in ROTATIONS]
    for dof, value in zip(names, vector.tolist(), strict=True):
        if abs(value) > NOISE:
            model.joint_pos[dof] = value
    return {axis: [dof] for axis, dof in zip(("rotX", "rotY", "rotZ"), names, strict=True)}


def _stand(reading: Reading, joint: JointPrim, names: dict[str, str], model: RobotModel) -> None:
    """Where the joint stands at first: as its state says, or else as its bodies are drawn."""
    said = {}
    for axis in names:
        prefix = f"state:{joint.instance(axis)}:physics:position"
        if reading.authored(joint.prim, prefix):
            scale = RADIANS if axis.startswith("rot") else reading.units.length
            said[axis] = reading.number(joint.prim, prefix, 0.0) * scale
    shown = _positions(joint, list(names))
    _check_drawn(reading, joint, shown)
    for axis, name in names.items():
        value = said.get(axis, _within(shown[axis], joint.free[axis], axis))
        if abs(value) > NOISE:
            model.joint_pos[name] = value


def _positions(joint: JointPrim, axes: list[str]) -> dict[str, float]:
    """Position of each axis as drawn. Turns follow each other in the order of ``axes``, about axes that are carried."""
    relative = drawn(joint)
    found = {axis: float(relative["XYZ".index(axis[-1]), 3]) for axis in axes if axis.startswith("trans")}
    turning = ["XYZ".index(axis[-1]) for axis in axes if axis.startswith("rot")]
    r = relative[:3, :3]
    if len(turning) == 1:
        (i,) = turning
        j, k = (i + 1) % 3, (i + 2) % 3
        found[f"rot{'XYZ'[i]}"] = math.atan2(r[k, j] - r[j, k], r[j, j] + r[k, k])
    elif len(turning) == 2:
        i, j = turning
        k = 3 - i - j
        s = 1.0 if (j - i) % 3 == 1 else -1.0
        found[f"rot{'XYZ'[i]}"] = math.atan2(s * r[k, j], r[j, j])
        found[f"rot{'XYZ'[j]}"] = math.atan2(s * r[i, k], r[i, i])
    elif turning:  # R = Rx Ry Rz
        found["rotX"] = math.atan2(-r[1, 2], r[2, 2])
        found["rotY"] = math.asin(min(1.0, max(-1.0, r[0, 2])))
        found["rotZ"] = math.atan2(-r[0, 1], r[0, 0])
    return found


def _within(value: float, bounds: tuple[float, float], axis: str) -> float:
    """The same angle within limits, if a number of turns brings it there."""
    if axis.startswith("rot"):
        for turns in (0.0, 1.0, -1.0):
            if bounds[0] - NOISE <= value + turns * 2.0 * math.pi <= bounds[1] + NOISE:
                return value + turns * 2.0 * math.pi
    return value


def _check_drawn(reading: Reading, joint: JointPrim, moves: dict[str, float]) -> None:
    """Tell of frames that the joint would hold together, but that are drawn apart."""
    relative = drawn(joint)
    shift = [relative[n, 3] for n in range(3) if f"trans{'XYZ'[n]}" not in moves]
    turning = ["XYZ".index(axis[-1]) for axis in moves if axis.startswith("rot")]
    apart = bool(np.linalg.norm(shift) > APART)
    if len(turning) == 0:
        apart |= bool(np.linalg.norm(rotation_vector(from_matrix(relative[:3, :3]))) > APART)
    elif len(turning) == 1:
        apart |= bool(np.linalg.norm(np.delete(relative[:3, turning[0]], turning[0])) > APART)
    if apart:
        text = "its two frames are drawn where it cannot hold them; the body farther from the root moves to the other."
        reading.notes.add(joint.prim, text)
