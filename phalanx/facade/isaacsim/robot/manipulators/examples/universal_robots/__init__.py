"""A UR10."""

from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.follow_target import UR10FollowTarget
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.kinematics_solver import KinematicsSolver
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.ur10 import UR10

__all__ = ["UR10", "KinematicsSolver", "UR10FollowTarget"]
