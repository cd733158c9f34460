"""Configuration of a rigid object."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.rigid_object.rigid_object import RigidObject
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class RigidObjectCfg(AssetBaseCfg):
    """Configuration of a rigid object."""

    @configclass
    class InitialStateCfg(AssetBaseCfg.InitialStateCfg):
        """Where the object is put, and how it moves then."""

        lin_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m/s, world axes, of the centre of mass."""
        ang_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """rad/s, world axes."""

    class_type: Any = RigidObject
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """Where it is put, and how it moves then."""
