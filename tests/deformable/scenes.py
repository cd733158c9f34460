"""Worlds with soft bodies that several tests share, and what is measured of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from oracles import host

import phalanx as px
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.deformables.soft_body import SoftBody
from phalanx.world.layout.colours import mesh_edges


def world(**settings: Any) -> px.World:
    """A world in float64, if nothing else is said."""
    return px.World(**{"dtype": "float64", "dt": 0.01, **settings})


def cube(made: px.World, half: float = 0.05, height: float = 0.0, resolution: int = 4, **options: Any) -> SoftBody:
    """A soft cube whose lower face is at a height."""
    given = {"youngs_modulus": 1e5, "position": (0.0, 0.0, height + half), **options}
    return made.add_soft_body(px.Shape("box", (half, half, half)), resolution=resolution, **given)


def momentum(body: DeformableBody) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Centre of mass, momentum, and angular momentum about the world's origin, of each environment."""
    mass = body.node_mass.astype(float)[..., None]
    pos, vel = body.node_pos.astype(float), body.node_vel.astype(float)
    whole = mass.sum(axis=1)
    return (mass * pos).sum(axis=1) / whole, (mass * vel).sum(axis=1), np.cross(pos, mass * vel).sum(axis=1)


def volumes(body: SoftBody) -> np.ndarray:
    """(n, tetrahedra): signed, m^3."""
    p = body.node_pos.astype(float)[:, body.mesh.tets]
    return np.linalg.det(p[:, :, 1:] - p[:, :, :1]) / 6


def spread(values: np.ndarray) -> float:
    """The largest absolute number."""
    return float(np.abs(values).max())


def crossings(bodies: Iterable[DeformableBody], env: int = 0) -> int:
    """Pairs of an edge and a triangle without a common node that cross each other, one by one (Moller and Trumbore).

    Of a body with a collision mesh that counts.
    """
    points, faces, sides, done = [], [], [], 0
    for body in bodies:
        surface, pos = np.asarray(body.part.mesh.surface), host(body.node_pos)
        if isinstance(body, SoftBody) and body.collision_mesh is not None:
            surface, pos = body.collision_mesh.touching.surface, host(body.collision_pos)[:, body.collision_mesh.points]
        points.append(pos[env].astype(float))
        faces.append(surface + done)
        sides.append(mesh_edges(surface) + done)
        done += pos.shape[1]
    pos, triangles, edges = (np.concatenate(each) for each in (points, faces, sides))
    corner, found = pos[triangles[:, 0]], 0
    first, second = pos[triangles[:, 1]] - corner, pos[triangles[:, 2]] - corner
    for a, b in edges:
        way, away = pos[b] - pos[a], pos[a] - corner
        across = np.cross(way, second)
        size = (first * across).sum(axis=1)
        apart = (triangles != a).all(axis=1) & (triangles != b).all(axis=1) & (np.abs(size) > 1e-18)
        scale = 1 / np.where(apart, size, 1.0)
        u = scale * (away * across).sum(axis=1)
        turned = np.cross(away, first)
        v, t = scale * (turned @ way), scale * (second * turned).sum(axis=1)
        found += int((apart & (u >= 0) & (v >= 0) & (u + v <= 1) & (t >= 0) & (t <= 1)).sum())
    return found
