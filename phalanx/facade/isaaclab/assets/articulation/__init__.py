"""Articulations."""

from phalanx.facade.isaaclab.assets.articulation.articulation import Articulation
from phalanx.facade.isaaclab.assets.articulation.articulation_cfg import ArticulationCfg
from phalanx.facade.isaaclab.assets.articulation.articulation_data import ArticulationData

__all__ = ["Articulation", "ArticulationCfg", "ArticulationData"]
