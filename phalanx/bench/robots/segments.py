"""Robots written down as segments: a body, how it sits on its parent, the joints between them, and its shapes.

Several joints of one segment act one after the other, the first next to the parent, each about its own pivot; between
them are links without mass. Figures stay readable that way, and every engine is given the same model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.maths.arrays import between, matrix
from phalanx.models.meshes import mass_properties
from phalanx.models.robot_model import Body, Joint, Mimic, RobotModel, Shape

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@dataclass(frozen=True)
class Turn:
    """A joint of a segment: a hinge, or a slide.

    ``axis`` and ``pivot`` (m) are in the segment's frame; ``axis`` need not have length 1. Limits in rad or m, damping
    in N·m·s/rad or N·s/m, armature in kg·m² or kg, effort limit in N·m or N; the stiffness is that of a spring towards
    zero, N·m/rad or N/m.
    """

    name: str
    axis: Vector
    lower: float = -math.inf
    upper: float = math.inf
    pivot: Vector = (0.0, 0.0, 0.0)
    slides: bool = False
    damping: float = 0.0
    armature: float = 0.0
    effort_limit: float = math.inf
    follows: str = ""
    stiffness: float = 0.0


@dataclass(frozen=True)
class Segment:
    """A body. ``position`` and ``orientation`` are those of its frame in its parent's frame, with all joints at zero.

    ``inertia`` is (xx, yy, zz, xy, xz, yz) about the centre of mass ``com``, in the segment's axes, kg·m². Without a
    mass it is that of the shapes at 1000 kg/m³.
    """

    name: str
    parent: str = ""
    position: Vector = (0.0, 0.0, 0.0)
    orientation: Quaternion = (1.0, 0.0, 0.0, 0.0)
    joints: tuple[Turn, ...] = ()
    shapes: tuple[Shape, ...] = ()
    mass: float | None = None
    com: Vector = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def capsule(start: Sequence[float], end: Sequence[float], radius: float) -> Shape:
    """A capsule between two points (the centres of its ends), m."""
    a, b = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(b - a))
    w, x, y, z = between([0.0, 0.0, 1.0], (b - a) / length).tolist()
    return Shape("capsule", (radius, 0.5 * length), _vector(0.5 * (a + b)), (w, x, y, z))


def assemble(name: str, segments: Sequence[Segment]) -> RobotModel:
    """The robot model of segments, parents first. A segment's body has its frame at the pivot of its last joint."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    origins: dict[str, np.ndarray] = {}  # of each body's frame, in its segment's frame
    for segment in segments:
        shift = np.array(segment.joints[-1].pivot if segment.joints else (0.0, 0.0, 0.0))
        origins[segment.name] = shift
        turned = matrix(segment.orientation)
        at = np.asarray(segment.position, float) - origins.get(segment.parent, np.zeros(3))
        parent, facing, last = segment.parent, segment.orientation, np.zeros(3)
        for count, turn in enumerate(segment.joints):
            pivot = np.asarray(turn.pivot, float)
            at = at + turned @ (pivot - last)
            child = segment.name if count == len(segment.joints) - 1 else f"{segment.name}:{turn.name}"
            joints.append(_joint(turn, parent, child, at, facing))
            if child != segment.name:
                bodies.append(Body(child, hidden=True))
            parent, facing, at, last, turned = child, (1.0, 0.0, 0.0, 0.0), np.zeros(3), pivot, np.eye(3)
        if segment.parent and not segment.joints:
            joints.append(Joint(f"{segment.name}_fixed", "fixed", parent, segment.name, _vector(at), facing))
        bodies.append(_body(segment, shift))
    return RobotModel(name, bodies, joints, source=name)


def _joint(turn: Turn, parent: str, child: str, at: np.ndarray, facing: Quaternion) -> Joint:
    return Joint(
        turn.name,
        "prismatic" if turn.slides else "revolute",
        parent,
        child,
        _vector(at),
        facing,
        _vector(np.asarray(turn.axis, float) / np.linalg.norm(turn.axis)),
        turn.lower,
        turn.upper,
        effort_limit=turn.effort_limit,
        damping=turn.damping,
        armature=turn.armature,
        mimic=Mimic(turn.follows) if turn.follows else None,
        stiffness=turn.stiffness,
    )


def _body(segment: Segment, shift: np.ndarray) -> Body:
    if segment.mass is None and segment.shapes:
        found = mass_properties.of(segment.shapes)
        mass, com, inertia = found.mass, found.com, found.inertia
    else:
        mass, com = segment.mass or 0.0, np.asarray(segment.com, float)
        xx, yy, zz, xy, xz, yz = segment.inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    shapes = [
        Shape(shape.kind, shape.size, _vector(np.asarray(shape.position) - shift), shape.orientation)
        for shape in segment.shapes
    ]
    return Body(segment.name, mass, _vector(com - shift), inertia, shapes)


def _vector(values: np.ndarray) -> Vector:
    x, y, z = (float(value) for value in values)
    return x, y, z
