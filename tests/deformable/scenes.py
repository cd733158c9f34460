"""Worlds with soft bodies that several tests share, and what is measured of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import phalanx as px
from phalanx.world.deformables.body import DeformableBody
from phalanx.world.deformables.soft_body import SoftBody


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
