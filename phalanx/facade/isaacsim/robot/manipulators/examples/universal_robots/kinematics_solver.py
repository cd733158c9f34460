"""Kinematics of a UR10."""

from __future__ import annotations

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.robot_motion.motion_generation.articulation_kinematics_solver import (
    ArticulationKinematicsSolver,
)
from phalanx.facade.isaacsim.robot_motion.motion_generation.model_kinematics import ModelKinematicsSolver

END, SUCTION = "ee_link", "ee_suction_link"
"""The end of the arm, and that of the suction cup on it."""

FRAMES = {SUCTION: (END, (0.161709, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))}


def kinematics_of(robot_articulation: SingleArticulation) -> ModelKinematicsSolver:
    """What knows a UR10's kinematics."""
    return ModelKinematicsSolver(robot_articulation, END, FRAMES)


def end_frame(attach_gripper: bool | None) -> str:
    """The frame that is brought somewhere."""
    return SUCTION if attach_gripper else END


class KinematicsSolver(ArticulationKinematicsSolver):
    """Kinematics of a UR10.

    Args:
        robot_articulation: the robot, simulated.
        end_effector_frame_name: of the end effector; by default ``"ee_link"``, or ``"ee_suction_link"`` with one.
        attach_gripper: whether it has a gripper.
    """

    def __init__(
        self,
        robot_articulation: SingleArticulation,
        end_effector_frame_name: str | None = None,
        attach_gripper: bool | None = False,
    ) -> None:
        self._kinematics = kinematics_of(robot_articulation)
        super().__init__(robot_articulation, self._kinematics, end_effector_frame_name or end_frame(attach_gripper))


__all__ = ["KinematicsSolver"]
