"""Rays by other means: MuJoCo, all triangles one by one, and a walk by distances to a cone. All in float64."""

# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import mujoco
import numpy as np
from narrow.pairs import Solid

from phalanx.components.shape import BOX, CAPSULE, CYLINDER, SPHERE

_TYPES = {
    SPHERE: mujoco.mjtGeom.mjGEOM_SPHERE,
    CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    BOX: mujoco.mjtGeom.mjGEOM_BOX,
    CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
}


def mujoco_rays(solid: Solid, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (n,), inf for misses, and normals (n, 3), of rays in the solid's frame, by ``mj_ray``."""
    spec = mujoco.MjSpec()
    spec.worldbody.add_geom(type=_TYPES[solid.kind], size=(*solid.size, 0.0, 0.0)[:3])
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    distance, normal = np.zeros(len(origins)), np.zeros((len(origins), 3))
    hit = np.zeros(1, np.int32)
    for k in range(len(origins)):
        distance[k] = mujoco.mj_ray(model, data, origins[k], directions[k], None, True, -1, hit, normal[k])
    return np.where(distance < 0, np.inf, distance), normal


def triangle_rays(
    vertices: np.ndarray, faces: np.ndarray, origins: np.ndarray, directions: np.ndarray, both_sides: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances (n,), normals (n, 3) and faces (n,) of rays that hit triangles in front (Möller and Trumbore)."""
    distance = np.full(len(origins), np.inf)
    normal, found = np.zeros((len(origins), 3)), np.full(len(origins), -1)
    for f, (a, b, c) in enumerate(vertices[faces]):
        e, g = b - a, c - a
        n = np.cross(e, g)
        rise = directions @ n
        p = np.cross(directions, g)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = 1.0 / (p @ e)
            s = origins - a
            u = (p * s).sum(1) * scale
            q = np.cross(s, e)
            v = (directions * q).sum(1) * scale
            t = (q @ g) * scale
            hit = (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t < distance) & ((rise < 0) | both_sides)
        distance[hit] = t[hit]
        normal[hit] = n / np.linalg.norm(n) * np.where(rise[hit, None] > 0, -1.0, 1.0)
        found[hit] = f
    return distance, normal, found


def cone_rays(solid: Solid, origins: np.ndarray, directions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distances (n,) and normals (n, 3) by walking as far as the distance to the cone allows."""
    radius, half = solid.size[:2]
    t = np.zeros(len(origins))
    for _ in range(2000):
        t = np.minimum(t + np.maximum(_cone_distance(radius, half, origins + t[:, None] * directions), 0.0), 50.0)
    hit = _cone_distance(radius, half, origins + t[:, None] * directions) < 1e-9
    points = origins + np.where(hit, t, 0.0)[:, None] * directions
    step = 1e-6
    normal = np.stack(
        [
            _cone_distance(radius, half, points + step * axis) - _cone_distance(radius, half, points - step * axis)
            for axis in np.eye(3)
        ],
        axis=1,
    )
    return np.where(hit, t, np.inf), normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)


def _cone_distance(radius: float, half: float, points: np.ndarray) -> np.ndarray:
    """Signed distance to a cone: of its profile, a triangle."""
    x, z = np.hypot(points[:, 0], points[:, 1]), points[:, 2]
    slant = np.array([-radius, 2.0 * half]) / np.hypot(radius, 2.0 * half)
    along = np.clip((x - radius) * slant[0] + (z + half) * slant[1], 0.0, np.hypot(radius, 2.0 * half))
    wall = np.hypot(x - radius - along * slant[0], z + half - along * slant[1])
    base = np.hypot(np.maximum(x - radius, 0.0), z + half)
    inside = (z > -half) & (x * slant[1] - (z - half) * slant[0] < 0.0)
    return np.where(inside, -1.0, 1.0) * np.minimum(wall, base)
