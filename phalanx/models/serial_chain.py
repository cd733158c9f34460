"""Kinematics of the joints between a robot's root and a body: where a frame is, and how to bring it somewhere.

On the host, for single robots; worlds have Jacobians of all environments at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.maths.arrays import from_matrix, matrix, rotation_vector
from phalanx.models.robot_model import Joint, RobotModel

TURNING, SLIDING = ("revolute", "continuous"), ("prismatic",)


@dataclass(frozen=True)
class Solution:
    """What :meth:`SerialChain.solve` has found.

    Attributes:
        positions: (joints,), rad or m.
        distance: from the target, m.
        angle: between the frame's orientation and the target's, rad; 0 where none was asked for.
    """

    positions: np.ndarray
    distance: float
    angle: float


class SerialChain:
    """The joints between the root of a robot and a frame that is fixed to one of its bodies.

    Args:
        model: the robot.
        body: the body.
        position, orientation: of the frame in the body's, m and (w, x, y, z).

    Attributes:
        joint_names: the joints that move, from the root on.
        lower, upper: their limits, rad or m.

    Raises:
        KeyError: there is no such body.
        ValueError: there is a joint between that neither turns, nor slides, nor is fixed.
    """

    def __init__(
        self,
        model: RobotModel,
        body: str,
        position: Sequence[float] = (0.0, 0.0, 0.0),
        orientation: Sequence[float] = (1.0, 0.0, 0.0, 0.0),
    ) -> None:
        if all(each.name != body for each in model.bodies):
            raise KeyError(f"{model.name} has no body {body!r}; it has {', '.join(each.name for each in model.bodies)}")
        incoming = {joint.child: joint for joint in model.joints}
        chain: list[Joint] = []
        while body in incoming:
            chain.insert(0, incoming[body])
            body = chain[0].parent
        for joint in chain:
            if joint.type not in (*TURNING, *SLIDING, "fixed"):
                raise ValueError(f"{model.name}: joint {joint.name!r} between the root and the frame is {joint.type}")
        moving = [joint for joint in chain if joint.type != "fixed"]
        self.joint_names = [joint.name for joint in moving]
        self.lower = np.array([joint.lower for joint in moving], float)
        self.upper = np.array([joint.upper for joint in moving], float)
        self._end = _frame(orientation, position)
        self._chain = [
            (
                joint.type,
                _frame(joint.orientation, joint.position),
                np.array(joint.axis, float),
                _cross(joint.axis),
                np.linalg.inv(_frame(joint.child_orientation, joint.child_position)),
            )
            for joint in chain
        ]

    def frame(self, positions: Sequence[float] | np.ndarray) -> np.ndarray:
        """(4, 4): the frame's pose in the frame of the root, of positions (joints,)."""
        return self._walk(np.asarray(positions, float))[0]

    def jacobian(self, positions: Sequence[float] | np.ndarray) -> np.ndarray:
        """(6, joints): velocity of the frame's origin and angular velocity, in the root's axes, by joints' speeds."""
        return self._walk(np.asarray(positions, float))[1]

    def _walk(self, positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if positions.shape != (len(self.joint_names),):
            raise ValueError(f"positions have shape {positions.shape}; there are {len(self.joint_names)} joints")
        pose, places, axes, turns = np.eye(4), [], [], []
        values = iter(positions)
        for kind, before, axis, cross, after in self._chain:
            pose = pose @ before
            if kind != "fixed":
                places.append(pose[:3, 3])
                axes.append(pose[:3, :3] @ axis)
                turns.append(kind in TURNING)
                value, moved = next(values), np.eye(4)
                if turns[-1]:
                    moved[:3, :3] += np.sin(value) * cross + (1.0 - np.cos(value)) * (cross @ cross)
                else:
                    moved[:3, 3] = axis * value
                pose = pose @ moved
            pose = pose @ after
        pose = pose @ self._end
        if not axes:
            return pose, np.zeros((6, 0))
        directions, spins = np.array(axes), np.array(turns)[:, None]
        linear = np.where(spins, np.cross(directions, pose[:3, 3] - np.array(places)), directions)
        return pose, np.concatenate([linear, np.where(spins, directions, 0.0)], 1).T

    def solve(
        self,
        position: Sequence[float] | np.ndarray,
        orientation: Sequence[float] | np.ndarray | None,
        start: Sequence[float] | np.ndarray,
        *,
        distance: float = 1e-4,
        angle: float = 1e-3,
        iterations: int = 100,
    ) -> Solution:
        """Positions of joints, within their limits, that bring the frame to a pose, near to where they are.

        Damped least squares: J. Nakamura and H. Hanafusa, "Inverse kinematic solutions with singularity robustness",
        1986. The damping falls while the frame comes nearer, and grows when it does not; joints that are at a limit and
        would go further are left out of a step.

        Args:
            position: target of the frame's origin in the root's frame, (3,), m.
            orientation: target of its orientation, (w, x, y, z); ``None``: any.
            start: positions to begin with, (joints,).
            distance, angle: the frame is there if it is nearer than this, m and rad.
            iterations: at most so many steps.

        Returns:
            The best positions that were found; whether that is good enough is for the caller to say.
        """
        target, turn = np.asarray(position, float), None if orientation is None else np.asarray(orientation, float)
        now = np.clip(np.asarray(start, float), self.lower, self.upper)
        error, pull, jacobian = self._off(now, target, turn)
        damping = 1e-2
        for _ in range(iterations):
            if np.linalg.norm(error[:3]) < distance and np.linalg.norm(error[3:]) < angle:
                break
            free = ~(((now <= self.lower) & (pull < 0.0)) | ((now >= self.upper) & (pull > 0.0)))
            some = jacobian[:, free]
            step = np.zeros_like(now)
            step[free] = some.T @ np.linalg.solve(some @ some.T + damping * np.eye(len(error)), error)
            step *= min(1.0, 0.5 / max(float(np.abs(step).max(initial=0.0)), 1e-12))
            then = np.clip(now + step, self.lower, self.upper)
            off = self._off(then, target, turn)
            if off[0] @ off[0] < error @ error:
                now, (error, pull, jacobian) = then, off
                damping = max(damping / 4.0, 1e-8)
            else:
                damping *= 8.0
                if damping > 1e4:
                    break
        return Solution(now, float(np.linalg.norm(error[:3])), float(np.linalg.norm(error[3:])))

    def _off(
        self, positions: np.ndarray, target: np.ndarray, turn: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What is missing to a target, (3,) or (6,); the joints' share in it, and the Jacobian of it."""
        pose, jacobian = self._walk(positions)
        error = target - pose[:3, 3]
        if turn is None:
            jacobian = jacobian[:3]
        else:
            error = np.concatenate([error, _rotation_vector(matrix(turn) @ pose[:3, :3].T)])
        return error, jacobian.T @ error, jacobian


def _cross(axis: Sequence[float]) -> np.ndarray:
    x, y, z = axis
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _rotation_vector(rotation: np.ndarray) -> np.ndarray:
    """The axis of a rotation (3, 3) times its angle; quick where that is not near half a turn."""
    twice = np.array(
        [rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]]
    )
    sine, cosine = 0.5 * float(np.linalg.norm(twice)), 0.5 * (float(np.trace(rotation)) - 1.0)
    if cosine < -0.9:
        return rotation_vector(from_matrix(rotation))
    return twice * (0.5 if sine < 1e-12 else 0.5 * np.arctan2(sine, cosine) / sine)


def _frame(orientation: Sequence[float], position: Sequence[float]) -> np.ndarray:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = matrix(np.asarray(orientation, float)), position
    return found
