"""Inverse kinematics of the Franka Panda in Isaac Lab's tasks, for controllers that were written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio

from phalanx.assets.descriptions import PANDA, file

pin: Any = pinocchio  # its type information does not cover what it binds

OPEN = 0.04
"""m: of each finger."""
MARGIN = 0.02
"""rad, between goals and limits of joints."""


class Arm:
    """Joints for poses of the hand, on the description that the stand-in is made of.

    Args:
        env: a manager-based task of Isaac Lab's with the robot, whose arm takes positions of joints.
        seed: of the postures from which is searched.
    """

    def __init__(self, env: Any, seed: int) -> None:
        robot = env.scene["robot"]
        self.robot, self.random = robot, np.random.default_rng(seed)
        self.model = pin.buildModelFromUrdf(str(file(PANDA.path)))
        self.data, self.hand = self.model.createData(), self.model.getFrameId("panda_hand")
        limits = robot.data.soft_joint_pos_limits[0, :7].double().numpy()
        self.lower, self.upper = limits[:, 0] + MARGIN, limits[:, 1] - MARGIN
        self.middle = robot.data.default_joint_pos[0, :7].double().numpy()
        self.stiffness = robot.data.joint_stiffness[0, :7].double().numpy()
        self.scale = float(env.action_manager.get_term("arm_action")._scale)
        self.unreachable = 0

    def action(self, joints: np.ndarray, load: float = 0.0) -> np.ndarray:
        """The action that holds joints (rad) there under gravity, with a load (kg) in the hand."""
        effort = pin.computeGeneralizedGravity(self.model, self.data, _whole(joints))[:7]
        if load:
            frame = pin.LOCAL_WORLD_ALIGNED
            jacobian = pin.computeFrameJacobian(self.model, self.data, _whole(joints), self.hand, frame)[:3, :7]
            effort = effort + jacobian.T @ np.array([0.0, 0.0, 9.81 * load])
        return (joints + effort / self.stiffness - self.middle) / self.scale

    def inverse(self, pose: Any, now: np.ndarray) -> np.ndarray:
        """Joints (rad) for a pose of the hand: of a few that serve, those near the present and the usual posture."""
        near, found = 0.5 * (now + self.middle), []
        spread = np.array([0.8, 0.6, 0.8, 0.6, 0.8, 0.6, 2.5])
        for trial in range(60):
            start = now if trial == 0 else self.middle + self.random.uniform(-spread, spread)
            q = self._descended(pose, np.clip(start, self.lower, self.upper))
            if q is not None:
                found.append(q)
            if found and trial > 8:
                return min(found, key=lambda q: float(np.linalg.norm(q - near)))
        self.unreachable += 1
        return self.middle

    def _descended(self, pose: Any, q: np.ndarray) -> np.ndarray | None:
        """Damped least squares within limits; ``None`` if it ends 1 mm or 1 mrad off."""
        off = np.inf
        for _ in range(60):
            pin.framesForwardKinematics(self.model, self.data, _whole(q))
            left = pin.log6(self.data.oMf[self.hand].actInv(pose)).vector
            off = float(np.linalg.norm(left))
            if off < 1e-5:
                break
            jacobian = pin.computeFrameJacobian(self.model, self.data, _whole(q), self.hand, pin.LOCAL)[:, :7]
            step = jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + 1e-4 * np.eye(6), left)
            q = np.clip(q + step, self.lower, self.upper)
        return q if off < 1e-3 else None


def _whole(arm: np.ndarray) -> np.ndarray:
    return np.concatenate((arm, (OPEN, OPEN)))
