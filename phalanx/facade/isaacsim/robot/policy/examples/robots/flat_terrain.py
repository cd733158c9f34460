"""Robots with legs and a network that lets them walk on flat ground."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from phalanx.facade.asset_root import asset_root
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.utils.rotations import quat_to_rot_matrix
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.policy.examples.controllers import PolicyController


class FlatTerrainPolicy(PolicyController):
    """A robot that walks as it is told: forwards, sidewards, and by turning.

    Classes that derive from it say which robot. Each ``decimation`` steps, as the configuration of the network has it,
    the network is asked for positions of joints, about those at the start; between, they stay.

    Args:
        prim_path: of the robot; it is put there if there is nothing yet.
        root_path: of the root of its articulation; ``prim_path`` by default.
        name: of the robot.
        usd_path: of its file; by default where Isaac Sim's server has it, below the folder of assets.
        position: of the robot in the world, (3,), m.
        orientation: (4,), (w, x, y, z).

    Attributes:
        action: what the network said last, (dofs,), after the first step.

    Raises:
        FileNotFoundError: the robot's file, the network or its configuration is not there; it says where to put it.
    """

    USD: ClassVar[str]
    """Where the robot's file is below the folder of assets."""
    FILES: ClassVar[tuple[str, str]]
    """Where the network and its configuration are."""
    NAME: ClassVar[str]
    DOFS: ClassVar[int]
    ACTION_SCALE: ClassVar[float]
    """rad for each unit of an action."""

    action: np.ndarray

    def __init__(
        self,
        prim_path: str,
        root_path: str | None = None,
        name: str | None = None,
        usd_path: str | None = None,
        position: Any = None,
        orientation: Any = None,
    ) -> None:
        root = asset_root()
        usd_path = f"{root}/{self.USD}" if usd_path is None else usd_path
        super().__init__(name or self.NAME, prim_path, root_path, usd_path, position, orientation)
        self.load_policy(*(f"{root}/{file}" for file in self.FILES))
        self._action_scale = self.ACTION_SCALE
        self._previous_action = np.zeros(self.DOFS)
        self._policy_counter = 0

    def _compute_observation(self, command: Any) -> np.ndarray:
        """(12 + 3 dofs,): velocity, angular velocity and direction of gravity in the robot's frame, the command;
        positions of joints from those at the start, their velocities, the last action.

        Args:
            command: velocity forwards and to the left, m/s, and angular velocity about z, rad/s, (3,).
        """
        into_robot = quat_to_rot_matrix(on_host(self.robot.get_world_pose()[1])).T
        moving = on_host(self.robot.get_linear_velocity()), on_host(self.robot.get_angular_velocity())
        positions, velocities = on_host(self.robot.get_joint_positions()), on_host(self.robot.get_joint_velocities())
        seen = [into_robot @ each for each in (*moving, np.array([0.0, 0.0, -1.0]))]
        seen += [np.asarray(command, float), positions - self.default_pos, velocities, self._previous_action]
        return np.concatenate(seen)

    def _act(self, command: Any) -> None:
        """Ask the network, if it is time."""
        if self._policy_counter % self._decimation == 0:
            self.action = self._compute_action(self._compute_observation(command))
            self._previous_action = self.action.copy()
        self._policy_counter += 1

    def forward(self, dt: float, command: Any) -> None:
        """Let the robot act, once a step of physics.

        Args:
            dt: length of the step, s; the network has its own in its configuration.
            command: velocity forwards and to the left, m/s, and angular velocity about z, rad/s, (3,).
        """
        self._act(command)
        self.robot.apply_action(ArticulationAction(self.default_pos + self._action_scale * self.action))


__all__ = ["FlatTerrainPolicy"]
