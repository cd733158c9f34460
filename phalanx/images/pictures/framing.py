"""Where environments stand in a picture of several, and a camera that sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.images.world_camera import axes_toward
from phalanx.maths.arrays import matrix


@dataclass(frozen=True)
class Camera:
    """Looks from ``eye`` at ``target`` (m, world, z up); ``angle`` is the vertical field of view in degrees."""

    eye: tuple[float, float, float]
    target: tuple[float, float, float]
    angle: float = 32.0

    def axes(self) -> np.ndarray:
        """Right, down and forward in the world, as rows (3, 3)."""
        return axes_toward(np.subtract(self.target, self.eye))


def corner_points(boxes: Sequence[tuple[int, np.ndarray]], poses: np.ndarray) -> np.ndarray:
    """(..., envs, boxes * 8, 3): corners of boxes about shapes, where bodies have poses (..., envs, bodies, 7).

    Args:
        boxes: (body, corners (8, 3) in its frame).
        poses: [x y z qw qx qy qz].
    """
    bodies = np.array([body for body, _ in boxes], int)
    corners = np.array([corner for _, corner in boxes]).reshape(-1, 8, 3)
    at = poses[..., bodies, :]
    points = np.einsum("...ij,...kj->...ki", matrix(at[..., 3:]), corners) + at[..., None, :3]
    return points.reshape(*points.shape[:-3], -1, 3)


@dataclass(frozen=True)
class Grid:
    """Where environments go.

    Attributes:
        offsets: (envs, 3), m.
        spacing: m between neighbours; 0 for one alone.
        near: (envs, points): which points stay with the others.
    """

    offsets: np.ndarray
    spacing: float
    near: np.ndarray


def grid_of(points: np.ndarray, spacing: float | None = None) -> Grid:
    """Put environments on a grid, as far apart as they need unless told otherwise.

    What flew away must not push all else out of sight: it counts neither for the spacing nor for the camera.

    Args:
        points: (envs, points, 3), finite, of what is in them.
        spacing: m.
    """
    count = len(points)
    if count == 1:
        return Grid(np.zeros((1, 3)), 0.0, np.ones(points.shape[:2], bool))
    away = np.abs(points - np.median(points, axis=(0, 1)))
    near = away.max(axis=2) <= 3.0 * np.median(away.max(axis=(1, 2)))
    if spacing is None:
        spacing = 2.15 * float(away[near][:, :2].max())
    columns = int(np.ceil(np.sqrt(count)))
    rows = -(-count // columns)
    index = np.arange(count)
    x, y = index % columns - 0.5 * (columns - 1), index // columns - 0.5 * (rows - 1)
    return Grid(np.stack([x * spacing, y * spacing, np.zeros(count)], -1), spacing, near)


def toward(azimuth: float, elevation: float) -> np.ndarray:
    """(3,): the unit vector in a direction given in degrees, from x about z and up."""
    a, e = np.deg2rad(azimuth), np.deg2rad(elevation)
    return np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])


def fitting_camera(points: np.ndarray, aspect: float, many: bool, angle: float = 32.0, margin: float = 0.88) -> Camera:
    """From a direction that shows much, of one or of many, just far enough to see all points (n, 3).

    Args:
        aspect: width of the picture by its height.
        margin: the part of the picture that they may fill.
    """
    axes = axes_toward(-toward(30.0, 32.0) if many else -toward(38.0, 24.0))
    x, y, z = axes @ points.T
    tan_y = np.tan(np.deg2rad(0.5 * angle)) * margin
    tan_x = tan_y * aspect
    # A point is in the picture when |x - cx| <= (z + d) tan: each side of it gives the least d, and both give cx.
    right, left = (x - z * tan_x).max(), (-x - z * tan_x).max()
    lower, upper = (y - z * tan_y).max(), (-y - z * tan_y).max()
    distance = max((right + left) / (2 * tan_x), (lower + upper) / (2 * tan_y), 0.05 - z.min())
    eye = axes.T @ np.array([0.5 * (right - left), 0.5 * (lower - upper), -distance])
    return Camera(tuple(eye.tolist()), tuple((eye + axes[2]).tolist()), angle)


def tile_of(points: np.ndarray, grid: Grid) -> tuple[float, float, float]:
    """Side of a checker on the ground and x, y of one of its corners, m.

    One for each environment of a grid, else 1, 2 or 5 times a power of ten metres, a few across.
    """
    if grid.spacing > 0.0:
        x, y, _ = grid.offsets[0] - 0.5 * grid.spacing
        return grid.spacing, float(x), float(y)
    low, high = points.min(axis=0), points.max(axis=0)
    wanted = max(0.18 * float(np.linalg.norm(high - low)), 1e-6)
    power = 10.0 ** np.floor(np.log10(wanted))
    side = float(power * next(n for n in (5.0, 2.0, 1.0) if n * power <= wanted))
    return side, 0.5 * float(low[0] + high[0]), 0.5 * float(low[1] + high[1])
