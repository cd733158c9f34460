"""Points that depth pictures show, and pictures in files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import replacing
from phalanx.facade.arrays import accept, api_of
from phalanx.facade.isaaclab.utils import math as math_utils
from phalanx.facade.namespaces import array, cast, common, device_of, namespace

BORDER = 2
"""Pixels between pictures in a file."""


def transform_points(
    points: Any,
    position: Any = None,
    orientation: Any = None,
    device: str | None = None,
) -> Any:
    """Points given in a frame, seen from the frame that its pose is given in.

    Args:
        points: (P, 3) or (N, P, 3), m.
        position: of the frame, (3,) or (N, 3), m; at the origin by default.
        orientation: of the frame, (w, x, y, z), (4,) or (N, 4); not turned by default.
        device: where to compute; that of the points by default.

    Returns:
        Points in the shape of ``points``; a NumPy array if they are one, else the user's.

    Raises:
        ValueError: shapes are none of these.
    """
    points, others, back = _taken(points, device, position, orientation)
    return back(math_utils.transform_points(points, *others))


def create_pointcloud_from_depth(
    intrinsic_matrix: Any,
    depth: Any,
    keep_invalid: bool = False,
    position: Any = None,
    orientation: Any = None,
    device: str | None = None,
) -> Any:
    """The points that a depth picture shows.

    Args:
        intrinsic_matrix: (3, 3) of the camera, pixels, from the corner of the picture on.
        depth: (H, W) distances from the image plane, m.
        keep_invalid: whether points of pixels that are infinite or no number stay.
        position: of the camera, (3,), m; points are in the camera's frame by default.
        orientation: of the camera, (4,), (w, x, y, z) of axes x right, y down, z forward.
        device: where to compute; that of the depth by default.

    Returns:
        (P, 3), m, column by column of the picture; a NumPy array if the depth is one, else the user's.

    Raises:
        ValueError: shapes are none of these.
    """
    depth, (matrix, position, orientation), back = _taken(depth, device, intrinsic_matrix, position, orientation)
    points = _points(matrix, depth, position, orientation)
    return back(points if keep_invalid else points[_valid(points)])


def create_pointcloud_from_rgbd(
    intrinsic_matrix: Any,
    depth: Any,
    rgb: Any = None,
    normalize_rgb: bool = False,
    position: Any = None,
    orientation: Any = None,
    device: str | None = None,
    num_channels: int = 3,
) -> tuple[Any, Any]:
    """The points that a depth picture shows, in the colours of another picture; pixels without a depth are left out.

    Args:
        intrinsic_matrix: (3, 3) of the camera, pixels, from the corner of the picture on.
        depth: (H, W) distances from the image plane, m.
        rgb: (H, W, 3 or 4) of the same camera, 0 to 255; or one colour for all points, three numbers; or ``None``:
            black.
        normalize_rgb: whether colours are divided by 255.
        position: of the camera, (3,), m; points are in the camera's frame by default.
        orientation: of the camera, (4,), (w, x, y, z) of axes x right, y down, z forward.
        device: where to compute; that of the depth by default.
        num_channels: 3, or 4 for a last channel of ones.

    Returns:
        (P, 3) points, m, and (P, num_channels) colours, float32; NumPy arrays if the depth is one, else the user's.

    Raises:
        ValueError: shapes are none of these, or ``num_channels`` is neither 3 nor 4.
    """
    if num_channels not in (3, 4):
        raise ValueError(f"num_channels={num_channels}: must be 3 or 4")
    if rgb is None:
        rgb = (0.0, 0.0, 0.0)
    depth, (matrix, position, orientation, rgb), back = _taken(
        depth, device, intrinsic_matrix, position, orientation, rgb
    )
    xp, rgb = namespace(depth), cast(rgb, "float32")
    points = _points(matrix, depth, position, orientation)
    if rgb.ndim == 1 and rgb.shape[0] == 3:
        colors = xp.zeros_like(points) + rgb
    elif rgb.ndim == 3 and tuple(rgb.shape[:2]) == tuple(depth.shape) and rgb.shape[2] in (3, 4):
        colors = xp.swapaxes(rgb[..., :3], 0, 1).reshape(-1, 3)
    else:
        raise ValueError(
            f"rgb has shape {tuple(rgb.shape)}; it must be {tuple(depth.shape)} and 3 or 4 channels, or three numbers"
        )
    colors = colors / 255.0 if normalize_rgb else colors
    valid = _valid(points)
    points, colors = points[valid], colors[valid]
    if num_channels == 4:
        colors = xp.concatenate([colors, xp.ones_like(colors[:, :1])], -1)
    return back(points), back(colors)


def save_images_to_file(images: Any, file_path: str) -> None:
    """Write pictures side by side, in a grid that is about as wide as high, into one file.

    Args:
        images: (B, H, W, 1, 3 or 4), 0 to 1.
        file_path: of the file; what it ends with says its format.

    Raises:
        ValueError: shapes are none of these, or there is no picture.
    """
    from PIL import Image

    given = np.asarray(accept(images, "cpu"), float)
    if given.ndim != 4 or given.shape[3] not in (1, 3, 4) or not all(given.shape):
        raise ValueError(f"images have shape {tuple(given.shape)}; it must be (B, H, W, 1, 3 or 4), none of them 0")
    count, height, width, channels = given.shape
    columns = max(round(math.sqrt(count)), 1)
    rows = -(-count // columns)
    sheet = np.zeros((rows * (height + BORDER) + BORDER, columns * (width + BORDER) + BORDER, channels))
    for i, image in enumerate(given):
        row, column = divmod(i, columns)
        top, left = BORDER + row * (height + BORDER), BORDER + column * (width + BORDER)
        sheet[top : top + height, left : left + width] = image
    bytes_ = np.clip(np.nan_to_num(sheet, posinf=1.0) * 255.0 + 0.5, 0, 255).astype(np.uint8)
    with replacing(file_path) as made:
        Image.fromarray(bytes_[..., 0] if channels == 1 else bytes_).save(made)


def _taken(first: Any, device: str | None, *others: Any) -> tuple[Any, list[Any], Any]:
    """Arrays to compute on, like the first one, and what turns results into what the user gave."""
    numpy = api_of(first) == "numpy"
    if device is None:
        device = device_of(first) if api_of(first) else "cpu"
    taken = [None if one is None else _real(one, device) for one in (first, *others)]

    def back(result: Any) -> Any:
        return np.asarray(accept(result, "cpu")) if numpy else result

    return taken[0], taken[1:], back


def _real(value: Any, device: str) -> Any:
    return cast(array(value, device), "float32")


def _points(matrix: Any, depth: Any, position: Any, orientation: Any) -> Any:
    if depth.ndim != 2:
        raise ValueError(f"depth has shape {tuple(depth.shape)}; it must be (H, W)")
    if tuple(matrix.shape) != (3, 3):
        raise ValueError(f"intrinsic_matrix has shape {tuple(matrix.shape)}; it must be (3, 3)")
    xp, middle = common(matrix)
    half = xp.zeros_like(middle)
    half[:2, 2] = 0.5  # to unproject_depth(), the middle of the first pixel is the origin
    with np.errstate(invalid="ignore"):  # of infinite depths
        points = math_utils.unproject_depth(depth, middle - half)
        return math_utils.transform_points(points, position, orientation)


def _valid(points: Any) -> Any:
    xp, points = common(points)
    return xp.isfinite(points).all(-1)


__all__: Sequence[str] = [
    "create_pointcloud_from_depth",
    "create_pointcloud_from_rgbd",
    "save_images_to_file",
    "transform_points",
]
