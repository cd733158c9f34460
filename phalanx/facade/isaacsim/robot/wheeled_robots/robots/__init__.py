"""Robots on wheels."""

from phalanx.facade.isaacsim.robot.wheeled_robots.robots.holonomic_robot_usd_setup import HolonomicRobotUsdSetup
from phalanx.facade.isaacsim.robot.wheeled_robots.robots.wheeled_robot import WheeledRobot

__all__ = ["HolonomicRobotUsdSetup", "WheeledRobot"]
