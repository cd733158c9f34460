"""What a ray from the camera meets first of what was shown last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phalanx.maths.arrays import inverse, rotate
from phalanx.viewer.meshes import Batch

MOST = 300_000
"""Triangles of a mesh that is tried; larger ones, such as terrain, would take too long to be searched one by one."""


class MeshTargets:
    """Meshes of batches, for rays.

    Args:
        batches: of meshes.
    """

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._batches = [batch for batch in batches if 0 < len(batch.faces) <= MOST]
        self._corners: dict[int, np.ndarray] = {}

    def first(self, poses: np.ndarray, origin: np.ndarray, way: np.ndarray) -> tuple[float, int, int] | None:
        """The nearest hit.

        Args:
            poses: (k, bodies, 7), m, of all bodies in the environments that are seen.
            origin, way: (3,) each: where the ray begins, m, and where it goes.

        Returns:
            Length along the ray in lengths of ``way``, body, and place of its environment; ``None`` without a hit.
        """
        best: tuple[float, int, int] | None = None
        for number, batch in enumerate(self._batches):
            position, orientation = (part.astype(float) for part in batch.poses(poses))
            scales = np.tile(batch.scales.astype(float), (len(poses), 1))
            back = inverse(orientation)
            with np.errstate(divide="ignore", invalid="ignore"):
                starts = rotate(back, origin - position) / scales
                ways = rotate(back, np.broadcast_to(way, position.shape)) / scales
                near = _enters(starts, ways, batch.vertices.min(axis=0), batch.vertices.max(axis=0))
            for instance in np.argsort(near):
                if not near[instance] < (np.inf if best is None else best[0]):
                    break
                if number not in self._corners:
                    self._corners[number] = batch.vertices[batch.faces].astype(float)
                at = meets(self._corners[number], starts[instance], ways[instance])
                if at < (np.inf if best is None else best[0]):
                    place, of = divmod(int(instance), len(batch.bodies))
                    best = at, int(batch.bodies[of]), place
        return best


def meets(corners: np.ndarray, origin: np.ndarray, way: np.ndarray) -> float:
    """Length along a ray, in lengths of ``way``, to the nearest of triangles (f, 3, 3) from either side, or inf."""
    first, edge, other = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(way, other)
    size = (edge * across).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        shift = origin - first
        u = (shift * across).sum(axis=1) / size
        turned = np.cross(shift, edge)
        v = turned @ way / size
        length = (turned * other).sum(axis=1) / size
        hit = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (length > 0.0)
    return float(length[hit].min()) if hit.any() else np.inf


def _enters(origins: np.ndarray, ways: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(n,) where rays enter a box, 0 from inside, or inf where they miss it; nan counts as a miss."""
    one, other = (low - origins) / ways, (high - origins) / ways
    enters = np.nan_to_num(np.minimum(one, other), nan=-np.inf).max(axis=1)
    leaves = np.nan_to_num(np.maximum(one, other), nan=np.inf).min(axis=1)
    met = (leaves >= np.maximum(enters, 0.0)) & np.isfinite(origins).all(axis=1) & np.isfinite(ways).all(axis=1)
    return np.where(met, np.maximum(enters, 0.0), np.inf)
