"""Terrains that are ready to use."""

from phalanx.facade.isaaclab.terrains.config.rough import ROUGH_TERRAINS_CFG

__all__ = ["ROUGH_TERRAINS_CFG"]
