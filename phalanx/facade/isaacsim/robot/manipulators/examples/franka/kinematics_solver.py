"""Kinematics of a Franka."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_kinematics_solver import (
    ArticulationKinematicsSolver,
)
from phalanx.facade.isaacsim.robot_motion.motion_generation.model_kinematics import ModelKinematicsSolver

END = "right_gripper"
"""The frame between the fingers, half a turn about its z axis off that of the hand."""

FRAMES = {END: ("panda_hand", (0.0, 0.0, 0.1), (0.0, 0.0, 0.0, 1.0))}


def kinematics_of(robot_articulation: SingleArticulation) -> ModelKinematicsSolver:
    """What knows a Franka's kinematics."""
    return ModelKinematicsSolver(robot_articulation, "panda_hand", FRAMES)


class KinematicsSolver(ArticulationKinematicsSolver):
    """Kinematics of a Franka.

    Args:
        robot_articulation: the robot, simulated.
        end_effector_frame_name: of the end effector; ``"right_gripper"``, between the fingers, by default.
    """

    def __init__(self, robot_articulation: SingleArticulation, end_effector_frame_name: str | None = None) -> None:
        self._kinematics = kinematics_of(robot_articulation)
        super().__init__(robot_articulation, self._kinematics, end_effector_frame_name or END)


__all__ = ["KinematicsSolver"]
