"""Models of robots and objects from the trees of a file."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from phalanx.io.formats.mjcf import softness
from phalanx.io.formats.mjcf.bodies import Solid
from phalanx.io.formats.mjcf.inertia import lever, resistance
from phalanx.io.formats.mjcf.notes import Notes
from phalanx.io.formats.mjcf.poses import Pose, compose, tuples
from phalanx.io.formats.mjcf.tree import JointNode, Node
from phalanx.maths.arrays import about, product, rotate
from phalanx.models.checks import Inertias, check_inertias
from phalanx.models.robot_model import Body, Joint, RobotModel

LEAST_MASS = 1e-15
"""kg, of anything that a joint moves."""

WORLD = "world"
"""Root body of a robot whose first joint moves it against the world."""


@dataclass
class TreeModel:
    """One top-level body with all that hangs on it.

    ``kind``: ``"robot"`` (it has joints), ``"dynamic"`` (nothing but a free joint), ``"kinematic"`` (a mocap body),
    ``"static"`` (no joints).
    """

    name: str
    kind: str
    model: RobotModel
    nodes: list[Node] = field(default_factory=list)


def kind_of(root: Node) -> str:
    """See :class:`TreeModel`."""
    joints = [joint for node in root.walk() for joint in node.joints]
    if not joints:
        return "kinematic" if root.mocap else "static"
    return "dynamic" if len(joints) == 1 and joints[0].kind == "free" else "robot"


def tree_model(
    root: Node, solids: dict[str, Solid], notes: Notes, source: str, visuals: bool, inertias: Inertias
) -> TreeModel:
    """The model of a top-level body and all below it."""
    nodes = list(root.walk())
    kind = kind_of(root)
    bodies = [solids[node.name].body(visuals) for node in nodes]
    model = RobotModel(root.name, [], [], source)
    free = bool(root.joints) and root.joints[0].kind == "free"
    hinged = bool(root.joints) and not free
    place = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)) if hinged else tuples(root.pose)
    model.position, model.orientation = place
    model.fixed_base = kind in ("robot", "static") and not free
    model.self_collision = model.base_collision = True
    if free:
        _mention_free(root.joints[0], notes)
    if hinged:
        model.bodies.append(Body(WORLD))
        model.joints += _joints(root, WORLD, model, solids, notes)
    for node, body in zip(nodes, bodies, strict=True):
        for child in node.children:
            model.joints += _joints(child, node.name, model, solids, notes)
        model.bodies.append(body)
    _check_masses(nodes, solids)
    said = {node.name: node.element if node.inertial is None else node.inertial.element for node in nodes}
    for name, told in check_inertias(model, inertias, lambda name, text: said[name].error(text)).items():
        notes.add(said[name], told)
    if kind == "kinematic" and not sum(body.mass for body in model.bodies) > 0.0:
        model.bodies[0].mass, model.bodies[0].inertia = 1.0, np.eye(3)  # the user moves it, so it matters to nothing
    return TreeModel(root.name, kind, model, nodes)


def _check_masses(nodes: Iterable[Node], solids: dict[str, Solid]) -> None:
    for node in nodes:
        if not node.joints:
            continue
        rigid = [node]
        for one in rigid:
            rigid += [child for child in one.children if not child.joints]
        if not sum(solids[one.name].mass for one in rigid) > LEAST_MASS:
            raise node.element.error(
                "a joint moves it, but neither it nor what is fixed to it has mass; give it geoms with a density, or "
                "an <inertial>."
            )


def _joints(node: Node, parent: str, model: RobotModel, solids: dict[str, Solid], notes: Notes) -> list[Joint]:
    """What connects a body to its parent; hidden bodies, which the model gets, stand between several joints."""
    at = node.pose
    if not node.joints:
        position, orientation = tuples(at)
        return [Joint(f"{node.name}_fixed", "fixed", parent, node.name, position, orientation)]
    found = []
    for n, given in enumerate(node.joints):
        last = n == len(node.joints) - 1
        child = node.name if last else f"{node.name}:{given.name}"
        if not last:
            model.bodies.append(Body(child, hidden=True))
        asks = given.values.has("springdamper") or given.values.has("solreflimit")
        moved = resistance(node, given, solids) if asks and given.kind in ("revolute", "prismatic") else 0.0
        weight = lever(node, given, solids) if moved > 0.0 else 0.0
        found.append(_joint(given, parent, child, at, moved, weight, notes))
        model.joint_pos |= {given.name: given.reference} if given.reference else {}
        parent, at = child, (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
    return found


def _joint(
    given: JointNode, parent: str, child: str, at: Pose, moved: float, weight: float, notes: Notes
) -> Joint:  # fmt: skip
    """One joint that moves so much inertia and bears so much per gravity; ``at``: where the child is in its parent."""
    frame = compose(at, (given.anchor, np.array([1.0, 0.0, 0.0, 0.0])))
    if given.reference and given.kind == "revolute":
        frame = (frame[0], product(frame[1], about(given.axis, -given.reference)))
    elif given.reference:
        frame = (frame[0] - rotate(frame[1], given.axis) * given.reference, frame[1])
    position, orientation = tuples(frame)
    x, y, z = given.axis.tolist()
    joint = Joint(given.name, given.kind, parent, child, position, orientation, (x, y, z))
    x, y, z = given.anchor.tolist()
    joint.child_position = (x, y, z)
    values, scale = given.values, given.context.source.radians
    angular = scale if given.kind in ("revolute", "spherical") else 1.0
    options = given.context.options
    joint.damping, joint.armature, joint.friction, stiffness = (
        options.amount(values, name, notes) for name in ("damping", "armature", "frictionloss", "stiffness")
    )
    time, ratio = values.vector("springdamper", 2, (0.0, 0.0)).tolist()
    if time > 0.0 and ratio > 0.0 and given.kind in ("revolute", "prismatic"):
        if min(time, ratio) < 1e-9:
            raise values.error("springdamper", "it must not be so small")
        stiffness = moved / (time * ratio * time * ratio)
        joint.damping = 2.0 * moved / time
    if stiffness and given.kind not in ("revolute", "prismatic"):
        notes.add(values.element, "springs of ball joints are not simulated; the joint has none.")
    elif stiffness:
        joint.stiffness, joint.rest_position = stiffness, values.number("springref", 0.0) * angular
    autolimits = given.context.source.compiler.autolimits
    if values.limited("limited", "range", autolimits) and not options.off("limit"):
        lower, upper = (values.vector("range", 2) * angular).tolist()
        if lower > upper or (given.kind != "spherical" and lower == upper):
            raise values.error("range", "the first must be below the second")
        if given.kind == "spherical":
            joint.swing_limit = min(upper, math.pi)
            notes.add(
                values.element,
                "the engine limits swing and twist of ball joints, not their whole turn; its range limits the swing.",
            )
        else:
            joint.lower, joint.upper = lower, upper
            _soften(joint, given, moved, weight, notes)
    elif given.kind == "revolute":
        joint.type = "continuous"
    if values.limited("actuatorfrclimited", "actuatorfrcrange", autolimits):
        low, high = values.vector("actuatorfrcrange", 2).tolist()
        joint.effort_limit = max(-low, high)
        if low != -high:
            notes.add(values.element, f"effort limits are even: actuatorfrcrange is read as +-{max(-low, high):g}.")
    return joint


def _soften(joint: Joint, given: JointNode, moved: float, weight: float, notes: Notes) -> None:
    """Springs of limits of a joint, where the file says how soft they are; arguments as for ``_joint``."""
    values, options = given.values, given.context.options
    least = 0.0 if options.off("refsafe") else 2.0 * options.timestep
    soft = softness.read_softness(values, "solreflimit", "solimplimit", least)
    if soft.given and moved > 0.0:
        load = weight * (float(np.linalg.norm(options.gravity)) or 9.81) / moved
        joint.limit_stiffness, joint.limit_damping = softness.spring(soft, moved, load)
        notes.add(values.element, f"solreflimit: {softness.DAMPED if softness.damped(soft) else softness.LIVELY}")
    elif values.has("solimplimit"):
        notes.attribute(values.givers("solimplimit")[-1], "solimplimit")


def _mention_free(joint: JointNode, notes: Notes) -> None:
    if joint.values.element.tag == "freejoint":
        return
    for name in ("damping", "armature", "frictionloss", "stiffness"):
        if np.any(joint.values.numbers(name)):
            notes.attribute(joint.values.givers(name)[-1], f"{name} of a free joint")
