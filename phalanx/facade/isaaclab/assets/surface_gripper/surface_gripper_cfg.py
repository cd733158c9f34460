"""Configuration of a gripper that holds by its surface."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.surface_gripper.surface_gripper import SurfaceGripper
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class SurfaceGripperCfg(AssetBaseCfg):
    """Configuration of a gripper that holds by its surface."""

    class_type: Any = SurfaceGripper
    max_grip_distance: float | None = None
    """How far away what is gripped may be, m; ``None``: as the prim says. So for the others."""
    coaxial_force_limit: float | None = None
    """Pull along its axis beyond which it lets go, N."""
    shear_force_limit: float | None = None
    """Force across its axis beyond which it lets go, N."""
    retry_interval: float | None = None
    """How long it tries to grip, s."""
