"""Actuators and named states of robots, as data that files bring along."""

from __future__ import annotations

import math
from dataclasses import dataclass, field


@dataclass
class Actuator:
    """Turns a control signal u into efforts of joints, or the force of a fixed tendon.

    With the actuator's length l = sum of gears times joint positions (or the gear times the tendon's length) and its
    rate of change l', the force is ``(gain + velocity_gain * l') * u + bias[0] + bias[1] * l + bias[2] * l'``, within
    ``force_range``; each joint gets gear times force. A motor has a gain only; a servo for positions has gain kp and
    bias (0, -kp, -kv), one for velocities gain kv and bias (0, 0, -kv), a damper velocity_gain -kv.

    Args:
        name: unique among the robot's actuators.
        joints: names of dofs and their gears; several are those of one spherical joint, or of a tendon without springs.
        tendon: a fixed tendon, instead of joints, where the force depends on its length.
        gear: of that tendon.
        control_range: u is clamped to it.
        group: of the file, for users to tell actuators apart.
    """

    name: str
    joints: dict[str, float] = field(default_factory=dict)
    tendon: str = ""
    gear: float = 1.0
    gain: float = 1.0
    velocity_gain: float = 0.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    control_range: tuple[float, float] = (-math.inf, math.inf)
    force_range: tuple[float, float] = (-math.inf, math.inf)
    group: int = 0


@dataclass
class Keyframe:
    """A named state of a robot.

    Args:
        name: unique among the robot's keyframes.
        root_pose: [x y z qw qx qy qz], or empty where the file has none to give.
        root_vel: [linear, angular] of the root's frame, world axes, or empty.
        joint_pos, joint_vel: by names of dofs; those left out are in their default state, and at rest.
        controls: by names of actuators; those left out are 0.
    """

    name: str
    root_pose: tuple[float, ...] = ()
    root_vel: tuple[float, ...] = ()
    joint_pos: dict[str, float] = field(default_factory=dict)
    joint_vel: dict[str, float] = field(default_factory=dict)
    controls: dict[str, float] = field(default_factory=dict)
