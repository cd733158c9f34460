"""The task by the name of its module."""

from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.tasks import FollowTarget

__all__ = ["FollowTarget"]
