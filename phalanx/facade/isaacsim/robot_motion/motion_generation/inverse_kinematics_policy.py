"""Motions by inverse kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.robot_motion.motion_generation.model_kinematics import ModelKinematicsSolver
from phalanx.facade.isaacsim.robot_motion.motion_generation.motion_policy_interface import MotionPolicy

STIFFNESS = 8.0
"""rad/s: of the critically damped oscillator by which targets of joints follow the solution."""

SPEED = 2.0
"""rad/s or m/s: no joint is told to be quicker."""


class InverseKinematicsPolicy(MotionPolicy):
    """Brings an end effector somewhere by inverse kinematics; it takes the place of Isaac Sim's RMPflow.

    The joints follow the solution as critically damped oscillators do, with at most so much speed, so that targets
    that jump make smooth motions. Obstacles are not avoided, nor are collisions of the robot with itself.

    Args:
        kinematics: of the robot.
        end_effector_frame: a frame that it knows.
        stiffness: natural frequency of the oscillators, rad/s.
        speed: greatest speed of a joint, rad/s or m/s.
    """

    def __init__(
        self,
        kinematics: ModelKinematicsSolver,
        end_effector_frame: str,
        stiffness: float = STIFFNESS,
        speed: float = SPEED,
    ) -> None:
        self._kinematics, self._frame = kinematics, end_effector_frame
        self._stiffness, self._speed = stiffness, speed
        self._target: tuple[np.ndarray | None, np.ndarray | None] = (None, None)
        self._positions: np.ndarray | None = None
        self._velocities = np.zeros(0)
        kinematics.chain(end_effector_frame)

    def get_active_joints(self) -> list[str]:
        """The joints that move the end effector."""
        return self._kinematics.get_joint_names()

    def set_robot_base_pose(self, robot_position: Any, robot_orientation: Any) -> None:
        """Say where the robot's root body is in the world: (3,) in units of the stage, and (w, x, y, z)."""
        self._kinematics.set_robot_base_pose(robot_position, robot_orientation)

    def set_end_effector_target(self, target_position: Any = None, target_orientation: Any = None) -> None:
        """Say where the end effector shall be in the world: (3,), in units of the stage, and (w, x, y, z).

        Without a position the robot stands still.
        """
        given = (target_position, target_orientation)
        position, orientation = (None if value is None else on_host(value, float) for value in given)
        self._target = (position, orientation)

    def get_end_effector_pose(self, active_joint_positions: Any) -> tuple[np.ndarray, np.ndarray]:
        """Where the end effector is in the world, (3,) and a matrix (3, 3), for positions of the joints."""
        return self._kinematics.compute_forward_kinematics(self._frame, active_joint_positions)

    def compute_joint_targets(
        self,
        active_joint_positions: Any,
        active_joint_velocities: Any,
        watched_joint_positions: Any,
        watched_joint_velocities: Any,
        frame_duration: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities that the joints shall have after a time, s.

        The first call after a reset begins at the joints' own positions; later ones go on from their last targets.
        """
        if self._positions is None:
            self._positions = on_host(active_joint_positions, float).copy()
            self._velocities = np.zeros_like(self._positions)
        position, orientation = self._target
        wanted = self._positions
        if position is not None:
            wanted, _ = self._kinematics.compute_inverse_kinematics(self._frame, position, orientation, self._positions)
        # The oscillator is solved exactly, so that it is stable whatever the duration is.
        rate, time = self._stiffness, frame_duration
        off = self._positions - wanted
        pull = self._velocities + rate * off
        fades = np.exp(-rate * time)
        then = wanted + (off + pull * time) * fades
        moved = then - self._positions
        slower = min(1.0, self._speed * time / max(float(np.abs(moved).max(initial=0.0)), 1e-12))
        self._velocities = ((pull - rate * (off + pull * time)) * fades) if slower == 1.0 else moved * slower / time
        self._positions = then = self._positions + moved * slower
        return then.copy(), self._velocities.copy()

    def reset(self) -> None:
        """Begin again where the joints are."""
        self._positions, self._target = None, (None, None)


__all__ = ["InverseKinematicsPolicy"]
