"""Configuration of frame transformers."""

from __future__ import annotations

from dataclasses import MISSING, field, replace
from typing import Any

from phalanx.facade.isaaclab.markers import VisualizationMarkersCfg
from phalanx.facade.isaaclab.markers.config import FRAME_MARKER_CFG
from phalanx.facade.isaaclab.sensors.frame_transformer.frame_transformer import FrameTransformer
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class OffsetCfg:
    """Where a frame is, in the frame of its body."""

    pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m."""
    rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """(w, x, y, z)."""


@configclass
class FrameTransformerCfg(SensorBaseCfg):
    """Configuration of a frame transformer; ``prim_path`` is the rigid body of the source frame."""

    @configclass
    class FrameCfg:
        """Target frames on one rigid body, or on several."""

        prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
        """Path of the bodies' prims, an expression segment by segment. Of what an expression stands for, only rigid
        bodies count; the source's is one of them."""
        name: str | None = None
        """Of the frames; the names of the bodies' prims by default."""
        offset: OffsetCfg = field(default_factory=OffsetCfg)
        """Where the frames are on their bodies."""

    class_type: Any = FrameTransformer
    prim_path: str = MISSING  # pyright: ignore[reportAssignmentType]
    """Path of the source's rigid body, an expression segment by segment: one in each environment."""
    source_frame_offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Where the source frame is on its body."""
    target_frames: list[FrameCfg] = MISSING  # pyright: ignore[reportAssignmentType]
    """The target frames."""
    visualizer_cfg: VisualizationMarkersCfg = replace(FRAME_MARKER_CFG, prim_path="/Visuals/FrameTransformer")
    """Markers of the frames."""
