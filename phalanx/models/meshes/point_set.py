"""Points that particles start at, and how to fill shapes with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError

GRAIN_DENSITY, FLUID_DENSITY = 1500.0, 1000.0
"""kg/m^3, where none is given."""


def particle_volume(radius: float, fluid: bool) -> float:
    """Volume, m^3, of a particle of a radius, m: a sphere, or a cube of fluid whose side is the distance at rest."""
    return (2 * radius) ** 3 if fluid else 4 / 3 * float(np.pi) * radius**3


@dataclass
class PointSet:
    """Where particles start.

    ``nodes`` (n, 3), m, at least one.

    Raises:
        LoadError: there is no point, or a coordinate is no number.
    """

    nodes: np.ndarray
    source: str = "particles"

    def __post_init__(self) -> None:
        given = np.asarray(self.nodes, float)
        if given.ndim != 2 or given.shape[1] != 3 or not len(given):
            raise LoadError(f"{self.source}: places of particles are (n, 3) with n at least 1, not {given.shape}")
        self.nodes = np.ascontiguousarray(given)
        wrong = np.flatnonzero(~np.isfinite(given).all(axis=1))
        if len(wrong):
            raise LoadError(f"{self.source}: particle {wrong[0]} has a coordinate that is not finite")

    @classmethod
    def grid(cls, counts: Any, spacing: float, jitter: float = 0.0, seed: int = 0) -> PointSet:
        """Points of a cubic lattice about the origin.

        Args:
            counts: (3,), along x, y and z.
            spacing: m.
            jitter: greatest random offset along each axis, m, so that what falls does not fall as a crystal.
            seed: of the offsets.

        Raises:
            ValueError: ``counts`` are not three of at least 1, or ``spacing`` is not above 0.
        """
        sizes = [int(n) for n in counts]
        if len(sizes) != 3 or min(sizes) < 1 or not (spacing > 0 and np.isfinite(spacing)):
            raise ValueError(f"a lattice of {counts} points, {spacing} m apart, is none")
        axes = [spacing * (np.arange(n) - (n - 1) / 2) for n in sizes]
        points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
        return cls(points + np.random.default_rng(seed).uniform(-jitter, jitter, points.shape))

    @property
    def surface(self) -> np.ndarray:
        """(n,): numbers of the points that touch things: all."""
        return np.arange(len(self.nodes))

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"points": self.nodes.tolist(), "source": self.source}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PointSet:
        """What :meth:`to_dict` returned."""
        return cls(np.array(data["points"], float), data["source"])
