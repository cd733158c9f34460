"""Checks of a robot that hold whatever file format it came from: a tree, masses where they are needed.

The reader passes ``where``, which turns a link or joint name into a :class:`LoadError` that points at its place
in the file; usable oddities come back as sentences for ``RobotModel.warnings``.
"""

from __future__ import annotations

import difflib
from collections import deque
from collections.abc import Callable, Iterable

import numpy as np

from phalanx.io.model import Joint, LoadError, RobotModel

LinkError = Callable[[str, str], LoadError]
ONE_DOF = ("revolute", "continuous", "prismatic")
TRIANGLE_TOLERANCE = 1e-3  # of the largest principal moment: files round their figures


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


def check_masses(model: RobotModel, joint_error: LinkError) -> list[str]:
    """Raise for a joint that moves no mass at all; warn of massless groups and impossible inertias.

    Links joined by fixed joints are one rigid group. A massless group is an ordinary intermediate frame as
    long as massive links move with it; a moving joint whose whole subtree has no mass makes the mass matrix
    singular. Expects a tree (:func:`check_tree`).
    """
    outgoing = model.outgoing()
    mass = {body.name: body.mass for body in model.bodies}
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
    for body in model.bodies:
        if body.mass > 0.0 and (problem := inertia_problem(body.inertia)):
            warnings.append(f'link "{body.name}": its inertia {problem}.')
    return warnings


def inertia_problem(inertia: np.ndarray) -> str:
    """What is wrong with a (3, 3) inertia about the centre of mass of a body that has mass, or nothing."""
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] <= 0.0:
        return f"is not positive definite (principal moments {_figures(moments)} kg·m²)"
    if moments[2] > (moments[0] + moments[1]) * (1.0 + TRIANGLE_TOLERANCE):
        return f"violates the triangle inequality (principal moments {_figures(moments)} kg·m²), as no real body can"
    return ""


def _figures(values: np.ndarray) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
