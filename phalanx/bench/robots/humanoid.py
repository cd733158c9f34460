"""A light humanoid of capsules and spheres, 21 hinges and a free root: the robot of the published figures of others.

Proportions, ranges, springs and gears are those of the humanoid that the literature on reinforcement learning has
stepped for years, so that figures can be compared. Its mass is that of its shapes as water: 40.844 kg.
"""

from __future__ import annotations

import math
from fnmatch import fnmatchcase

from phalanx.bench.robots.segments import Segment, Turn, Vector, assemble, capsule
from phalanx.models.robot_model import RobotModel, Shape

MASS = 40.84402122162133
"""kg, of the published model."""

START_HEIGHT = 0.596
START_ORIENTATION = (0.988015, 0.0, 0.154359, 0.0)
"""Crouching: of the root, m and w x y z."""

ARMATURE = 0.01
STIFF, SOFT = 5.0, 0.2
"""Damping of the trunk's and hips' joints, and of all others, N·m·s/rad."""


def _crouch() -> dict[str, float]:
    leg = {"hip_x": -0.25, "hip_z": -0.5, "hip_y": -2.5, "knee": -2.65, "ankle_y": -0.8, "ankle_x": 0.56}
    return {"abdomen_y": 0.4, **{f"{joint}_{side}": q for side in ("right", "left") for joint, q in leg.items()}}


START = _crouch()
"""rad, of the joints that are not at zero."""

SPRINGS = (
    ("abdomen_z", 20.0),
    ("abdomen_*", 10.0),
    ("hip_*", 10.0),
    ("ankle_y_*", 6.0),
    ("ankle_x_*", 3.0),
    ("elbow_*", 0.0),
    ("*", 1.0),
)
"""Pattern of joint names and stiffness towards zero, N·m/rad; the first that matches counts."""

GEARS = (
    ("abdomen_*", 40.0),
    ("hip_y_*", 120.0),
    ("hip_*", 40.0),
    ("knee_*", 80.0),
    ("elbow_*", 40.0),
    ("*", 20.0),
)
"""Pattern of joint names and the torque of a control of 1, N·m."""


def humanoid() -> RobotModel:
    """The model; its root is the torso."""
    return assemble("humanoid", [*_trunk(), *_leg("right", -1.0), *_leg("left", 1.0), *_arms()])


def _turn(
    name: str, axis: Vector, lower: float, upper: float, pivot: Vector = (0.0, 0.0, 0.0), damping: float = SOFT
) -> Turn:
    stiffness = next(value for pattern, value in SPRINGS if fnmatchcase(name, pattern))
    limits = math.radians(lower), math.radians(upper)
    return Turn(name, axis, *limits, pivot, damping=damping, armature=ARMATURE, stiffness=stiffness)


def _trunk() -> list[Segment]:
    waist = (0.0, 0.0, 0.065)
    return [
        Segment(
            "torso",
            shapes=(
                capsule((0.0, -0.07, 0.0), (0.0, 0.07, 0.0), 0.07),
                capsule((-0.01, -0.06, -0.12), (-0.01, 0.06, -0.12), 0.06),
                Shape("sphere", (0.09,), (0.0, 0.0, 0.19)),
            ),
        ),
        Segment(
            "waist",
            "torso",
            (-0.01, 0.0, -0.26),
            joints=(
                _turn("abdomen_z", (0, 0, 1), -45, 45, waist, STIFF),
                _turn("abdomen_y", (0, 1, 0), -75, 30, waist, STIFF),
            ),
            shapes=(capsule((0.0, -0.06, 0.0), (0.0, 0.06, 0.0), 0.06),),
        ),
        Segment(
            "pelvis",
            "waist",
            (0.0, 0.0, -0.165),
            joints=(_turn("abdomen_x", (1, 0, 0), -35, 35, (0.0, 0.0, 0.1), STIFF),),
            shapes=(capsule((-0.02, -0.07, 0.0), (-0.02, 0.07, 0.0), 0.09),),
        ),
    ]


def _leg(side: str, sign: float) -> list[Segment]:
    """``sign``: of y, +1 on the left."""
    return [
        Segment(
            f"thigh_{side}",
            "pelvis",
            (0.0, 0.1 * sign, -0.04),
            joints=(
                _turn(f"hip_x_{side}", (-sign, 0, 0), -30, 10, damping=STIFF),
                _turn(f"hip_z_{side}", (0, 0, -sign), -60, 35, damping=STIFF),
                _turn(f"hip_y_{side}", (0, 1, 0), -150, 20, damping=STIFF),
            ),
            shapes=(capsule((0.0, 0.0, 0.0), (0.0, -0.01 * sign, -0.34), 0.06),),
        ),
        Segment(
            f"shin_{side}",
            f"thigh_{side}",
            (0.0, -0.01 * sign, -0.4),
            joints=(_turn(f"knee_{side}", (0, -1, 0), -160, 2, (0.0, 0.0, 0.02)),),
            shapes=(capsule((0.0, 0.0, 0.0), (0.0, 0.0, -0.3), 0.049),),
        ),
        Segment(
            f"foot_{side}",
            f"shin_{side}",
            (0.0, 0.0, -0.39),
            joints=(
                _turn(f"ankle_y_{side}", (0, 1, 0), -50, 50, (0.0, 0.0, 0.08)),
                _turn(f"ankle_x_{side}", (-sign, 0, -0.5 * sign), -50, 50, (0.0, 0.0, 0.04)),
            ),
            shapes=(
                capsule((-0.07, -0.01, 0.0), (0.14, -0.03, 0.0), 0.027),
                capsule((-0.07, 0.01, 0.0), (0.14, 0.03, 0.0), 0.027),
            ),
        ),
    ]


def _arms() -> list[Segment]:
    return [*_arm("right", -1.0), *_arm("left", 1.0)]


def _arm(side: str, sign: float) -> list[Segment]:
    """The left arm's hinges turn the other way about the axes that the mirror image keeps."""
    return [
        Segment(
            f"upper_arm_{side}",
            "torso",
            (0.0, 0.17 * sign, 0.06),
            joints=(
                _turn(f"shoulder1_{side}", (-2 * sign, 1, -sign), -85, 60),
                _turn(f"shoulder2_{side}", (0, -1, -sign), -85, 60),
            ),
            shapes=(capsule((0.0, 0.0, 0.0), (0.16, 0.16 * sign, -0.16), 0.04),),
        ),
        Segment(
            f"lower_arm_{side}",
            f"upper_arm_{side}",
            (0.18, 0.18 * sign, -0.18),
            joints=(_turn(f"elbow_{side}", (0, -1, -sign), -100, 50),),
            shapes=(
                capsule((0.01, -0.01 * sign, 0.01), (0.17, -0.17 * sign, 0.17), 0.031),
                Shape("sphere", (0.04,), (0.18, -0.18 * sign, 0.18)),
            ),
        ),
    ]
