"""Boston Dynamics' Spot, which walks."""

from __future__ import annotations

from phalanx.facade.isaacsim.robot.policy.examples.robots.flat_terrain import FlatTerrainPolicy

_POLICIES = "Isaac/Samples/Policies/Spot_Policies"


class SpotFlatTerrainPolicy(FlatTerrainPolicy):
    """Boston Dynamics' Spot: 12 joints, which positions drive. See :class:`FlatTerrainPolicy`."""

    USD = "Isaac/Robots/BostonDynamics/spot/spot.usd"
    FILES = (f"{_POLICIES}/spot_policy.pt", f"{_POLICIES}/spot_env.yaml")
    NAME = "spot"
    DOFS = 12
    ACTION_SCALE = 0.2


__all__ = ["SpotFlatTerrainPolicy"]
