"""A Franka."""

from phalanx.facade.isaacsim.robot.manipulators.examples.franka.franka import Franka
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.kinematics_solver import KinematicsSolver
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.pick_place import FrankaPickPlace

__all__ = ["Franka", "FrankaPickPlace", "KinematicsSolver"]
