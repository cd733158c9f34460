"""What scripts import as ``isaacsim.core.api.robots``: robots, and views of them."""

from phalanx.facade.isaacsim.core.api.robots.robot import Robot
from phalanx.facade.isaacsim.core.api.robots.robot_view import RobotView

__all__ = ["Robot", "RobotView"]
