"""Configuration of cameras that cast rays."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any, Literal

from phalanx.facade.isaaclab.sensors.ray_caster.patterns.patterns_cfg import PinholeCameraPatternCfg
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_camera import RayCasterCamera
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_cfg import RayCasterCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class RayCasterCameraCfg(RayCasterCfg):
    """Configuration of a camera that casts rays. Drifts and alignments have no effect on it."""

    @configclass
    class OffsetCfg:
        """Where the camera is, in the frame of the prim."""

        pos: tuple[float, float, float] = (0.0, 0.0, 0.0)
        """m."""
        rot: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
        """(w, x, y, z)."""
        convention: Literal["opengl", "ros", "world"] = "ros"
        """Of which axes that is the orientation: ``"ros"`` has z forward and -y up, ``"opengl"`` -z forward and y up,
        ``"world"`` x forward and z up."""

    class_type: Any = RayCasterCamera
    offset: OffsetCfg = field(default_factory=OffsetCfg)  # pyright: ignore[reportIncompatibleVariableOverride]
    """Where the camera is on the prim."""
    data_types: list[str] = ["distance_to_image_plane"]  # noqa: RUF012
    """Which pictures it makes: ``"distance_to_image_plane"``, ``"distance_to_camera"``, ``"normals"``."""
    depth_clipping_behavior: Literal["max", "zero", "none"] = "none"
    """What distances beyond ``max_distance``, and those of rays that hit nothing, become: ``"max"``: that; ``"zero"``:
    zero; ``"none"``: what they are, and for the latter infinite, or in ``"distance_to_image_plane"`` NaN."""
    pattern_cfg: PinholeCameraPatternCfg = MISSING  # pyright: ignore[reportAssignmentType, reportIncompatibleVariableOverride]
    """The pixels."""
