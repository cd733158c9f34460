"""Cameras: depth and points through a pinhole, where a camera looks, and whose axes its orientation means.

Intrinsics are matrices [[fx, 0, cx], [0, fy, cy], [0, 0, 1]] in pixels; the middle of the first pixel is at (0, 0).
Points are in the camera's frame with x right, y down, z forward, in m.
"""

from typing import Literal

from phalanx.facade.isaaclab.utils.math.general import cross, length, normalize
from phalanx.facade.isaaclab.utils.math.quaternions import quat_conjugate, quat_mul
from phalanx.facade.namespaces import Array, array, common, copy

_FROM_OPENGL = {
    "opengl": (1.0, 0.0, 0.0, 0.0),
    "ros": (0.0, 1.0, 0.0, 0.0),  # half a turn about x
    "world": (0.5, -0.5, 0.5, 0.5),  # x' = -z, y' = -x, z' = y
}


def orthogonalize_perspective_depth(depth: Array, intrinsics: Array) -> Array:
    """Distances from the image plane out of distances from the camera's centre.

    Args:
        depth: distances from the centre, (H, W), (H, W, 1), (N, H, W) or (N, H, W, 1), m.
        intrinsics: (3, 3), or (N, 3, 3), one for each image.

    Returns:
        Distances along the optical axis, in the shape of ``depth``.

    Raises:
        ValueError: shapes are none of these.
    """
    xp, depth, intrinsics = common(depth, intrinsics)
    images = _images(depth)
    rays = _rays(images, intrinsics)
    return (images / xp.sqrt(xp.sum(rays * rays, -1))).reshape(depth.shape)


def unproject_depth(depth: Array, intrinsics: Array, is_ortho: bool = True) -> Array:
    """The points that depth images show.

    Args:
        depth: (H, W), (H, W, 1), (N, H, W) or (N, H, W, 1), m.
        intrinsics: (3, 3), or (N, 3, 3), one for each image.
        is_ortho: whether ``depth`` is measured from the image plane, or else from the camera's centre.

    Returns:
        Points, (H · W, 3) or (N, H · W, 3), column by column: the rows of an image follow each other fastest.

    Raises:
        ValueError: shapes are none of these.
    """
    xp, depth, intrinsics = common(depth, intrinsics)
    if not is_ortho:
        depth = orthogonalize_perspective_depth(depth, intrinsics)
    images = _images(depth)
    points = xp.swapaxes(_rays(images, intrinsics) * images[..., None], 1, 2)
    points = points.reshape(points.shape[0], -1, 3)
    alone = depth.ndim == 2 or (depth.ndim == 3 and depth.shape[-1] == 1)
    return points[0] if alone and points.shape[0] == 1 else points


def project_points(points: Array, intrinsics: Array) -> Array:
    """Where points, (P, 3) or (N, P, 3), appear: (u, v, z), pixels and the distance from the image plane in m.

    Args:
        points: in the camera's frame.
        intrinsics: (3, 3) or (N, 3, 3).
    """
    xp, points, intrinsics = common(points, intrinsics)
    seen = points @ xp.swapaxes(intrinsics, -1, -2)
    return xp.concatenate([seen[..., :2] / seen[..., 2:3], seen[..., 2:3]], -1)


def _images(depth: Array) -> Array:
    """Depth as (N, H, W). Of three dimensions a last one of 1 is a channel."""
    if depth.ndim == 4 and depth.shape[-1] == 1:
        return depth[..., 0]
    if depth.ndim == 3:
        return depth[..., 0][None] if depth.shape[-1] == 1 else depth
    if depth.ndim == 2:
        return depth[None]
    raise ValueError(f"depth has shape (H, W), (H, W, 1), (N, H, W) or (N, H, W, 1), not {tuple(depth.shape)}")


def _rays(images: Array, intrinsics: Array) -> Array:
    """Directions of pixels with z = 1: images (N, H, W) and intrinsics (3, 3) or (N, 3, 3) to (N or 1, H, W, 3)."""
    xp, images, intrinsics = common(images, intrinsics)
    many = intrinsics.ndim == 3 and intrinsics.shape[0] in (1, images.shape[0])
    if tuple(intrinsics.shape[-2:]) != (3, 3) or not (intrinsics.ndim == 2 or many):
        raise ValueError(
            f"intrinsics have shape (3, 3) or (N, 3, 3) with N={images.shape[0]}, not {tuple(intrinsics.shape)}"
        )
    ones = xp.ones_like(images[0])
    v, u = xp.cumsum(ones, 0) - 1.0, xp.cumsum(ones, 1) - 1.0
    inverse = xp.linalg.inv(intrinsics if many else intrinsics[None])
    rays = xp.stack([u, v, ones], -1)[None] @ xp.swapaxes(inverse, -1, -2)[:, None]
    return rays / rays[..., 2:3]


def create_rotation_matrix_from_view(
    eyes: Array, targets: Array, up_axis: Literal["Y", "Z"] = "Z", device: str = "cpu"
) -> Array:
    """Orientations of cameras that look from ``eyes`` to ``targets``, (N, 3), upright.

    Args:
        eyes, targets: points in world, m.
        up_axis: which way is up in world.
        device: where the result is wanted, if points are lists.

    Returns:
        Rotation matrices, (N, 3, 3), to world from the camera's axes: x right, y up, z backwards (OpenGL's). Straight
        up or down, right is as near to the world's x as it can be.

    Raises:
        ValueError: ``up_axis`` is neither Y nor Z.
    """
    if up_axis not in ("Y", "Z"):
        raise ValueError(f'up_axis={up_axis!r}: must be "Y" or "Z"')
    xp, eyes, targets = common(array(eyes, device) if isinstance(eyes, list | tuple) else eyes, targets)
    up = xp.zeros_like(eyes)
    up[..., "XYZ".index(up_axis)] = 1.0
    backwards = normalize(eyes - targets)
    right = cross(up, backwards)
    steep = (length(right) < 1e-4)[..., None]
    x = xp.zeros_like(eyes)
    x[..., 0] = 1.0
    right = normalize(xp.where(steep, x - xp.sum(x * backwards, -1)[..., None] * backwards, right))
    return xp.stack([right, cross(backwards, right), backwards], -1)


def convert_camera_frame_orientation_convention(
    orientation: Array,
    origin: Literal["opengl", "ros", "world"] = "opengl",
    target: Literal["opengl", "ros", "world"] = "ros",
) -> Array:
    """The orientation, (..., 4), that a camera has in another convention for its axes.

    ``"opengl"``: forward is -z, up is +y; ``"ros"``: forward is +z, up is -y; ``"world"``: forward is +x, up is +z.
    Of the two quaternions that stand for it, the result is the one whose largest component is positive, as in Isaac Lab
    2.3.2; where both conventions are the same it is a copy.

    Raises:
        ValueError: a convention is none of these.
    """
    for name in (origin, target):
        if name not in _FROM_OPENGL:
            raise ValueError(f'convention {name!r}: must be "opengl", "ros" or "world"')
    xp, orientation, back, forth = common(orientation, _FROM_OPENGL[origin], _FROM_OPENGL[target])
    if origin == target:
        return copy(orientation)
    turned = quat_mul(orientation, quat_mul(quat_conjugate(back), forth))
    largest = turned[..., :1]
    for i in range(1, 4):
        other = turned[..., i : i + 1]
        largest = xp.where(xp.abs(other) > xp.abs(largest), other, largest)
    return xp.where(largest < 0.0, -turned, turned)
