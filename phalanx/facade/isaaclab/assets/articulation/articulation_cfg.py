"""Configuration of an articulation."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any

from phalanx.facade.isaaclab.actuators import ActuatorBaseCfg
from phalanx.facade.isaaclab.assets.articulation.articulation import Articulation
from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class ArticulationCfg(AssetBaseCfg):
    """Configuration of an articulation."""

    @configclass
    class InitialStateCfg(AssetBaseCfg.InitialStateCfg):
        """Where the root is put, how it moves then, and the state of joints by regular expression."""

        lin_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m/s, world axes, of the root's centre of mass."""
        ang_vel: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """rad/s, world axes."""
        joint_pos: dict[str, float] = field(default_factory=lambda: {".*": 0.0})
        """rad or m."""
        joint_vel: dict[str, float] = field(default_factory=lambda: {".*": 0.0})
        """rad/s or m/s."""

    class_type: Any = Articulation
    articulation_root_prim_path: str | None = None
    """Path below ``prim_path``, beginning with ``/``, of the prim with the articulation root; searched by default."""
    init_state: InitialStateCfg = field(default_factory=InitialStateCfg)
    """State at the beginning."""
    soft_joint_pos_limit_factor: float = 1.0
    """Share of the joints' ranges, about their middle, that is within soft limits."""
    actuators: dict[str, ActuatorBaseCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """Actuators by names of your choice; each says by expression which joints it drives."""
    actuator_value_resolution_debug_print: bool = False
    """Whether to log what actuators take from files and from configurations."""
