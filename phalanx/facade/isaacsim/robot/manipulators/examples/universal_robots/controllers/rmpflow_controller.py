"""A UR10's end effector, brought somewhere."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.kinematics_solver import (
    end_frame,
    kinematics_of,
)
from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_motion_policy import ArticulationMotionPolicy
from phalanx.facade.isaacsim.robot_motion.motion_generation.inverse_kinematics_policy import InverseKinematicsPolicy
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_controller import MotionPolicyController


class RMPFlowController(MotionPolicyController):
    """Brings the end of the arm, or of its suction cup, somewhere: not by RMPflow, but by inverse kinematics.

    Args:
        name: what it is called.
        robot_articulation: the robot, simulated.
        physics_dt: time until the next action, s.
        attach_gripper: whether it has a gripper.
    """

    def __init__(
        self,
        name: str,
        robot_articulation: SingleArticulation,
        physics_dt: float = 1.0 / 60.0,
        attach_gripper: bool = False,
    ) -> None:
        self.rmp_flow = InverseKinematicsPolicy(kinematics_of(robot_articulation), end_frame(attach_gripper))
        self.articulation_rmp = ArticulationMotionPolicy(robot_articulation, self.rmp_flow, physics_dt)
        super().__init__(name, self.articulation_rmp)
        self._default_position, self._default_orientation = robot_articulation.get_world_pose()

    def reset(self) -> None:
        """Begin again where the joints are."""
        super().reset()
        self._motion_policy.set_robot_base_pose(self._default_position, self._default_orientation)


__all__ = ["RMPFlowController"]
