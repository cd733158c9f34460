"""The Shadow Hand, with the lengths, masses and limits that its maker and simulations of it publish."""

from __future__ import annotations

import math

from phalanx.assets.parts import body, box, joint, robot, rod
from phalanx.models.robot_model import Body, Joint, RobotModel, Shape
from phalanx.models.tendons import FixedTendon

Point = tuple[float, float, float]

FINGERS: dict[str, tuple[str, Point]] = {
    "ff": ("palm", (0.033, 0.0, 0.095)),
    "mf": ("palm", (0.011, 0.0, 0.099)),
    "rf": ("palm", (-0.011, 0.0, 0.095)),
    "lf": ("lfmetacarpal", (-0.017, 0.0, 0.044)),
}
"""Where fingers begin: the body, and the point in it, m."""

PHALANGES = (
    ("proximal", 0.045, 0.014, 0.01, 0.014),
    ("middle", 0.025, 0.0, 0.00805, 0.012),
    ("distal", 0.024, 0.0, 0.00705, 0.01),
)
"""Of a finger: name, length, where its capsule begins, so that it stays clear of the palm, and radius, m; mass, kg."""

THUMB = (
    ("thbase", 0.0, None, 0.01),
    ("thproximal", 0.038, (0.016, 0.023, 0.012), 0.016),
    ("thhub", 0.0, None, 0.002),
    ("thmiddle", 0.032, (0.014, 0.032, 0.011), 0.016),
    ("thdistal", 0.026, (0.0, 0.026, 0.00918), 0.016),
)
"""Of the thumb: name, length, where its capsule begins and ends and its radius, m; mass, kg."""

INERTIA = (1e-5, 1e-5, 1e-5)
"""kg m^2, of each small part."""

ARMATURE, DAMPING = 2e-4, 0.1
"""kg m^2 and N m s/rad of fingers' joints."""

COUPLED = (0.00705, 0.00805)
"""m/rad: of the tendon that bends the last joint of a finger with the one before it."""

SLACK = 1e-3
"""m: by so much that tendon may be off."""


def shadow_hand() -> RobotModel:
    """The right hand of five fingers and 24 joints, stretched out along -y with its palm up; the base does not move."""
    bodies = [body("robot0_hand_mount", 0.1, box((0.02, 0.02, 0.02)), inertia=(1e-3, 1e-3, 1e-3))]
    # Parts are given as for a hand that stands up, palm ahead to -y: z becomes -y, and -y becomes z.
    facing = (0.0, 0.0, -math.sqrt(0.5), math.sqrt(0.5))
    joints = [joint("robot0_mount", "robot0_hand_mount", "robot0_forearm", "", orientation=facing)]
    wide = (1e-3, 1e-3, 1e-3)
    arm = rod((0.0, 0.0, 0.05), (0.0, 0.0, 0.2), 0.045)
    _part(bodies, "forearm", 4.0, [arm], (0.001, -0.002, 0.15), (0.01, 0.01, 0.0075))
    _part(bodies, "wrist", 0.3, [rod((0.0, -0.01, 0.0), (0.0, 0.01, 0.0), 0.015)], (0.003, 0.0, 0.016), wide)
    palm = [box((0.051, 0.0222, 0.098), (0.0045, 0.0, 0.038)), box((0.022, 0.0222, 0.05), (-0.032, 0.0, 0.014))]
    _part(bodies, "palm", 0.3, palm, (0.006, 0.0, 0.036), wide)
    _turn(joints, "WRJ1", "forearm", "wrist", "y", (-0.489, 0.14), (0.0, 0.0, 0.266), 4.785, 0.005, 0.5)
    _turn(joints, "WRJ0", "wrist", "palm", "x", (-0.698, 0.489), (0.0, 0.0, 0.034), 2.175, 0.005, 0.5)
    little = [box((0.019, 0.0222, 0.05), (-0.0165, 0.0, 0.01))]
    _part(bodies, "lfmetacarpal", 0.075, little, (-0.014, 0.001, 0.014))
    _turn(joints, "LFJ4", "palm", "lfmetacarpal", (0.571, 0.0, 0.821), (0.0, 0.785), (-0.017, 0.0, 0.044), 0.9)
    for name, (parent, at) in FINGERS.items():
        _finger(bodies, joints, name, parent, at)
    _thumb(bodies, joints)
    made = robot("shadow_hand", bodies, joints, fixed_base=True)
    made.fixed_tendons = [_tendon(name.upper()) for name in FINGERS]
    return made


def _part(
    bodies: list[Body], name: str, mass: float, shapes: list[Shape], com: Point, inertia: Point = INERTIA
) -> None:
    bodies.append(body(f"robot0_{name}", mass, *shapes, com=com, inertia=inertia))


def _turn(
    joints: list[Joint], name: str, parent: str, child: str, axis: str | Point, limits: tuple[float, float], at: Point,
    effort: float, armature: float = ARMATURE, damping: float = DAMPING,
    facing: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0),
) -> None:  # fmt: skip
    joints.append(
        joint(f"robot0_{name}", f"robot0_{parent}", f"robot0_{child}", axis, limits, at=at, orientation=facing,
              effort=effort, armature=armature, damping=damping)
    )  # fmt: skip


def _finger(bodies: list[Body], joints: list[Joint], name: str, parent: str, at: Point) -> None:
    own, bend = name.upper(), (0.0, math.pi / 2.0)
    _part(bodies, f"{name}knuckle", 0.008, [], (0.0, 0.0, 0.0))
    _turn(joints, f"{own}J3", parent, f"{name}knuckle", "y", (-0.349, 0.349), at, 0.9)
    before, place = f"{name}knuckle", (0.0, 0.0, 0.0)
    for number, (part, length, start, radius, mass) in zip((2, 1, 0), PHALANGES, strict=True):
        shape = rod((0.0, 0.0, start), (0.0, 0.0, length), radius)
        _part(bodies, f"{name}{part}", mass, [shape], (0.0, 0.0, length / 2.0))
        effort = 0.9 if number == 2 else 0.7245
        _turn(joints, f"{own}J{number}", before, f"{name}{part}", "x", bend, place, effort)
        before, place = f"{name}{part}", (0.0, 0.0, length)


def _thumb(bodies: list[Body], joints: list[Joint]) -> None:
    none, across = (0.0, 0.0, 0.0), (math.cos(math.pi / 8.0), 0.0, math.sin(math.pi / 8.0), 0.0)
    for name, length, capsule, mass in THUMB:
        shapes: list[Shape] = []
        if capsule is not None:
            low, high, radius = capsule
            shapes.append(rod((0.0, 0.0, low), (0.0, 0.0, high), radius))
        _part(bodies, name, mass, shapes, (0.0, 0.0, length / 2.0))
    start = (0.034, -0.009, 0.029)
    _turn(joints, "THJ4", "palm", "thbase", "-z", (-1.047, 1.047), start, 2.3722, facing=across)
    _turn(joints, "THJ3", "thbase", "thproximal", "x", (0.0, 1.222), none, 1.45)
    _turn(joints, "THJ2", "thproximal", "thhub", "x", (-0.209, 0.209), (0.0, 0.0, 0.038), 0.99)
    _turn(joints, "THJ1", "thhub", "thmiddle", "y", (-0.524, 0.524), none, 0.99)
    _turn(joints, "THJ0", "thmiddle", "thdistal", "y", (-math.pi / 2.0, 0.0), (0.0, 0.0, 0.032), 0.81)


def _tendon(finger: str) -> FixedTendon:
    """The last two joints of a finger bend together."""
    last, before = COUPLED
    coefficients = {f"robot0_{finger}J0": last, f"robot0_{finger}J1": -before}
    return FixedTendon(
        f"robot0_T_{finger}J1c", coefficients, limit_stiffness=30.0, damping=0.1, rest_length=0.0, lower=-SLACK,
        upper=SLACK,
    )  # fmt: skip
