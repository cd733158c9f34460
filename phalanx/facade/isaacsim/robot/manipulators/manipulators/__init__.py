"""Arms."""

from phalanx.facade.isaacsim.robot.manipulators.manipulators.single_manipulator import SingleManipulator

__all__ = ["SingleManipulator"]
