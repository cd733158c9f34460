"""What a ray hits."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import simulation
from phalanx.facade.isaacsim.core.utils.rotations import quat_to_rot_matrix

NOTHING = 10000.0
"""The distance that is told where nothing was hit."""


def ray_cast(
    position: np.ndarray, orientation: np.ndarray, offset: np.ndarray, max_dist: float = 100.0
) -> tuple[str | None, float]:
    """The first thing in the way of a ray along a frame's x axis, in any environment of the running simulation.

    Args:
        position: of the frame in the world, (3,), m.
        orientation: of the frame, quaternion (w, x, y, z).
        offset: where the ray starts, in the frame, (3,), m.
        max_dist: how far to look, m.

    Returns:
        Path of the prim of the rigid body or static collider, and the distance in m; ``(None, 10000.0)`` for nothing.

    Raises:
        RuntimeError: no simulation is running.
    """
    stage_world = simulation.stage_world()
    if stage_world is None:
        raise RuntimeError("there is no simulation: call reset() of a World or a SimulationContext first")
    if stage_world.is_empty and not stage_world.scene.grounds:
        return None, NOTHING
    turn = quat_to_rot_matrix(np.asarray(orientation, float))
    start = np.asarray(position, float) + turn @ np.asarray(offset, float)
    origins = (start - stage_world.origins)[:, None, :]
    directions = np.broadcast_to(turn[:, 0], origins.shape)
    hits = stage_world.world.queries.raycast(origins, directions, max_dist)
    distances = _host(hits.distance)[:, 0]
    env = int(np.argmin(distances))
    if not np.isfinite(distances[env]):
        return None, NOTHING
    actor, body = int(_host(hits.actor)[env, 0]), int(_host(hits.body)[env, 0])
    return stage_world.path_of(actor, body, env), float(distances[env])


def _host(array: Any) -> np.ndarray:
    return array if isinstance(array, np.ndarray) else array.get()


__all__ = ["ray_cast"]
