"""Robots on wheels."""

from phalanx.facade.isaacsim.robot.wheeled_robots.robots.wheeled_robot import WheeledRobot

__all__ = ["WheeledRobot"]
