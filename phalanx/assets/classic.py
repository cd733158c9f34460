"""Benchmark robots: carts with poles, the ant, humanoids.

Figures: the cart and pole of Isaac Gym's examples, Gymnasium's ``ant.xml`` and dm_control's ``humanoid.xml``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.assets.parts import ball, body, box, joint, robot, rod
from phalanx.maths.arrays import from_matrix
from phalanx.models.meshes import mass_properties
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape

ANT_DENSITY, HUMANOID_DENSITY = 5.0, 1000.0
"""kg/m^3."""


def _filled(name: str, density: float, *shapes: Shape) -> Body:
    return body(name, mass_properties.of(shapes, density=density).mass, *shapes)


def _limits(low: float, high: float) -> tuple[float, float]:
    return math.radians(low), math.radians(high)


# -- carts -----------------------------------------------------------------------------------------------------------


def cartpole() -> RobotModel:
    """A cart of 1 kg on a rail along x, and a pole of 1 kg and 1 m on it, which turns about y."""
    return robot("cartpole", *_cart(["pole"]), fixed_base=True)


def cart_double_pendulum() -> RobotModel:
    """The same with a second pole at the first one's end."""
    return robot("cart_double_pendulum", *_cart(["pole", "pendulum"]), fixed_base=True)


def _cart(poles: list[str]) -> tuple[list[Body], list[Joint]]:
    rail = body("slider", 1.0, drawn=[box((8.0, 0.03, 0.03))])
    bodies = [rail, body("cart", 1.0, drawn=[box((0.25, 0.2, 0.2))])]
    joints = [joint("slider_to_cart", "slider", "cart", "x", (-4.0, 4.0), slides=True, speed=100.0)]
    before, at = "cart", 0.12
    for name in poles:
        bodies.append(body(name, 1.0, drawn=[box((0.06, 0.04, 1.0), (0.0, 0.0, 0.47))]))
        joints.append(joint(f"{before}_to_{name}", before, name, "y", at=(0.0, 0.0, at), speed=100.0))
        before, at = name, 0.97
    return bodies, joints


# -- the ant ---------------------------------------------------------------------------------------------------------


def ant() -> RobotModel:
    """A ball with four legs of two joints each; a leg turns about z, its foot about the horizontal across it."""
    front, back = (0.2, 0.2), (-0.2, -0.2)
    corners = {
        "front_left": (front[0], front[1], (-1.0, 1.0, 0.0), (30.0, 100.0)),
        "front_right": (back[0], front[1], (1.0, 1.0, 0.0), (-100.0, -30.0)),
        "left_back": (back[0], back[1], (-1.0, 1.0, 0.0), (-100.0, -30.0)),
        "right_back": (front[0], back[1], (1.0, 1.0, 0.0), (30.0, 100.0)),
    }
    hips = [rod((0.0, 0.0, 0.0), (x, y, 0.0), 0.08) for x, y, _, _ in corners.values()]
    bodies = [_filled("torso", ANT_DENSITY, ball(0.25), *hips)]
    joints = []
    moves: dict[str, Any] = {"armature": 0.01, "damping": 0.1, "speed": 100.0}
    for name, (x, y, axis, bounds) in corners.items():
        end = (x, y, 0.0)
        bodies.append(_filled(f"{name}_leg", ANT_DENSITY, rod((0.0, 0.0, 0.0), end, 0.08)))
        bodies.append(_filled(f"{name}_foot", ANT_DENSITY, rod((0.0, 0.0, 0.0), (2.0 * x, 2.0 * y, 0.0), 0.08)))
        joints.append(joint(f"{name}_leg", "torso", f"{name}_leg", "z", _limits(-40.0, 40.0), at=end, **moves))
        joints.append(joint(f"{name}_foot", f"{name}_leg", f"{name}_foot", axis, _limits(*bounds), at=end, **moves))
    return robot("ant", bodies, joints)


# -- humanoids -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Turns:
    """A joint that turns about several axes of its frame, one after the other: limits, rad, by name of the axis."""

    joint: str
    limits: dict[str, tuple[float, float]]


HUMANOID_TURNS = [
    Turns("lower_waist", {"rotY": _limits(-75.0, 30.0), "rotZ": _limits(-45.0, 45.0)}),
    Turns("right_upper_arm", {"rotX": _limits(-85.0, 60.0), "rotY": _limits(-85.0, 60.0)}),
    Turns("left_upper_arm", {"rotX": _limits(-60.0, 85.0), "rotY": _limits(-60.0, 85.0)}),
    Turns("right_thigh", {"rotX": _limits(-25.0, 5.0), "rotY": _limits(-110.0, 20.0), "rotZ": _limits(-60.0, 35.0)}),
    Turns("left_thigh", {"rotX": _limits(-5.0, 25.0), "rotY": _limits(-110.0, 20.0), "rotZ": _limits(-35.0, 60.0)}),
    Turns("right_foot", {"rotX": _limits(-50.0, 50.0), "rotY": _limits(-50.0, 50.0)}),
    Turns("left_foot", {"rotX": _limits(-50.0, 50.0), "rotY": _limits(-50.0, 50.0)}),
]
"""Joints of the humanoid that have several dofs, called ``right_thigh:0`` and so on."""


def humanoid() -> RobotModel:
    """A humanoid with 21 dofs; joints of :data:`HUMANOID_TURNS` are ball joints here."""
    bodies, joints = _trunk()
    for side, s in (("right", -1.0), ("left", 1.0)):
        _arm(side, s, bodies, joints)
        _leg(side, s, bodies, joints)
    for one in joints:
        one.armature, one.velocity_limit = 0.01, 100.0
    return robot("humanoid", bodies, joints)


def _trunk() -> tuple[list[Body], list[Joint]]:
    density = HUMANOID_DENSITY
    chest = rod((0.0, -0.07, 0.0), (0.0, 0.07, 0.0), 0.07)
    waist = rod((-0.01, -0.06, -0.12), (-0.01, 0.06, -0.12), 0.06)
    bodies = [
        _filled("torso", density, chest, waist),
        _filled("head", density, ball(0.09)),
        _filled("lower_waist", density, rod((0.0, -0.06, -0.065), (0.0, 0.06, -0.065), 0.06)),
        _filled("pelvis", density, rod((-0.02, -0.07, -0.1), (-0.02, 0.07, -0.1), 0.09)),
    ]
    joints = [
        joint("head", "torso", "head", "", at=(0.0, 0.0, 0.19)),
        _ball("lower_waist", "torso", (-0.01, 0.0, -0.195)),
        joint("pelvis", "lower_waist", "pelvis", "x", _limits(-35.0, 35.0), at=(0.0, 0.0, -0.13)),
    ]
    return bodies, joints


def _arm(side: str, s: float, bodies: list[Body], joints: list[Joint]) -> None:
    upper, lower, hand = (f"{side}_{part}" for part in ("upper_arm", "lower_arm", "hand"))
    first, second = np.array([2.0, -s, 1.0]) / math.sqrt(6.0), np.array([0.0, s, 1.0]) / math.sqrt(2.0)
    bounds = _limits(-90.0, 50.0) if s < 0.0 else _limits(-50.0, 90.0)
    bodies += [
        _filled(upper, HUMANOID_DENSITY, rod((0.0, 0.0, 0.0), (0.16, 0.16 * s, -0.16), 0.04)),
        _filled(lower, HUMANOID_DENSITY, rod((0.01, -0.01 * s, 0.01), (0.17, -0.17 * s, 0.17), 0.031)),
        _filled(hand, HUMANOID_DENSITY, ball(0.04)),
    ]
    joints += [
        _ball(upper, "torso", (0.0, 0.17 * s, 0.06), first, second),
        joint(lower, upper, lower, (0.0, s, 1.0), bounds, at=(0.18, 0.18 * s, -0.18)),
        joint(hand, lower, hand, "", at=(0.18, -0.18 * s, 0.18)),
    ]


def _leg(side: str, s: float, bodies: list[Body], joints: list[Joint]) -> None:
    thigh, shin, foot = (f"{side}_{part}" for part in ("thigh", "shin", "foot"))
    soles = [rod((-0.07, y, -0.07), (0.14, 2.0 * y, -0.07), 0.027) for y in (-0.02 * s, 0.01 * s)]
    bodies += [
        _filled(thigh, HUMANOID_DENSITY, rod((0.0, 0.0, 0.0), (0.0, -0.01 * s, -0.34), 0.06)),
        _filled(shin, HUMANOID_DENSITY, rod((0.0, 0.0, -0.02), (0.0, 0.0, -0.32), 0.049)),
        _filled(foot, HUMANOID_DENSITY, *soles),
    ]
    tilted = np.array([1.0, 0.0, 0.5]) / math.sqrt(1.25)
    joints += [
        _ball(thigh, "pelvis", (0.0, 0.1 * s, -0.14)),
        joint(shin, thigh, shin, "-y", _limits(-160.0, 2.0), at=(0.0, -0.01 * s, -0.383)),
        _ball(foot, shin, (0.0, 0.0, -0.34), tilted, np.array([0.0, 1.0, 0.0])),
    ]


def _ball(
    child: str, parent: str, at: tuple[float, float, float], x: np.ndarray | None = None, y: np.ndarray | None = None
) -> Joint:
    """A ball joint called as the body that it moves, with a frame whose x and y axes are given."""
    axes = np.eye(3) if x is None or y is None else np.stack([x, y, np.cross(x, y)], axis=1)
    facing = tuple(from_matrix(axes).tolist())
    made = joint(child, parent, child, "x", at=at, orientation=facing)
    made.type, made.child_orientation = "spherical", made.orientation
    return made
