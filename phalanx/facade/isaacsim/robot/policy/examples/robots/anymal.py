"""ANYbotics' ANYmal C, which walks."""

from __future__ import annotations

from typing import Any

from phalanx.facade.asset_root import asset_root, existing_file
from phalanx.facade.backends import on_host
from phalanx.facade.isaacsim.robot.policy.examples.robots.flat_terrain import FlatTerrainPolicy
from phalanx.facade.isaacsim.robot.policy.examples.utils import LstmSeaNetwork

_POLICIES = "Isaac/Samples/Policies/Anymal_Policies"
ACTUATOR = f"{_POLICIES}/sea_net_jit2.pt"
"""The network that stands for its actuators, below the folder of assets."""


class AnymalFlatTerrainPolicy(FlatTerrainPolicy):
    """ANYbotics' ANYmal C: 12 joints with elastic actuators, for which a network stands that says their efforts.

    See :class:`FlatTerrainPolicy`.
    """

    USD = "Isaac/Robots/ANYbotics/anymal_c/anymal_c.usd"
    FILES = (f"{_POLICIES}/anymal_policy.pt", f"{_POLICIES}/anymal_env.yaml")
    NAME = "anymal"
    DOFS = 12
    ACTION_SCALE = 0.5

    def initialize(self, physics_sim_view: Any = None) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Let the robot be as it was in training, with efforts instead of drives.

        Raises:
            FileNotFoundError: the network of the actuators is not there.
        """
        super().initialize(physics_sim_view, control_mode="effort")
        self._actuator_network = LstmSeaNetwork()
        self._actuator_network.setup(existing_file(f"{asset_root()}/{ACTUATOR}", "actuator network"), self.default_pos)

    def forward(self, dt: float, command: Any) -> None:
        """See :meth:`FlatTerrainPolicy.forward`."""
        self._act(command)
        efforts, _ = self._actuator_network.compute_torques(
            on_host(self.robot.get_joint_positions()),
            on_host(self.robot.get_joint_velocities()),
            self._action_scale * self.action,
        )
        self.robot.set_joint_efforts(efforts)


__all__ = ["AnymalFlatTerrainPolicy"]
