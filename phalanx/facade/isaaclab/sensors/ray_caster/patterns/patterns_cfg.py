"""Configurations of patterns of rays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING
from typing import Any, Literal

from phalanx.facade.isaaclab.sensors.ray_caster.patterns import patterns
from phalanx.facade.isaaclab.utils.configclass import configclass

BPEARL_STEP, BPEARL_CHANNELS = 2.8125, 32
"""Degrees between channels of a RS-Bpearl, and how many there are; the first is at 89.5 degrees."""


@configclass
class PatternBaseCfg:
    """Configuration of a pattern of rays."""

    func: Any = MISSING
    """Makes the rays: from this configuration and a device, starts and directions, both (rays, 3)."""


@configclass
class GridPatternCfg(PatternBaseCfg):
    """Parallel rays from a grid."""

    func: Any = patterns.grid_pattern
    resolution: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Distance between neighbours, m."""
    size: tuple[float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """Along x and y, m."""
    direction: tuple[float, float, float] = (0.0, 0.0, -1.0)
    """Of all rays; of any length."""
    ordering: Literal["xy", "yx"] = "xy"
    """Which coordinate changes from ray to ray: x, or y."""


@configclass
class PinholeCameraPatternCfg(PatternBaseCfg):
    """Rays through the pixels of a camera. Lengths on the camera may be in any unit, the same for all."""

    func: Any = patterns.pinhole_camera_pattern
    focal_length: float = 24.0
    """From the pinhole to the picture."""
    horizontal_aperture: float = 20.955
    """Width of the picture on the sensor; the default is that of a 35 mm spherical projector."""
    vertical_aperture: float | None = None
    """Height of the picture on the sensor; by default such that pixels are square."""
    horizontal_aperture_offset: float = 0.0
    """How far the axis is off the middle of the picture, in focal lengths."""
    vertical_aperture_offset: float = 0.0
    """Likewise, downwards."""
    width: int = MISSING  # pyright: ignore[reportAssignmentType]
    """Of the picture, pixels."""
    height: int = MISSING  # pyright: ignore[reportAssignmentType]
    """Of the picture, pixels."""

    @classmethod
    def from_intrinsic_matrix(
        cls, intrinsic_matrix: Sequence[float], width: int, height: int, focal_length: float = 24.0
    ) -> PinholeCameraPatternCfg:
        """A pattern with an intrinsic matrix.

        Args:
            intrinsic_matrix: its nine numbers, row by row: [f_x, 0, c_x, 0, f_y, c_y, 0, 0, 1], in pixels.
            width: of the picture, pixels.
            height: of the picture, pixels.
            focal_length: which sets the unit of lengths.

        Raises:
            ValueError: the matrix has not nine numbers, or its focal lengths are not positive.
        """
        if len(intrinsic_matrix) != 9:
            raise ValueError(f"intrinsic_matrix has {len(intrinsic_matrix)} numbers; it must have 9, row by row")
        f_x, _, c_x, _, f_y, c_y = (float(number) for number in intrinsic_matrix[:6])
        if not (f_x > 0.0 and f_y > 0.0):
            raise ValueError(f"intrinsic_matrix: focal lengths {f_x:g} and {f_y:g} must be positive")
        return cls(
            focal_length=focal_length,
            horizontal_aperture=width * focal_length / f_x,
            vertical_aperture=height * focal_length / f_y,
            horizontal_aperture_offset=(c_x - 0.5 * width) / f_x,
            vertical_aperture_offset=(c_y - 0.5 * height) / f_y,
            width=width,
            height=height,
        )


@configclass
class BpearlPatternCfg(PatternBaseCfg):
    """Rays of a RS-Bpearl, a lidar that sees a half space."""

    func: Any = patterns.bpearl_pattern
    horizontal_fov: float = 360.0
    """Degrees about z, half of them on each side of -x."""
    horizontal_res: float = 10.0
    """Between neighbours, degrees."""
    vertical_ray_angles: Sequence[float] = [89.5 - BPEARL_STEP * i for i in range(BPEARL_CHANNELS)]
    """Of the channels, degrees from the plane z = 0."""


@configclass
class LidarPatternCfg(PatternBaseCfg):
    """Rays of a lidar."""

    func: Any = patterns.lidar_pattern
    channels: int = MISSING  # pyright: ignore[reportAssignmentType]
    """How many directions there are above each other."""
    vertical_fov_range: tuple[float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """From the lowest to the highest channel, degrees above the horizon."""
    horizontal_fov_range: tuple[float, float] = MISSING  # pyright: ignore[reportAssignmentType]
    """From the first to the last ray of a channel, degrees from x to y."""
    horizontal_res: float = MISSING  # pyright: ignore[reportAssignmentType]
    """Between neighbours, degrees; less where it does not divide the field of view."""
