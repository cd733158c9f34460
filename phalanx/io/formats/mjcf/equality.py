"""Equality constraints: joints that follow others, and points and bodies held together."""

from __future__ import annotations

import numpy as np

from phalanx.io.formats.mjcf import schema, tendons
from phalanx.io.formats.mjcf.held import Held
from phalanx.io.formats.mjcf.models import TreeModel
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import IDENTITY, Pose, compose, inverse
from phalanx.io.formats.mjcf.references import References
from phalanx.io.formats.mjcf.tree import Context, Node, Tree
from phalanx.io.formats.mjcf.values import Values
from phalanx.maths.arrays import unit
from phalanx.models.robot_model import Joint, Mimic
from phalanx.models.tendons import FixedTendon


def read(
    context: Context, tree: Tree, trees: dict[str, TreeModel], strings: dict[str, tendons.Read], notes: Notes
) -> list[Held]:
    """Constraints of one file. Those of joints become the models' mimics and limits; others are handed back."""
    held = []
    for number, element in enumerate(context.source.sections("equality")):
        kinds = ("connect", "weld", "joint", "tendon")
        if element.tag in ("flex", "flexstrain"):
            notes.add(element, "deformable bodies are not simulated; it is left out.")
            continue
        if element.tag not in kinds:
            raise schema.unknown(element, [*kinds, "flex"])
        schema.check(element, notes, f"equality {element.tag}" if element.tag in ("joint", "tendon") else "")
        values = context.source.defaults.values(element, "equality", "main")
        if not values.flag("active", True):
            notes.add(element, "it is not active, and cannot be switched on later; it is left out.")
        elif context.options.off("equality"):
            continue
        elif element.tag == "tendon":
            _tendon(values, context, strings, notes)
        elif element.tag == "joint":
            _joint(values, context, tree, trees, notes)
        else:
            one = _held(values, context, tree, number, notes)
            held += [one] if one is not None else []
    return held


def _joint(values: Values, context: Context, tree: Tree, trees: dict[str, TreeModel], notes: Notes) -> None:
    element = values.element
    references = References(context)
    keys = ["joint1", *(["joint2"] if "joint2" in element.attributes else [])]
    found = [references.find(tree.joints, element.get(key), element, "joint") for key in keys]
    if not references.apply:
        return
    for name in found:
        if tree.joints[name][1].kind not in ("revolute", "prismatic"):
            raise element.error(f'the joint "{name}" has more than one degree of freedom.')
    poly = values.vector("polycoef", 5, (0.0, 1.0, 0.0, 0.0, 0.0), least=1)
    owner, follower = _model_joint(trees, found[0])
    start = tree.joints[found[0]][1].reference
    if len(found) == 1:
        follower.lower = follower.upper = start + float(poly[0])
        return
    if np.any(poly[2:]):
        notes.add(element, "only straight lines between joints are simulated, without later numbers of polycoef.")
        return
    other, leader = _model_joint(trees, found[1])
    if other is not owner:
        notes.add(element, "joints of different robots cannot follow each other; it is left out.")
        return
    if follower.mimic is not None or _follows(owner, leader, follower):
        notes.add(element, f'the joint "{found[0]}" follows another one already; it is left out.')
        return
    start_of_leader = tree.joints[found[1]][1].reference
    slope = float(poly[1])
    follower.mimic = Mimic(found[1], slope, start + float(poly[0]) - slope * start_of_leader)


def _tendon(values: Values, context: Context, strings: dict[str, tendons.Read], notes: Notes) -> None:
    """Hold the length of a fixed tendon, or a line between two of them: a tendon of its own with equal limits."""
    element = values.element
    references = References(context)
    keys = ["tendon1", *(["tendon2"] if "tendon2" in element.attributes else [])]
    names = [references.find(strings, element.get(key), element, "tendon") for key in keys]
    if not references.apply:
        return
    found = [strings[name] for name in names]
    poly = values.vector("polycoef", 5, (0.0, 1.0, 0.0, 0.0, 0.0), least=1)
    if any(not one.joints for one in found) or found[-1].root is not found[0].root or np.any(poly[2:]):
        notes.add(element, "only straight lines between fixed tendons of one robot are simulated; it is left out.")
        return
    joints = dict(found[0].joints)
    length = found[0].start + float(poly[0])
    if len(found) == 2:
        length -= float(poly[1]) * found[1].start
        for joint, weight in found[1].joints.items():
            joints[joint] = joints.get(joint, 0.0) - float(poly[1]) * weight
    given = element.attributes.get("name", "")
    name = context.name(given) if given else f"{found[0].name}_held"
    made = FixedTendon(name, joints, rest_length=0.0, limit_stiffness=np.inf, lower=length, upper=length)
    found[0].more.append(made)


def _follows(tree: TreeModel, joint: Joint, of: Joint) -> bool:
    """Whether a joint follows another, directly or by way of others."""
    by_name = {one.name: one for one in tree.model.joints}
    current: Joint | None = joint
    while current is not None:
        if current is of:
            return True
        current = by_name[current.mimic.joint] if current.mimic is not None else None
    return False


def _model_joint(trees: dict[str, TreeModel], name: str) -> tuple[TreeModel, Joint]:
    for tree in trees.values():
        for joint in tree.model.joints:
            if joint.name == name:
                return tree, joint
    raise AssertionError(name)


def _carrier(node: Node) -> Node:
    """The body with joints that a body is part of, or the world."""
    while node.parent is not None and not node.joints and not node.mocap:
        node = node.parent
    return node


def _held(values: Values, context: Context, tree: Tree, number: int, notes: Notes) -> Held | None:
    element = values.element
    kind = "spherical" if element.tag == "connect" else "fixed"
    given = element.attributes.get("name", "")
    name = context.name(given) if given else f"{element.tag}_{number}"
    by_site = "site1" in element.attributes or "site2" in element.attributes
    keys, table = (("site1", "site2"), tree.sites) if by_site else (("body1", "body2"), tree.bodies)
    found: list[tuple[Node, Pose]] = []
    references = References(context)
    for key in keys:
        if key == "body2" and key not in element.attributes:
            found.append((tree.world, IDENTITY))
            continue
        own = element.get(key)
        word = own if own == "world" and not by_site else references.find(table, own, element, key[:-1])
        if references.missing:
            return None
        entry = table[word]
        found.append((entry[0], entry[1].pose) if isinstance(entry, tuple) else (entry, IDENTITY))
    if not references.apply:
        return None
    (a, pose_a), (b, pose_b) = found
    if a is b and not by_site:
        raise element.error(f'it holds "{a.name}" to itself; name two bodies.')
    if _carrier(a) is _carrier(b):
        notes.add(element, "it holds what is one rigid body already; it is left out.")
        return None
    if not by_site:
        relative = compose(inverse(a.world_pose()), b.world_pose())
        if kind == "spherical":
            pose_a = (values.vector("anchor", 3), IDENTITY[1])
        else:
            if values.has("relpose") and np.any(values.vector("relpose", 7)[3:]):
                numbers = values.vector("relpose", 7)
                relative = (numbers[:3], unit(numbers[3:]))
            pose_b = (values.vector("anchor", 3, (0.0, 0.0, 0.0)), IDENTITY[1])
            pose_a = compose(relative, pose_b)
        if kind == "spherical":
            pose_b = compose(inverse(relative), pose_a)
    return Held(kind, name, a, b, pose_a, pose_b)
