"""What scripts import as ``isaacsim.robot_motion.motion_generation``: inverse kinematics, and policies of motion.

RMPflow and Lula are NVIDIA's own, and closed; :class:`InverseKinematicsPolicy` takes the place of RMPflow.
"""

from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_kinematics_solver import (
    ArticulationKinematicsSolver,
)
from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_motion_policy import ArticulationMotionPolicy
from phalanx.facade.isaacsim.robot_motion.motion_generation.inverse_kinematics_policy import InverseKinematicsPolicy
from phalanx.facade.isaacsim.robot_motion.motion_generation.kinematics_interface import KinematicsSolver
from phalanx.facade.isaacsim.robot_motion.motion_generation.model_kinematics import ModelKinematicsSolver
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_controller import MotionPolicyController
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_interface import MotionPolicy

__all__ = [
    "ArticulationKinematicsSolver",
    "ArticulationMotionPolicy",
    "InverseKinematicsPolicy",
    "KinematicsSolver",
    "ModelKinematicsSolver",
    "MotionPolicy",
    "MotionPolicyController",
]
