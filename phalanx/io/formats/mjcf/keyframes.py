"""Keyframes: named states, told apart by the trees that they are of."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from phalanx.io.formats.mjcf import schema
from phalanx.io.formats.mjcf.actuators import Read
from phalanx.io.formats.mjcf.models import TreeModel
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.tree import Context, JointNode, Node
from phalanx.io.formats.mjcf.values import Values
from phalanx.maths.arrays import IDENTITY, rotate, rotation_vector, unit
from phalanx.models.actuators import Keyframe

COORDINATES = {"free": 7, "spherical": 4, "revolute": 1, "prismatic": 1}
VELOCITIES = {"free": 6, "spherical": 3, "revolute": 1, "prismatic": 1}


def joints_of(trees: Iterable[TreeModel]) -> list[tuple[TreeModel, Node, JointNode]]:
    """All joints in the order in which a keyframe has their numbers."""
    return [(tree, node, joint) for tree in trees for node in tree.nodes for joint in node.joints]


def read(
    context: Context, everything: list[tuple[TreeModel, Node, JointNode]], actuators: list[Read], notes: Notes
) -> None:
    """Give the models the keyframes of one file. What is attached to another file sets its own joints only."""
    mine = [one for one in everything if not context.attached or context.holds(one[2].context)]
    controls = [one.actuator.name for one in actuators if not context.attached or context.holds(one.context)]
    trees = {id(tree): tree for tree, _, _ in everything}
    for number, element in enumerate(context.source.sections("keyframe")):
        if element.tag != "key":
            raise schema.unknown(element, ["key"])
        schema.check(element, notes)
        name = context.prefix + element.attributes.get("name", f"key_{number}")
        if any(frame.name == name for tree in trees.values() for frame in tree.model.keyframes):
            continue
        values = Values(element)
        positions = _numbers(values, "qpos", sum(COORDINATES[joint.kind] for _, _, joint in mine))
        velocities = _numbers(values, "qvel", sum(VELOCITIES[joint.kind] for _, _, joint in mine))
        given = values.numbers("ctrl") if values.has("ctrl") else None
        if given is not None and len(given) != len(controls):
            if not context.attached and all(controls):
                raise element.error(f"ctrl has {len(given)} numbers, and the file needs {len(controls)}.")
            notes.add(element, "its controls are left out, as some actuators are.")
            given = None
        frames = {key: Keyframe(name) for key in trees}
        p = v = 0
        for tree, _, joint in mine:
            frame = frames[id(tree)]
            q = None if positions is None else positions[p : p + COORDINATES[joint.kind]]
            u = None if velocities is None else velocities[v : v + VELOCITIES[joint.kind]]
            _set(frame, joint, q, u)
            p, v = p + COORDINATES[joint.kind], v + VELOCITIES[joint.kind]
        for key, tree in trees.items():
            if given is not None:
                names = [actuator.name for actuator in tree.model.actuators]
                pairs = zip(controls, given.tolist(), strict=True)
                frames[key].controls = {control: value for control, value in pairs if control in names}
            tree.model.keyframes.append(frames[key])


def _numbers(values: Values, name: str, count: int) -> np.ndarray | None:
    if not values.has(name):
        return None
    found = values.numbers(name)
    if len(found) != count:
        raise values.element.error(f"{name} has {len(found)} numbers, and the file needs {count}.")
    return found


def _set(frame: Keyframe, joint: JointNode, position: np.ndarray | None, velocity: np.ndarray | None) -> None:
    turned = IDENTITY
    if position is not None and len(position) > 1:
        turned = unit(position[-4:]) if np.any(position[-4:]) else IDENTITY
    if joint.kind == "free":
        if position is not None:
            frame.root_pose = (*position[:3].tolist(), *turned.tolist())
        if velocity is not None:
            frame.root_vel = (*velocity[:3].tolist(), *rotate(turned, velocity[3:]).tolist())
    elif joint.kind == "spherical":
        names = [f"{joint.name}:{axis}" for axis in ("rx", "ry", "rz")]
        if position is not None:
            frame.joint_pos |= dict(zip(names, rotation_vector(turned).tolist(), strict=True))
        if velocity is not None:
            frame.joint_vel |= dict(zip(names, rotate(turned, velocity).tolist(), strict=True))
    else:
        if position is not None:
            frame.joint_pos[joint.name] = float(position[0])
        if velocity is not None:
            frame.joint_vel[joint.name] = float(velocity[0])
