"""Unitree's H1, which walks."""

from __future__ import annotations

from phalanx.facade.isaacsim.robot.policy.examples.robots.flat_terrain import FlatTerrainPolicy

_POLICIES = "Isaac/Samples/Policies/H1_Policies"


class H1FlatTerrainPolicy(FlatTerrainPolicy):
    """Unitree's H1: 19 joints, which positions drive. See :class:`FlatTerrainPolicy`."""

    USD = "Isaac/Robots/Unitree/H1/h1.usd"
    FILES = (f"{_POLICIES}/h1_policy.pt", f"{_POLICIES}/h1_env.yaml")
    NAME = "h1"
    DOFS = 19
    ACTION_SCALE = 0.5

    def initialize(self) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Let the robot be as it was in training, but for numbers of iterations and thresholds, which its file has."""
        super().initialize(set_articulation_props=False)


__all__ = ["H1FlatTerrainPolicy"]
