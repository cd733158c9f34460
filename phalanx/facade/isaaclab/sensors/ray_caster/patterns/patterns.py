"""Rays of patterns: functions of a configuration and a device, ``cfg.func(cfg, device)``.

Frames have x forward, y to the left, z upwards. Directions are unit vectors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.facade.namespaces import array, common

if TYPE_CHECKING:
    from phalanx.facade.isaaclab.sensors.ray_caster.patterns import patterns_cfg

FULL_TURN = 1e-6
"""Degrees: a field of view that is so near to 360 goes all the way round."""

END = 1e-9
"""m: points of a grid that end so far behind its edge still belong to it."""


def grid_pattern(cfg: patterns_cfg.GridPatternCfg, device: str) -> tuple[Any, Any]:
    """Parallel rays from a grid about the origin in the plane z = 0.

    Args:
        cfg: the grid.
        device: where the arrays are to be.

    Returns:
        Starts and directions, both (rays, 3), m.

    Raises:
        ValueError: the order is unknown, the resolution not positive, the size negative, or the direction zero.
    """
    if cfg.ordering not in ("xy", "yx"):
        raise ValueError(f"Ordering must be 'xy' or 'yx', not GridPatternCfg.ordering={cfg.ordering!r}")
    if not cfg.resolution > 0.0:
        raise ValueError(f"Resolution must be greater than 0, not GridPatternCfg.resolution={cfg.resolution} m")
    if min(cfg.size) < 0.0:
        raise ValueError(f"GridPatternCfg.size={cfg.size} m: must not be negative")
    x, y = (np.arange(-side / 2, side / 2 + END, cfg.resolution) for side in cfg.size)
    columns = np.meshgrid(x, y, indexing="xy" if cfg.ordering == "xy" else "ij")
    starts = np.stack([columns[0].ravel(), columns[1].ravel(), np.zeros(columns[0].size)], -1)
    ahead = _unit(np.array(cfg.direction, float), f"GridPatternCfg.direction={cfg.direction}")
    return _pair(starts, np.broadcast_to(ahead, starts.shape), device)


def lidar_pattern(cfg: patterns_cfg.LidarPatternCfg, device: str) -> tuple[Any, Any]:
    """Rays from the origin in all directions of some channels, channel by channel from the lowest.

    A horizontal field of view of 360 degrees ends one ray before it began.

    Args:
        cfg: channels and fields of view.
        device: where the arrays are to be.

    Returns:
        Starts and directions, both (rays, 3).

    Raises:
        ValueError: there is no channel, or the resolution is not positive.
    """
    if cfg.channels < 1 or not cfg.horizontal_res > 0.0:
        raise ValueError(
            f"LidarPatternCfg: channels={cfg.channels} must be at least 1 and horizontal_res={cfg.horizontal_res} "
            "degrees positive"
        )
    first, last = cfg.horizontal_fov_range
    steps = math.ceil((last - first) / cfg.horizontal_res)
    around = np.linspace(first, last, steps + 1)
    if abs(abs(first - last) - 360.0) < FULL_TURN:
        around = around[:-1]
    up, side = np.meshgrid(np.linspace(*cfg.vertical_fov_range, cfg.channels), around, indexing="ij")
    up, side = np.radians(up.ravel()), np.radians(side.ravel())
    ahead = np.stack([np.cos(up) * np.cos(side), np.cos(up) * np.sin(side), np.sin(up)], -1)
    return _pair(np.zeros_like(ahead), ahead, device)


def bpearl_pattern(cfg: patterns_cfg.BpearlPatternCfg, device: str) -> tuple[Any, Any]:
    """Rays of a RS-Bpearl, which sees the half space along its z: round about, from -x on, all channels of an angle.

    Args:
        cfg: angles of the channels, and the field of view.
        device: where the arrays are to be.

    Returns:
        Starts and directions, both (rays, 3).

    Raises:
        ValueError: the resolution is not positive.
    """
    if not cfg.horizontal_res > 0.0:
        raise ValueError(f"BpearlPatternCfg.horizontal_res={cfg.horizontal_res} degrees: must be positive")
    around = np.arange(-cfg.horizontal_fov / 2, cfg.horizontal_fov / 2, cfg.horizontal_res)
    up, side = np.meshgrid(np.array(cfg.vertical_ray_angles, float), around, indexing="xy")
    up, side = np.radians(up.ravel()), np.radians(side.ravel())
    ahead = np.stack([-np.cos(up) * np.cos(side), -np.cos(up) * np.sin(side), np.sin(up)], -1)
    return _pair(np.zeros_like(ahead), ahead, device)


def pinhole_camera_pattern(
    cfg: patterns_cfg.PinholeCameraPatternCfg, intrinsic_matrices: Any, device: str
) -> tuple[Any, Any]:
    """Rays from the origin through the middle of each pixel, row by row, of cameras that look along x.

    Args:
        cfg: the size of the picture.
        intrinsic_matrices: (n, 3, 3) of the cameras, [[fx, 0, cx], [0, fy, cy], [0, 0, 1]], in pixels, whose corner of
            the picture is at (0, 0).
        device: where the arrays are to be.

    Returns:
        Starts and directions, both (n, height x width, 3).
    """
    v, u = np.divmod(np.arange(cfg.height * cfg.width), cfg.width)
    pixels = array(np.stack([u + 0.5, v + 0.5, np.ones(len(u))], -1).astype("float32"), device)
    xp, pixels, matrices = common(pixels, intrinsic_matrices)
    seen = pixels[None] @ xp.swapaxes(xp.linalg.inv(matrices), -1, -2)  # x right, y down, z forward
    ahead = xp.stack([seen[..., 2], -seen[..., 0], -seen[..., 1]], -1)
    ahead = ahead / xp.sqrt(xp.sum(ahead * ahead, -1))[..., None]
    return xp.zeros_like(ahead), ahead


def _unit(vector: np.ndarray, what: str) -> np.ndarray:
    size = np.linalg.norm(vector)
    if not size > 0.0:
        raise ValueError(f"{what}: must not be zero")
    return vector / size


def _pair(starts: np.ndarray, ahead: np.ndarray, device: str) -> tuple[Any, Any]:
    return array(starts.astype("float32"), device), array(ahead.astype("float32"), device)
