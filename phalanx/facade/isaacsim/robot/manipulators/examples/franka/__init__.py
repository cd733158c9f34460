"""A Franka."""

from phalanx.facade.isaacsim.robot.manipulators.examples.franka.franka import Franka
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.kinematics_solver import KinematicsSolver

__all__ = ["Franka", "KinematicsSolver"]
