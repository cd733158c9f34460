"""Checks of a robot that hold whatever file format it came from: a tree, masses where they are needed.

The reader passes ``where``, which turns a link or joint name into a :class:`LoadError` that points at its place
in the file; usable oddities come back as sentences for ``RobotModel.warnings``.
"""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Callable, Iterable
from typing import Literal

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.maths.arrays import IDENTITY, inverse, matrix, product, rotate
from phalanx.models.robot_model import Body, Joint, RobotModel

Pose = tuple[np.ndarray, np.ndarray]
LinkError = Callable[[str, str], LoadError]
ONE_DOF = ("revolute", "continuous", "prismatic")
TRIANGLE_TOLERANCE = 1e-3  # of the sum of the others, for the largest principal moment: files round their figures
NEGATIVE_TOLERANCE = 1e-6  # of the largest principal moment, likewise
LEAST_MOMENT = 1e-15  # kg m^2: smaller ones are nothing, as in MuJoCo

REPAIRED = "the nearest that one can have is taken"
"""What is said of inertias that were replaced."""

Inertias = Literal["refuse", "fix", "keep"]
"""What becomes of inertias that no body can have: an error, the nearest that one can have, or a warning alone."""


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint such as ``; did you mean "knee"?``, or nothing when no name comes near."""
    found = difflib.get_close_matches(name, list(names), n=1)
    return f'; did you mean "{found[0]}"?' if found else "."


def check_tree(links: list[str], joints: list[Joint], link_error: LinkError, joint_error: LinkError) -> None:
    """Raise unless the joints make one tree of all links. ``link_error(name, text)`` makes the error to raise."""
    known, joint_of = set(links), {}
    for joint in joints:
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in known:
                raise joint_error(joint.name, f'its {role} link "{link}" does not exist{nearest(link, links)}')
        if joint.child in joint_of:
            first = joint_of[joint.child].name
            raise joint_error(
                joint.name,
                f'the link "{joint.child}" already has a parent, by joint "{first}"; a robot is a tree, '
                "so give the link one parent.",
            )
        joint_of[joint.child] = joint
    for link in links:  # climb to the root; coming back to a link of the climb is a loop
        climb: dict[str, None] = {}
        while link in joint_of and link not in climb:
            climb[link] = None
            link = joint_of[link].parent
        if link in climb:
            names = list(climb)
            loop = " -> ".join([link, *reversed(names[names.index(link) :])])
            raise joint_error(joint_of[link].name, f"the links form a loop ({loop}); a robot is a tree.")
        for passed in climb:  # known to reach a root
            joint_of.pop(passed)
    children = {joint.child for joint in joints}
    roots = [link for link in links if link not in children]
    if len(roots) > 1:
        named = ", ".join(f'"{root}"' for root in roots[:6]) + (" ..." if len(roots) > 6 else "")
        raise link_error(
            roots[1], f"the robot has {len(roots)} root links ({named}); connect all but one by a joint to a parent."
        )


def check_mimic(joints: list[Joint], joint_error: LinkError) -> None:
    """Raise unless every mimic joint follows, directly or by others, a one-dof joint that follows nobody."""
    by_name = {joint.name: joint for joint in joints}
    for joint in joints:
        if joint.mimic is None:
            continue
        leader = by_name.get(joint.mimic.joint)
        if leader is None:
            hint = nearest(joint.mimic.joint, by_name)
            raise joint_error(joint.name, f'it mimics joint "{joint.mimic.joint}", which does not exist{hint}')
        for one in (joint, leader):
            if one.type not in ONE_DOF:
                text = f'it mimics "{leader.name}", but "{one.name}" is {one.type}: only joints with one dof can mimic.'
                raise joint_error(joint.name, text)
        seen = {joint.name}
        while leader is not None and leader.mimic is not None:
            if leader.name in seen:
                raise joint_error(joint.name, "it mimics itself by way of other joints; break the circle.")
            seen.add(leader.name)
            leader = by_name.get(leader.mimic.joint)


def check_masses(
    model: RobotModel,
    link_error: LinkError,
    joint_error: LinkError,
    inertias: Inertias = "refuse",
    need_masses: bool = True,
) -> list[str]:
    """Raise for a joint that moves no mass at all and for impossible inertias; warn of massless groups.

    Links joined by fixed joints are one rigid group. A massless group is an ordinary intermediate frame as
    long as massive links move with it; a moving joint whose whole subtree has no mass makes the mass matrix
    singular. Expects a tree (:func:`check_tree`). Without ``need_masses`` links that collide count as massive: they
    get their mass by a density later.
    """
    outgoing = model.outgoing()
    by_shapes = 0.0 if need_masses else 1.0
    mass = {body.name: body.mass or by_shapes * bool(body.collisions) for body in model.bodies}
    group, order, queue = {model.root: model.root}, [], deque([model.root])
    while queue:
        link = queue.popleft()
        for joint in outgoing[link]:
            group[joint.child] = group[link] if joint.type == "fixed" else joint.child
            order.append(joint)
            queue.append(joint.child)
    group_mass = dict.fromkeys(group.values(), 0.0)
    for link, head in group.items():
        group_mass[head] += mass[link]
    subtree = dict(mass)
    for joint in reversed(order):
        subtree[joint.parent] += subtree[joint.child]

    warnings = []
    root = model.root
    if group_mass[root] == 0.0 and order:
        warnings.append(f'link "{root}" is the root and has no mass: the robot needs a fixed base.')
    for joint in model.joints:
        if joint.type == "fixed":
            continue
        if subtree[joint.child] == 0.0:
            raise joint_error(
                joint.name,
                f'it moves link "{joint.child}", but neither that link nor any link it carries has mass; '
                "add an <inertial> with a mass, or make the joint fixed.",
            )
        if group_mass[joint.child] == 0.0:
            warnings.append(
                f'link "{joint.child}" moves by joint "{joint.name}" but has no mass; '
                "it moves only with the mass of the links it carries."
            )
    told = check_inertias(model, inertias, link_error)
    return warnings + [f'link "{body.name}": {told[body.name]}' for body in model.bodies if body.name in told]


def check_inertias(model: RobotModel, inertias: Inertias, error: LinkError) -> dict[str, str]:
    """What is to be said of inertias, by body; those that no body can have are refused, or replaced.

    Bodies joined by fixed joints are one, so a link that cannot be by itself, such as a placeholder for a sensor, is
    only mentioned where the whole can be. Expects a tree (:func:`check_tree`).
    """
    told = {}
    for group in _rigid_groups(model):
        wrong = {body.name: text for body, _ in group if body.mass > 0.0 and (text := impossible(body.inertia))}
        refused = bool(wrong) and bool(impossible(_together(group))) and inertias != "keep"
        for body, _ in group:
            if body.mass > 0.0 and (problem := wrong.get(body.name)):
                told[body.name] = f"its inertia {problem}."
                if refused and inertias == "refuse":
                    raise error(
                        body.name,
                        f"its inertia {problem}; correct it, or have the nearest that one can have taken, by "
                        "fix_inertias=True (--fix-inertias).",
                    )
                if refused:
                    body.inertia = nearest_inertia(body.inertia)
                    figures = _figures(np.linalg.eigvalsh(body.inertia))
                    told[body.name] = f"its inertia {problem}; {REPAIRED}, of {figures} kg·m²."
            elif body.mass > 0.0 and (moments := np.linalg.eigvalsh(body.inertia))[0] <= 0.0:
                told[body.name] = f"its inertia is not positive definite (principal moments {_figures(moments)} kg·m²)."
    return told


def _rigid_groups(model: RobotModel) -> list[list[tuple[Body, Pose]]]:
    """Bodies that fixed joints connect, with their poses in the frame of the first of each group."""
    bodies, outgoing = {body.name: body for body in model.bodies}, model.outgoing()
    found: list[list[tuple[Body, Pose]]] = []
    heads = [model.root, *(joint.child for joint in model.joints if joint.type != "fixed")]
    for head in heads:
        group: list[tuple[Body, Pose]] = [(bodies[head], (np.zeros(3), IDENTITY))]
        for body, (position, orientation) in group:  # which grows
            for joint in outgoing[body.name]:
                if joint.type == "fixed":
                    at = position + rotate(orientation, np.array(joint.position))
                    turned = product(
                        orientation, product(np.array(joint.orientation), inverse(joint.child_orientation))
                    )
                    group.append((bodies[joint.child], (at - rotate(turned, np.array(joint.child_position)), turned)))
        found.append(group)
    return found


def _together(group: list[tuple[Body, Pose]]) -> np.ndarray:
    """Inertia (3, 3) of a group about its centre of mass."""
    mass = sum(body.mass for body, _ in group)
    centres = [position + rotate(orientation, np.array(body.com)) for body, (position, orientation) in group]
    centre = sum((body.mass * at for (body, _), at in zip(group, centres, strict=True)), np.zeros(3)) / mass
    total = np.zeros((3, 3))
    for (body, (_, orientation)), at in zip(group, centres, strict=True):
        turned, arm = matrix(orientation), at - centre
        total += turned @ body.inertia @ turned.T + body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return total


def impossible(inertia: np.ndarray) -> str:
    """Why no body can have a (3, 3) inertia about its centre of mass, or nothing.

    A principal moment is the sum of two of the body's second moments along the axes, none of which is negative: so no
    moment is, and none is greater than the sum of the others.
    """
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < -NEGATIVE_TOLERANCE * moments[2] - LEAST_MOMENT:
        return f"has a negative principal moment (they are {_figures(moments)} kg·m²), as no body can"
    if moments[2] > (moments[0] + moments[1]) * (1.0 + TRIANGLE_TOLERANCE) + LEAST_MOMENT:
        return f"violates the triangle inequality (principal moments {_figures(moments)} kg·m²), as no body can"
    return ""


def nearest_inertia(inertia: np.ndarray) -> np.ndarray:
    """The inertia (3, 3) that a body can have which is nearest to the given one, in the Frobenius norm.

    What bodies can have does not depend on axes, so the nearest has the same principal axes; its moments are sums of
    second moments along the axes that are not negative, by least squares.
    """
    from scipy.optimize import nnls

    moments, axes = np.linalg.eigh(0.5 * (inertia + np.transpose(inertia)))
    sums = np.ones((3, 3)) - np.eye(3)
    along, _ = nnls(sums, moments)
    found = (axes * (sums @ along)) @ axes.T
    return 0.5 * (found + found.T)


def _figures(values: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
