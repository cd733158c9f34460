"""Robots as a URDF file has them, for scripts to look at and to change before they are put on a stage."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass, field

from phalanx.models.robot_model import RobotModel


class UrdfJointType(enum.IntEnum):
    """Kinds of joints."""

    JOINT_REVOLUTE = 0
    JOINT_CONTINUOUS = 1
    JOINT_PRISMATIC = 2
    JOINT_FIXED = 3
    JOINT_FLOATING = 4
    JOINT_PLANAR = 5


class UrdfJointTargetType(enum.IntEnum):
    """What drives follow."""

    JOINT_DRIVE_NONE = 0
    JOINT_DRIVE_POSITION = 1
    JOINT_DRIVE_VELOCITY = 2


class UrdfJointDriveType(enum.IntEnum):
    """What gains of drives give."""

    JOINT_DRIVE_ACCELERATION = 0
    JOINT_DRIVE_FORCE = 1


_TYPES = {
    "revolute": UrdfJointType.JOINT_REVOLUTE,
    "continuous": UrdfJointType.JOINT_CONTINUOUS,
    "prismatic": UrdfJointType.JOINT_PRISMATIC,
    "fixed": UrdfJointType.JOINT_FIXED,
    "free": UrdfJointType.JOINT_FLOATING,
    "planar": UrdfJointType.JOINT_PLANAR,
}


@dataclass
class UrdfLimit:
    """Limits of a joint: rad or m, N m or N, rad/s or m/s; infinite where the file has none."""

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf

    def set_lower(self, value: float) -> None:
        """Set ``lower``."""
        self.lower = value

    def set_upper(self, value: float) -> None:
        """Set ``upper``."""
        self.upper = value

    def set_effort(self, value: float) -> None:
        """Set ``effort``."""
        self.effort = value

    def set_velocity(self, value: float) -> None:
        """Set ``velocity``."""
        self.velocity = value


@dataclass
class UrdfDynamics:
    """What resists a joint: ``damping`` and ``stiffness`` as a drive's, ``friction`` in N m or N."""

    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0

    def set_damping(self, value: float) -> None:
        """Set ``damping``."""
        self.damping = value

    def set_friction(self, value: float) -> None:
        """Set ``friction``."""
        self.friction = value

    def set_stiffness(self, value: float) -> None:
        """Set ``stiffness``."""
        self.stiffness = value


@dataclass
class UrdfJointDrive:
    """A drive in USD's units: per degree for joints that turn, per m for those that slide.

    ``strength`` is its stiffness, or its damping where it follows velocities.
    """

    target: float = 0.0
    """Degrees or m, or per second."""
    strength: float = 0.0
    damping: float = 0.0
    target_type: int = UrdfJointTargetType.JOINT_DRIVE_POSITION
    drive_type: int = UrdfJointDriveType.JOINT_DRIVE_ACCELERATION
    natural_frequency: float = 25.0
    """rad/s; what ``strength`` is made of when a file is read."""
    damping_ratio: float = 0.005

    def set_target(self, value: float) -> None:
        """Set ``target``."""
        self.target = value

    def set_strength(self, value: float) -> None:
        """Set ``strength``."""
        self.strength = value

    def set_damping(self, value: float) -> None:
        """Set ``damping``."""
        self.damping = value

    def set_target_type(self, value: int) -> None:
        """Set ``target_type``, one of :class:`UrdfJointTargetType`."""
        self.target_type = UrdfJointTargetType(value)

    def set_drive_type(self, value: int) -> None:
        """Set ``drive_type``, one of :class:`UrdfJointDriveType`."""
        self.drive_type = UrdfJointDriveType(value)


@dataclass
class UrdfJointMimic:
    """The joint that another one follows; no name if it follows none."""

    joint: str = ""
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass
class UrdfJoint:
    """A joint. Its limits, dynamics and drive may be changed; the rest says what the file has."""

    name: str
    type: UrdfJointType
    parent_link_name: str
    child_link_name: str
    limit: UrdfLimit = field(default_factory=UrdfLimit)
    dynamics: UrdfDynamics = field(default_factory=UrdfDynamics)
    drive: UrdfJointDrive = field(default_factory=UrdfJointDrive)
    mimic: UrdfJointMimic = field(default_factory=UrdfJointMimic)
    joint_inertia: float = 0.0
    """kg m^2 or kg that it moves, where all joints are at zero."""


@dataclass
class UrdfLink:
    """A link: its name, its mass (kg), and the links that hang on it."""

    name: str
    mass: float = 0.0
    parent_link: str = ""
    child_links: list[str] = field(default_factory=list)


@dataclass
class UrdfRobot:
    """A robot: links and joints by their names."""

    name: str
    root_link: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]
    model: RobotModel
    """What is written to the stage, but for what is changed here."""


def robot_of(model: RobotModel, inertia: dict[str, float]) -> UrdfRobot:
    """The robot of a model, without drives.

    Args:
        model: as it is read.
        inertia: what each joint of one degree of freedom moves, kg m^2 or kg.
    """
    links = {body.name: UrdfLink(body.name, float(body.mass)) for body in model.bodies}
    joints = {}
    for joint in model.joints:
        if joint.type not in _TYPES:
            continue
        links[joint.child].parent_link = joint.parent
        links[joint.parent].child_links.append(joint.child)
        found = UrdfJoint(joint.name, _TYPES[joint.type], joint.parent, joint.child)
        found.limit = UrdfLimit(joint.lower, joint.upper, joint.effort_limit, joint.velocity_limit)
        found.dynamics = UrdfDynamics(joint.damping, joint.friction)
        if joint.mimic is not None:
            found.mimic = UrdfJointMimic(joint.mimic.joint, joint.mimic.multiplier, joint.mimic.offset)
        found.joint_inertia = inertia.get(joint.name, 0.0)
        joints[joint.name] = found
    return UrdfRobot(model.name, model.root, links, joints, model)


__all__ = [
    "UrdfDynamics",
    "UrdfJoint",
    "UrdfJointDrive",
    "UrdfJointDriveType",
    "UrdfJointMimic",
    "UrdfJointTargetType",
    "UrdfJointType",
    "UrdfLimit",
    "UrdfLink",
    "UrdfRobot",
    "robot_of",
]
