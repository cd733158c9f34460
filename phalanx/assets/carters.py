"""Carters: delivery robots with two driven wheels and casters."""

from __future__ import annotations

from phalanx.assets.parts import ball, body, box, joint, robot, rod
from phalanx.models.robot_model import Body, Joint, JointDrive, RobotModel

NOVA_RADIUS, NOVA_BASE = 0.14, 0.4132
"""m: of the driven wheels, and between them, as Isaac Sim's documents give them for Nova Carter."""

V1_RADIUS, V1_BASE = 0.24, 0.56
"""m: the same for the first Carter."""

TRAIL, CASTER_RADIUS = 0.045, 0.075
"""m: how far a caster's axle is behind the axis that it swings about, and its wheel's radius."""


def _driven(names: tuple[str, str], parent: str, radius: float, base: float) -> tuple[list[Body], list[Joint]]:
    """Two wheels, left and right, whose middles are level with the chassis' frame."""
    bodies, joints = [], []
    for name, y in zip(names, (0.5 * base, -0.5 * base), strict=True):
        drawn = [rod((0.0, -0.03, 0.0), (0.0, 0.03, 0.0), radius, "cylinder")]
        # A ball touches the ground in the middle of the wheel: wheels are as far apart as they are said to be.
        wheel = name.removeprefix("joint_") if name.startswith("joint_") else f"{name}_link"
        bodies.append(body(wheel, 1.5, ball(radius), drawn=drawn))
        joints.append(joint(name, parent, wheel, "y", at=(0.0, y, 0.0), effort=50.0))
    return bodies, joints


def _caster(
    swing: tuple[str, str], axle: tuple[str, str], parent: str, x: float, y: float, height: float
) -> tuple[list[Body], list[Joint]]:
    """A fork that swings about the upward axis, and a wheel behind it whose lowest point is ``height`` below.

    ``swing`` and ``axle`` are names of a joint and of the body that it moves.
    """
    inertia, drawn = (1e-3, 1e-3, 1e-3), [box((0.05, 0.05, 0.08))]
    fork = body(swing[1], 0.5, com=(0.0, 0.0, 0.0), inertia=inertia, drawn=drawn)
    wheel = body(axle[1], 0.4, ball(CASTER_RADIUS))
    below = (-TRAIL, 0.0, CASTER_RADIUS - height)
    return [fork, wheel], [
        joint(swing[0], parent, swing[1], "z", at=(x, y, 0.0), damping=0.02),
        joint(axle[0], swing[1], axle[1], "y", at=below, damping=1e-3),
    ]


def nova_carter() -> RobotModel:
    """A Nova Carter of 50 kg: two driven wheels in front, and two casters on a beam that rocks."""
    chassis = body("chassis_link", 41.2, box((0.56, 0.36, 0.3), (-0.16, 0.0, 0.1)))
    beam = body(
        "caster_frame_base", 4.0, com=(0.0, 0.0, 0.0), inertia=(0.05, 0.01, 0.05), drawn=[box((0.06, 0.3, 0.04))]
    )
    bodies, joints = (
        [chassis, beam],
        [joint("joint_caster_base", "chassis_link", "caster_frame_base", "x", at=(-0.32, 0.0, 0.0))],
    )
    parts = [_driven(("joint_wheel_left", "joint_wheel_right"), "chassis_link", NOVA_RADIUS, NOVA_BASE)]
    for side, y in (("left", 0.14), ("right", -0.14)):
        swing = f"joint_swing_{side}", f"caster_swivel_{side}"
        axle = f"joint_caster_{side}", f"caster_wheel_{side}"
        parts.append(_caster(swing, axle, "caster_frame_base", 0.0, y, NOVA_RADIUS))
    return _whole("nova_carter", bodies, joints, parts)


def carter_v1() -> RobotModel:
    """The first Carter, of 30 kg: two driven wheels, and a caster behind."""
    chassis = body("chassis_link", 26.1, box((0.35, 0.4, 0.4), (-0.08, 0.0, 0.15)))
    parts = [
        _driven(("left_wheel", "right_wheel"), "chassis_link", V1_RADIUS, V1_BASE),
        _caster(
            ("rear_pivot", "rear_pivot_link"), ("rear_axle", "rear_wheel_link"), "chassis_link", -0.31, 0.0, V1_RADIUS
        ),
    ]
    return _whole("carter_v1", [chassis], [], parts)


def _whole(
    name: str, bodies: list[Body], joints: list[Joint], parts: list[tuple[list[Body], list[Joint]]]
) -> RobotModel:
    for more, links in parts:
        bodies, joints = [*bodies, *more], [*joints, *links]
    made = robot(name, bodies, joints)
    made.drives = {each.name: JointDrive(damping=20.0) for each in joints if each.name in DRIVEN}
    return made


DRIVEN = ("joint_wheel_left", "joint_wheel_right", "left_wheel", "right_wheel")
"""Joints with drives that hold velocities."""
