"""Markers: many copies of a few shapes, to be looked at; they have no physics."""

from phalanx.facade.isaaclab.markers import config
from phalanx.facade.isaaclab.markers.config import *  # noqa: F403
from phalanx.facade.isaaclab.markers.visualization_markers import VisualizationMarkers
from phalanx.facade.isaaclab.markers.visualization_markers_cfg import VisualizationMarkersCfg

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    "VisualizationMarkers",
    "VisualizationMarkersCfg",
    *config.__all__,
]
