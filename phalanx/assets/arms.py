"""Arms: Kinova's Jaco 2 and Gen3, Sawyer, a small desk arm, and a gantry.

Figures: places of joints, limits and masses are those of the descriptions that Kinova (kinova-ros, ros_kortex) and
Rethink Robotics have published; links are rods between joints. The desk arm and the gantry are about as large as the
real ones; their figures are estimates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phalanx.assets.parts import ball, body, box, joint, robot, rod
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

HALF = math.pi / 2.0
_Triple = tuple[float, float, float]
_NONE: _Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class _Turn:
    """A joint about its own z, and the link that it carries.

    Attributes:
        joint, link: names.
        at, rpy: where the joint is in the link before, m and rad (roll, pitch, yaw about fixed axes).
        mass: of the link, kg.
        limit: rad, both ways; endless by default.
        limits: instead of ``limit``, where both ways differ.
    """

    joint: str
    link: str
    at: _Triple
    rpy: _Triple
    mass: float
    limit: float = math.inf
    limits: tuple[float, float] | None = None


def _quaternion(rpy: _Triple) -> tuple[float, float, float, float]:
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle / 2.0), math.sin(angle / 2.0)) for angle in rpy)
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


def _link(end: _Triple, radius: float) -> Shape:
    """What stands for a link: a rod along its middle, which leaves room for both neighbours."""
    reach = np.asarray(end)
    return ball(radius) if np.linalg.norm(reach) < 4.0 * radius else rod(0.3 * reach, 0.7 * reach, radius)


def _chain(
    base: str, base_mass: float, turns: tuple[_Turn, ...], tip: _Triple, radius: float
) -> tuple[list[Body], list[Joint]]:
    """Bodies and joints of an arm whose last link reaches to ``tip``."""
    ends = [one.at for one in turns[1:]] + [tip]
    bodies = [body(base, base_mass, rod(_NONE, 0.6 * np.asarray(turns[0].at), radius * 1.2, "cylinder"))]
    bodies += [body(one.link, one.mass, _link(end, radius)) for one, end in zip(turns, ends, strict=True)]
    joints, before = [], base
    for one in turns:
        limits = one.limits or ((-one.limit, one.limit) if one.limit < math.inf else None)
        turned = _quaternion(one.rpy)
        joints.append(joint(one.joint, before, one.link, "z", limits, at=one.at, orientation=turned))
        before = one.link
    return bodies, joints


# -- Kinova ----------------------------------------------------------------------------------------------------------

_UP, _ACROSS, _TURNED = (0.0, math.pi, 0.0), (-HALF, 0.0, math.pi), (HALF, 0.0, math.pi)
# the wrist that bends by 60 degrees twice: the same two joints end both arms
_WRIST = (
    ((0.0, 0.2073, -0.0114), _ACROSS, 0.426367, None),
    ((0.0, -0.03703, -0.06414), (math.pi / 3.0, 0.0, math.pi), 0.426367, None),
    ((0.0, -0.03703, -0.06414), (math.pi / 3.0, 0.0, math.pi), 0.99, None),
)


def jaco_7() -> RobotModel:
    """Kinova Jaco 2 with seven joints and three fingers."""
    rows = (
        ((0.0, 0.0, 0.15675), _UP, 0.7477, None),
        ((0.0, 0.0016, -0.11875), _ACROSS, 0.8447, (math.radians(30.0), math.radians(330.0))),
        ((0.0, -0.205, 0.0), _TURNED, 0.8447, None),
        ((0.0, 0.0, -0.205), _TURNED, 0.6763, (math.radians(30.0), math.radians(330.0))),
    )
    return _jaco("j2n7s300", rows + _WRIST)


def jaco_6() -> RobotModel:
    """Kinova Jaco 2 with six joints and three fingers."""
    rows = (
        ((0.0, 0.0, 0.15675), _UP, 0.7477, None),
        ((0.0, 0.0016, -0.11875), _ACROSS, 0.99, (math.radians(47.0), math.radians(313.0))),
        ((0.0, -0.41, 0.0), _UP, 0.6763, (math.radians(19.0), math.radians(341.0))),
    )
    return _jaco("j2n6s300", rows + _WRIST)


def _jaco(name: str, rows: tuple[tuple[_Triple, _Triple, float, tuple[float, float] | None], ...]) -> RobotModel:
    turns = tuple(
        _Turn(f"{name}_joint_{n}", f"{name}_link_{n}", at, rpy, mass, limits=limits)
        for n, (at, rpy, mass, limits) in enumerate(rows, 1)
    )
    bodies, joints = _chain(f"{name}_link_base", 0.46784, turns, (0.0, 0.0, -0.12), 0.03)
    fingers = ((0.00279, 0.03126, 1.3596), (0.02226, -0.02707, -1.3861), (-0.02226, -0.02707, -1.7555))
    for n, (x, y, yaw) in enumerate(fingers, 1):
        root, tip = f"{name}_link_finger_{n}", f"{name}_link_finger_tip_{n}"
        bodies += [
            body(root, 0.01, rod((0.015, 0.0, 0.0), (0.03, 0.0, 0.0), 0.006)),
            body(tip, 0.01, rod((0.015, 0.0, 0.0), (0.04, 0.0, 0.0), 0.006)),
        ]
        turned = _quaternion((-HALF, 0.649262, yaw))
        joints += [
            joint(f"{name}_joint_finger_{n}", turns[-1].link, root, "z", (0.0, 1.51), at=(x, y, -0.11467),
                  orientation=turned),
            joint(f"{name}_joint_finger_tip_{n}", root, tip, "z", (0.0, 2.0), at=(0.044, -0.003, 0.0)),
        ]  # fmt: skip
    return robot(name, bodies, joints, fixed_base=True)


def gen3() -> RobotModel:
    """Kinova Gen3 with seven joints and no gripper."""
    rows = (
        ((0.0, 0.0, 0.15643), (math.pi, 0.0, 0.0), 1.3773, math.inf),
        ((0.0, 0.005375, -0.12838), (HALF, 0.0, 0.0), 1.1636, 2.41),
        ((0.0, -0.21038, -0.006375), (-HALF, 0.0, 0.0), 1.1636, math.inf),
        ((0.0, 0.006375, -0.21038), (HALF, 0.0, 0.0), 0.9302, 2.66),
        ((0.0, -0.20843, -0.006375), (-HALF, 0.0, 0.0), 0.6781, math.inf),
        ((0.0, 0.000175, -0.10593), (HALF, 0.0, 0.0), 0.6781, 2.23),
        ((0.0, -0.10593, -0.000175), (-HALF, 0.0, 0.0), 0.5, math.inf),
    )
    links = ("shoulder", "half_arm_1", "half_arm_2", "forearm", "spherical_wrist_1", "spherical_wrist_2", "bracelet")
    turns = tuple(
        _Turn(f"joint_{n}", f"{link}_link", at, rpy, mass, limit)
        for n, (link, (at, rpy, mass, limit)) in enumerate(zip(links, rows, strict=True), 1)
    )
    return robot("gen3n7", *_chain("base_link", 1.697, turns, (0.0, 0.0, -0.0615), 0.035), fixed_base=True)


# -- Sawyer ----------------------------------------------------------------------------------------------------------


def sawyer() -> RobotModel:
    """Rethink Robotics' Sawyer with seven joints, a head that turns and no tool."""
    rows = (
        ((0.0, 0.0, 0.08), _NONE, 5.3213, (-3.0503, 3.0503)),
        ((0.081, 0.05, 0.237), (-HALF, HALF, 0.0), 4.505, (-3.8095, 2.2736)),
        ((0.0, -0.14, 0.1425), (HALF, 0.0, 0.0), 1.745, (-3.0426, 3.0426)),
        ((0.0, -0.042, 0.26), (-HALF, 0.0, 0.0), 2.5097, (-3.0439, 3.0439)),
        ((0.0, -0.125, -0.1265), (HALF, 0.0, 0.0), 1.1136, (-2.9761, 2.9761)),
        ((0.0, 0.031, 0.275), (-HALF, 0.0, 0.0), 1.5625, (-2.9761, 2.9761)),
        ((0.0, -0.11, 0.1053), (-HALF, -0.17453, math.pi), 0.3292, (-4.7124, 4.7124)),
    )
    turns = tuple(
        _Turn(f"right_j{n}", f"right_l{n}", at, rpy, mass, limits=limits)
        for n, (at, rpy, mass, limits) in enumerate(rows)
    )
    bodies, joints = _chain("base", 2.0687, turns, (0.0, 0.0, 0.0245), 0.045)
    bodies.append(body("head", 1.5795, box((0.03, 0.2, 0.12), (0.02, 0.0, 0.1))))
    joints.append(joint("head_pan", "right_l0", "head", "z", (-5.0952, 0.9064), at=(0.0, 0.0, 0.2965)))
    return robot("sawyer", bodies, joints, fixed_base=True)


# -- a desk arm and a gantry -----------------------------------------------------------------------------------------


def dofbot() -> RobotModel:
    """A desk arm of 0.4 m with five servos and a gripper of two fingers; its figures are estimates."""
    rows = (
        ((0.0, 0.0, 0.0645), _NONE, 0.12, HALF),
        ((0.0, 0.0, 0.04), (-HALF, 0.0, 0.0), 0.11, HALF),
        ((0.0, -0.083, 0.0), _NONE, 0.11, HALF),
        ((0.0, -0.083, 0.0), _NONE, 0.1, HALF),
        ((0.0, -0.0745, 0.0), (HALF, 0.0, 0.0), 0.08, HALF),
    )
    turns = tuple(_Turn(f"joint{n}", f"link{n}", at, rpy, mass, end) for n, (at, rpy, mass, end) in enumerate(rows, 1))
    bodies, joints = _chain("base_link", 0.6, turns, (0.0, 0.0, 0.05), 0.015)
    for letter, sign in (("l", 1.0), ("r", -1.0)):
        name = f"Finger_{'Left' if sign > 0.0 else 'Right'}_01"
        bodies.append(body(name, 0.02, rod((0.0, 0.0, 0.0), (0.0, 0.0, 0.04), 0.005)))
        place = (0.0, 0.03 * sign, 0.06)
        joints.append(joint(f"Wrist_Twist_{letter}_RevoluteJoint", "link5", name, "x", (-0.7, 0.7), at=place))
    return robot("dofbot", bodies, joints, fixed_base=True)


def gantry() -> RobotModel:
    """A gantry of 8 m x 8 m that carries a head along x, along y and downwards; its figures are not published."""
    bodies = [
        body("base", 50.0, drawn=[box((8.0, 0.2, 0.2), (0.0, 4.2, 3.0)), box((8.0, 0.2, 0.2), (0.0, -4.2, 3.0))]),
        body("x_carriage", 10.0, drawn=[box((0.2, 8.4, 0.2), (0.0, 0.0, 3.2))]),
        body("y_carriage", 5.0, drawn=[box((0.3, 0.3, 0.3), (0.0, 0.0, 3.2))]),
        body("picker_head", 2.0, rod((0.0, 0.0, 0.02), (0.0, 0.0, 0.3), 0.05, "cylinder")),
    ]
    joints = [
        joint("x_axis", "base", "x_carriage", "x", (-4.0, 4.0), slides=True),
        joint("y_axis", "x_carriage", "y_carriage", "y", (-4.0, 4.0), slides=True),
        joint("z_axis", "y_carriage", "picker_head", "-z", (-0.5, 2.0), at=(0.0, 0.0, 2.0), slides=True),
    ]
    return robot("pick_and_place_robot", bodies, joints, fixed_base=True)
