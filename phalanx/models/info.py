"""Describes a robot in words: its tree of links and joints, totals and warnings."""

from __future__ import annotations

import math
import os
import textwrap
from collections.abc import Iterable

from phalanx.models.primitives import BLOCK, PRIMITIVES
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

WIDTH = 100
MAX_INDENT = 20  # levels; a deeper tree is drawn without further indentation
_DOFS = {"fixed": 0, "planar": 3, "spherical": 3, "free": 6}


def describe(model: RobotModel) -> str:
    """A text for terminals of 100 columns: the tree of links, each with the joint that carries it, totals, warnings."""
    bodies = {body.name: body for body in model.bodies}
    outgoing = model.outgoing()
    root = model.root
    lines = [f"{model.name}  ({model.source})" if model.source else model.name, ""]
    lines += _wrap(f"{root}  {_join(_body(bodies[root]))}", "", "│  " if outgoing[root] else "")
    stack: list[tuple[Joint, str, bool]] = []  # (joint, bars of the levels above, whether it is the last child)

    def push(parent: str, bars: str) -> None:
        joints = outgoing[parent]
        stack.extend((joint, bars, joint is joints[-1]) for joint in reversed(joints))

    push(root, "")
    while stack:
        joint, bars, last = stack.pop()
        below = bars + ("   " if last else "│  ")
        under = below + ("│  " if outgoing[joint.child] else "   ")
        parts = _body(bodies[joint.child])
        if joint.type == "fixed":
            parts = ["fixed", *parts]
        if bodies[joint.child].hidden:
            parts = ["between two joints"]
        lines += _wrap(f"{joint.child}  {_join(parts)}", bars + ("└─ " if last else "├─ "), under)
        if joint.type != "fixed":
            lines += _wrap(f"{joint.name}: {_join(_joint(joint))}", under, under)
        push(joint.child, below if len(below) < 3 * MAX_INDENT else bars)

    lines += ["", *_totals(model)]
    if model.warnings:
        lines += ["", f"{_count(len(model.warnings), 'warning')}:"]
        for warning in model.warnings:
            lines += _wrap(warning, "  - ", "    ")
    return "\n".join(lines)


def _wrap(text: str, first: str, later: str) -> list[str]:
    return textwrap.wrap(
        text.rstrip(),
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _join(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)


def _number(value: float) -> str:
    """Four digits; the minus sign of a negative zero is dropped."""
    return f"{value + 0.0:.4g}"


def _body(body: Body) -> list[str]:
    mass = f"{_number(body.mass)} kg" if body.mass else "massless"
    return [mass, *(_shape(shape) for shape in body.collisions)]


def _shape(shape: Shape) -> str:
    if shape.kind == "mesh":
        count = 0 if shape.faces is None else len(shape.faces)
        name = f"mesh {os.path.basename(shape.mesh_file)}".rstrip()
        if not count:
            return f"{name} of {_count(0 if shape.vertices is None else len(shape.vertices), 'point')}"
        return f"{name} of {_count(count, 'triangle')}"
    if shape.kind == "plane":
        return "plane"
    if shape.kind == "height_field":
        return (
            "height field of "
            + " x ".join(str(n) for n in (() if shape.heights is None else shape.heights.shape))
            + " heights"
        )
    if PRIMITIVES[shape.kind].dimensions == BLOCK:
        return f"{shape.kind} " + " x ".join(_number(2 * half) for half in shape.size) + " m"
    radius, *halves = shape.size
    return f"{shape.kind} of radius {_number(radius)} m" + "".join(f", length {_number(2 * half)} m" for half in halves)


def _joint(joint: Joint) -> list[str]:
    linear = joint.type == "prismatic"
    length, effort = ("m", "N") if linear else ("rad", "N·m")
    parts = [joint.type]
    if joint.type in ("revolute", "continuous", "prismatic", "planar"):
        way = {"prismatic": "along", "planar": "normal to"}.get(joint.type, "about")
        parts = [f"{joint.type} {way} {_axis(joint.axis)}"]
    if joint.type in ("revolute", "prismatic"):
        bounded = math.isfinite(joint.lower) or math.isfinite(joint.upper)
        parts += [f"{_number(joint.lower)} to {_number(joint.upper)} {length}" if bounded else "unlimited"]
    most = []
    if math.isfinite(joint.effort_limit):
        most.append(f"{_number(joint.effort_limit)} {effort}")
    if math.isfinite(joint.velocity_limit):
        most.append(f"{_number(joint.velocity_limit)} {length}/s")
    if most:
        parts.append("max " + " and ".join(most))
    parts += [f"spring {_number(joint.stiffness)}" if joint.stiffness else ""]
    parts += [f"damping {_number(joint.damping)}" if joint.damping else ""]
    parts += [f"friction {_number(joint.friction)}" if joint.friction else ""]
    parts += [f"armature {_number(joint.armature)}" if joint.armature else ""]
    if joint.mimic:
        factor = "" if joint.mimic.multiplier == 1.0 else f"{_number(joint.mimic.multiplier)} x "
        sign = "-" if joint.mimic.offset < 0.0 else "+"
        offset = f" {sign} {_number(abs(joint.mimic.offset))}" if joint.mimic.offset else ""
        parts.append(f"follows {factor}{joint.mimic.joint}{offset}")
    return parts


def _axis(axis: tuple[float, float, float]) -> str:
    for name, index in (("x", 0), ("y", 1), ("z", 2)):
        if abs(abs(axis[index]) - 1.0) < 1e-9:
            return name if axis[index] > 0.0 else f"-{name}"
    return "(" + ", ".join(_number(part) for part in axis) + ")"


def _totals(model: RobotModel) -> list[str]:
    moving = [joint for joint in model.joints if joint.type != "fixed"]
    dofs = sum(_DOFS.get(joint.type, 1) for joint in moving)
    fixed = len(model.joints) - len(moving)
    hidden = sum(body.hidden for body in model.bodies)
    following = sum(joint.mimic is not None for joint in moving)
    mass = sum(body.mass for body in model.bodies)
    shapes = [sum(len(getattr(body, kind)) for body in model.bodies) for kind in ("collisions", "visuals")]
    followers = f", {following} of them following others" if following else ""
    named = [*model.fixed_tendons, *model.spatial_tendons]
    more = [f"drives   {_count(len(model.actuators), 'actuator')}"] if model.actuators else []
    more += [f"tendons  {_count(len(named), 'tendon')}"] if named else []
    more += [f"states   {', '.join(frame.name for frame in model.keyframes)}"] if model.keyframes else []
    return [
        f"mass     {_number(mass)} kg",
        f"dofs     {dofs} of the joints{followers}; 6 more with a free base",
        f"bodies   {_count(len(model.bodies) - hidden, 'link')} in "
        f"{_count(1 + len(moving) - hidden, 'rigid body', 'rigid bodies')}"
        + (f" ({_count(fixed, 'fixed joint')})" if fixed else ""),
        f"shapes   {shapes[0]} for collision, {shapes[1]} visual",
        *more,
    ]


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
