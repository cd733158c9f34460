"""What scripts import as ``isaacsim.robot.manipulators``: arms, their grippers, and what controls them."""

from phalanx.facade.isaacsim.robot.manipulators.manipulators.single_manipulator import SingleManipulator

__all__ = ["SingleManipulator"]
