"""Configuration of ray casters."""

from __future__ import annotations

from dataclasses import MISSING, field, replace
from typing import Any, Literal

from phalanx.facade.isaaclab.markers import VisualizationMarkersCfg
from phalanx.facade.isaaclab.markers.config import RAY_CASTER_MARKER_CFG
from phalanx.facade.isaaclab.sensors.ray_caster.patterns.patterns_cfg import PatternBaseCfg
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster import RayCaster
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class RayCasterCfg(SensorBaseCfg):
    """Configuration of a ray caster; what its prims are on carries it."""

    @configclass
    class OffsetCfg:
        """Where rays' frame is, in that of the prim."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m."""
        rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        """(w, x, y, z)."""

    class_type: Any = RayCaster
    mesh_prim_paths: list[str] = MISSING  # pyright: ignore[reportAssignmentType]
    """Paths of what rays can hit, expressions segment by segment: meshes, shapes and planes at and below them. It
    stands still."""
    offset: OffsetCfg = field(default_factory=OffsetCfg)
    """Where rays' frame is on the prim."""
    attach_yaw_only: bool | None = None
    """Deprecated: ``True`` is ``ray_alignment="yaw"``, ``False`` is ``"base"``."""
    ray_alignment: Literal["base", "yaw", "world"] = "base"
    """Which part of the prim's orientation rays follow: all of it, the turn about z, or none."""
    pattern_cfg: PatternBaseCfg = MISSING  # pyright: ignore[reportAssignmentType]
    """The rays, in their frame."""
    max_distance: float = 1e6
    """m: what is farther is not hit."""
    drift_range: tuple[float, float] = (0.0, 0.0)
    """m: at each reset, the start of all rays is moved along the world's axes by numbers drawn from this range."""
    ray_cast_drift_range: dict[str, tuple[float, float]] = field(
        default_factory=lambda: {"x": (0.0, 0.0), "y": (0.0, 0.0), "z": (0.0, 0.0)}
    )
    """m: at each reset, hits are moved along the axes that rays follow by numbers drawn from these ranges; along x and
    y by other rays, along z as they are."""
    visualizer_cfg: VisualizationMarkersCfg = replace(RAY_CASTER_MARKER_CFG, prim_path="/Visuals/RayCaster")
    """Markers of hits."""
