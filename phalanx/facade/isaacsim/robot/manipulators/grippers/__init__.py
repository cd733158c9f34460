"""Grippers."""

from phalanx.facade.isaacsim.robot.manipulators.grippers.gripper import Gripper
from phalanx.facade.isaacsim.robot.manipulators.grippers.parallel_gripper import ParallelGripper
from phalanx.facade.isaacsim.robot.manipulators.grippers.surface_gripper import SurfaceGripper

__all__ = ["Gripper", "ParallelGripper", "SurfaceGripper"]
