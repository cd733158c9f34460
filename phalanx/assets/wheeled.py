"""Robots on wheels."""

from __future__ import annotations

from phalanx.assets.parts import ball, body, box, joint, robot, rod
from phalanx.models.robot_model import JointDrive, RobotModel

JETBOT_RADIUS, JETBOT_BASE = 0.03, 0.1125
"""m: of the wheels, and between them, as scripts for Isaac Sim give them."""


def jetbot() -> RobotModel:
    """A Jetbot of 1 kg: two driven wheels, and a ball behind that slides without friction."""
    half, radius = JETBOT_BASE / 2.0, JETBOT_RADIUS
    caster = ball(0.012, (-0.06, 0.0, -radius + 0.012))
    caster.material = {"static_friction": 0.0, "dynamic_friction": 0.0, "friction_combine": "multiply"}
    chassis = body("chassis", 0.9, box((0.13, 0.08, 0.06), (-0.015, 0.0, 0.025)), caster)
    bodies, joints = [chassis], []
    for side, y in (("left", half), ("right", -half)):
        wheel = rod((0.0, -0.012, 0.0), (0.0, 0.012, 0.0), radius, "cylinder")
        # A ball touches the ground in the middle of the wheel: wheels are as far apart as they are said to be.
        bodies.append(body(f"{side}_wheel", 0.05, ball(radius), drawn=[wheel]))
        joints.append(joint(f"{side}_wheel_joint", "chassis", f"{side}_wheel", "y", at=(0.0, y, 0.0), effort=1.0))
    made = robot("jetbot", bodies, joints)
    made.drives = {each.name: JointDrive(damping=0.2) for each in joints}
    return made
