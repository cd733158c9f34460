"""Configuration of a deformable object."""

from __future__ import annotations

from typing import Any

from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.deformable_object.deformable_object import DeformableObject
from phalanx.facade.isaaclab.markers import VisualizationMarkersCfg, config
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class DeformableObjectCfg(AssetBaseCfg):
    """Configuration of a deformable object; of its initial state, velocities have no meaning."""

    class_type: Any = DeformableObject
    visualizer_cfg: VisualizationMarkersCfg = VisualizationMarkersCfg(
        "/Visuals/DeformableTarget", config.DEFORMABLE_TARGET_MARKER_CFG.markers
    )
    """What targets of nodes are shown by."""
