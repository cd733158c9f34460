"""A Franka that opens a drawer."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade.asset_root import asset_root
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.core.prims import SingleArticulation, SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.rotations import quat_to_rot_matrix
from phalanx.facade.isaacsim.core.utils.types import ArticulationAction
from phalanx.facade.isaacsim.robot.policy.examples.controllers import PolicyController

_POLICIES = "Isaac/Samples/Policies/Franka_Policies/Open_Drawer_Policy"
HANDLE = np.array([0.305, 0.0, 0.01])
"""m: of the drawer's handle in the frame of its link."""
GRIP = np.array([0.0, 0.0, 0.1034])
"""m: between the fingers, in the frame of the hand."""
ACTIONS = 8
"""Numbers that the network says: seven joints, and one for both fingers."""


class FrankaOpenDrawerPolicy(PolicyController):
    """A Franka that opens the top drawer of a cabinet, and holds it open.

    Args:
        prim_path: of the robot; it is put there if there is nothing yet.
        cabinet: with the joint ``drawer_top_joint`` and the link ``drawer_handle_top``.
        root_path: of the root of the robot's articulation; ``prim_path`` by default.
        name: of the robot.
        usd_path: of its file; by default where Isaac Sim's server has it, below the folder of assets.
        position: of the robot in the world, (3,), m.
        orientation: (4,), (w, x, y, z).

    Raises:
        FileNotFoundError: the robot's file, the network or its configuration is not there; it says where to put it.
    """

    action: np.ndarray

    def __init__(
        self,
        prim_path: str,
        cabinet: SingleArticulation,
        root_path: str | None = None,
        name: str = "franka",
        usd_path: str | None = None,
        position: Any = None,
        orientation: Any = None,
    ) -> None:
        root = asset_root()
        usd_path = f"{root}/Isaac/Robots/FrankaRobotics/FrankaPanda/franka.usd" if usd_path is None else usd_path
        super().__init__(name, prim_path, root_path, usd_path, position, orientation)
        self.load_policy(f"{root}/{_POLICIES}/policy.pt", f"{root}/{_POLICIES}/env.yaml")
        self.cabinet = cabinet
        self._action_scale = 1.0
        self._previous_action = np.zeros(ACTIONS)
        self._policy_counter = 0

    def initialize(self, physics_sim_view: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Let the robot be as it was in training, with more iterations, and awake."""
        super().initialize(physics_sim_view)
        self.cabinet.initialize(physics_sim_view)
        self.drawer_link_idx = self.cabinet.get_dof_index("drawer_top_joint")
        self._hand = SingleXFormPrim(f"{self.robot.prim_path}/panda_hand")
        self._handle = SingleXFormPrim(f"{self.cabinet.prim_path}/drawer_handle_top")
        self.robot.set_solver_position_iteration_count(32)
        self.robot.set_solver_velocity_iteration_count(4)
        self.robot.set_stabilization_threshold(0.0)
        self.robot.set_sleep_threshold(0.0)

    def _compute_observation(self) -> np.ndarray:
        """(31,): the robot's joints from where they start and their velocities, 9 each, position and velocity of the
        drawer, the way from grip to handle in the world, 3, and the last action, 8.
        """
        joints = on_host(self.robot.get_joint_positions()) - self.default_pos
        speeds = on_host(self.robot.get_joint_velocities()) - self.default_vel
        drawer = [
            on_host(each)[self.drawer_link_idx]
            for each in (self.cabinet.get_joint_positions(), self.cabinet.get_joint_velocities())
        ]
        way = _point(self._handle, HANDLE) - _point(self._hand, GRIP)
        return np.concatenate([joints, speeds, drawer, way, self._previous_action])

    def forward(self, dt: float) -> None:
        """Let the robot act, once a step of physics: joints are told places about those at the start, fingers places.

        Args:
            dt: length of the step, s; the network has its own in its configuration.
        """
        if self._policy_counter % self._decimation == 0:
            self.action = self._compute_action(self._compute_observation())[:ACTIONS]
            self._previous_action = self.action.copy()
        targets = self.default_pos + np.append(self.action, 0.0)
        targets[-1] = targets[-2]
        self.robot.apply_action(ArticulationAction(self._action_scale * targets))
        self._policy_counter += 1


def _point(prim: SingleXFormPrim, offset: np.ndarray) -> np.ndarray:
    """Where a point of a prim's frame is in the world, m."""
    place, turn = (on_host(each) for each in prim.get_world_pose())
    return place + quat_to_rot_matrix(turn) @ offset


__all__ = ["FrankaOpenDrawerPolicy"]
