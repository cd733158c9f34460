"""Chains of nodes that ropes are made of, and how they resist bending."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError

SHORTEST = 1e-6
"""A segment shorter than this part of the rope is none."""


@dataclass
class RopeLine:
    """The middle line of a rope, cut into segments.

    ``nodes`` (n, 3), m, in order from one end to the other, at least two.

    Raises:
        LoadError: there are fewer than two nodes; one is no number; or two that follow each other are in one place.
    """

    nodes: np.ndarray
    source: str = "rope"

    def __post_init__(self) -> None:
        given = np.asarray(self.nodes, float)
        if given.ndim != 2 or given.shape[1] != 3:
            raise LoadError(f"{self.source}: nodes of a rope are (n, 3), not {given.shape}")
        self.nodes = np.ascontiguousarray(given)
        if len(given) < 2:
            raise LoadError(f"{self.source}: there are {len(given)} nodes; a rope needs at least two")
        wrong = np.flatnonzero(~np.isfinite(given).all(axis=1))
        if len(wrong):
            raise LoadError(f"{self.source}: node {wrong[0]} has a coordinate that is not finite")
        short = np.flatnonzero(self.lengths <= SHORTEST * self.lengths.sum())
        if len(short):
            raise LoadError(
                f"{self.source}: nodes {short[0]} and {short[0] + 1} are in one place, as are {len(short) - 1} other "
                "pairs; leave one of them out"
            )

    @classmethod
    def straight(cls, length: float, segments: int) -> RopeLine:
        """A line along x about the origin, in segments of equal length.

        Raises:
            ValueError: ``segments`` is less than 1, or ``length``, m, is not above 0.
        """
        if segments < 1 or not (length > 0 and np.isfinite(length)):
            raise ValueError(f"a rope of {segments} segments, {length} m long, is none")
        x = np.linspace(-length / 2, length / 2, segments + 1)
        return cls(np.stack([x, np.zeros_like(x), np.zeros_like(x)], axis=1))

    @property
    def lengths(self) -> np.ndarray:
        """(segments,): m."""
        return np.linalg.norm(np.diff(self.nodes, axis=0), axis=1)

    @property
    def length(self) -> float:
        """Of the whole, m."""
        return float(self.lengths.sum())

    @property
    def surface(self) -> np.ndarray:
        """(n,): numbers of the nodes that touch things: all."""
        return np.arange(len(self.nodes))

    def bending(self) -> np.ndarray:
        """(n, 3): entries of the matrix K of bending, 1/m^3: of each node, with the next, and with the one after that.

        Bent with the stiffness B, a rope has the energy ``B / 2 sum_ij K_ij x_i . x_j``: that of the curvature ``(e /
        |e| - d / |d|) / l`` at each inner node, of its edges d and e, whose lengths are those without strain, and l,
        half of the sum of these. There is no moment at ends. As lengths hardly change, turning makes no difference.
        """
        found, lengths = np.zeros((len(self.nodes), 3)), self.lengths
        for i in range(1, len(self.nodes) - 1):
            a, b = lengths[i - 1 : i + 1]
            row = np.array([1 / a, -1 / a - 1 / b, 1 / b])
            form = np.outer(row, row) * 2 / (a + b)
            found[i - 1] += form[0]
            found[i, :2] += form[1, 1:]
            found[i + 1, 0] += form[2, 2]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"line": self.nodes.tolist(), "source": self.source}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RopeLine:
        """What :meth:`to_dict` returned."""
        return cls(np.array(data["line"], float), data["source"])
