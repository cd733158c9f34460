"""Random numbers, and random places in view of a camera, from NumPy's global generator (``numpy.random.seed``).

A camera looks along its -z, with its x to the right and its y upwards in the picture.
"""

from __future__ import annotations

import math

import numpy as np

from phalanx.facade.isaacsim.core.utils.rotations import euler_angles_to_quat, quat_to_rot_matrix, rot_matrix_to_quat
from phalanx.facade.isaacsim.core.utils.transformations import (
    get_transform_with_normalized_rotation,
    get_translation_from_target,
)
from phalanx.io.formats.usd.bindings import Prim, Usd, UsdGeom


def get_random_values_in_range(min_range: np.ndarray, max_range: np.ndarray) -> np.ndarray:
    """Numbers, (n,), each uniformly distributed between those of ``min_range`` and ``max_range``, (n,)."""
    least, greatest = np.asarray(min_range, float), np.asarray(max_range, float)
    return least + (greatest - least) * np.random.random_sample(least.shape)


def get_random_translation_from_camera(
    min_distance: float, max_distance: float, fov_x: float, fov_y: float, fraction_to_screen_edge: float
) -> np.ndarray:
    """A random place in view of a camera, (3,), in its frame.

    Args:
        min_distance, max_distance: between which the distance along the optical axis is, uniformly distributed.
        fov_x, fov_y: fields of view, rad.
        fraction_to_screen_edge: how far from the middle of the picture at most: 1 is its edge, in either direction.

    Raises:
        ValueError: a field of view is not between 0 and half a turn, or the fraction not between 0 and 1.
    """
    if not (0.0 < fov_x < math.pi and 0.0 < fov_y < math.pi):
        raise ValueError(f"fov_x={fov_x} and fov_y={fov_y}: must be between 0 and pi")
    if not 0.0 <= fraction_to_screen_edge <= 1.0:
        raise ValueError(f"fraction_to_screen_edge={fraction_to_screen_edge}: must be 0 to 1")
    distance = np.random.uniform(min_distance, max_distance)
    reach = fraction_to_screen_edge * np.tan(0.5 * np.array([fov_x, fov_y]))
    across, up = distance * np.random.uniform(-reach, reach)
    return np.array([across, up, -distance])


def get_random_world_pose_in_view(
    camera_prim: Prim,
    min_distance: float,
    max_distance: float,
    fov_x: float,
    fov_y: float,
    fraction_to_screen_edge: float,
    coord_prim: Prim,
    min_rotation_range: np.ndarray,
    max_rotation_range: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """A random pose in the world, in view of a camera.

    Args:
        camera_prim: the camera.
        min_distance, max_distance, fov_x, fov_y, fraction_to_screen_edge: where in its view, see
            :func:`get_random_translation_from_camera`.
        coord_prim: in whose frame the orientation is drawn.
        min_rotation_range, max_rotation_range: extrinsic Euler angles (3,), rad, between which it is drawn.

    Returns:
        Position (3,), and quaternion (w, x, y, z).
    """
    place = get_random_translation_from_camera(min_distance, max_distance, fov_x, fov_y, fraction_to_screen_edge)
    world = camera_prim.GetStage().GetPseudoRoot()
    position = get_translation_from_target(place, camera_prim, world)
    angles = get_random_values_in_range(min_rotation_range, max_rotation_range)
    frame = np.array(UsdGeom.XformCache(Usd.TimeCode.Default()).GetLocalToWorldTransform(coord_prim)).T
    turn = get_transform_with_normalized_rotation(frame)[:3, :3] @ quat_to_rot_matrix(euler_angles_to_quat(angles))
    return position, rot_matrix_to_quat(turn)


__all__ = ["get_random_translation_from_camera", "get_random_values_in_range", "get_random_world_pose_in_view"]
