"""Chains of nodes that ropes are made of, and how they resist bending."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from phalanx.io.reading.errors import LoadError

SHORTEST = 1e-6
"""A segment shorter than this part of the rope is none."""

SHARPEST = 0.5
"""Cosine of the most that a rope which is curved at rest turns by at a node."""


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

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """(segments, 3) each, dimensionless: tangents, and directors across them without twist, of length 1.

        From one segment to the next, a director turns by the smallest rotation that takes tangent to tangent.
        """
        tangents = np.diff(self.nodes, axis=0) / self.lengths[:, None]
        across = np.eye(3)[np.argmin(np.abs(tangents[0]))]
        directors = [across - across @ tangents[0] * tangents[0]]
        for old, new in pairwise(tangents):
            last = directors[-1] / np.linalg.norm(directors[-1])
            carried = last - last @ new / max(1 + old @ new, 1e-6) * (old + new)
            directors.append(carried - carried @ new * new)
        found = np.array(directors)
        return tangents, found / np.linalg.norm(found, axis=1, keepdims=True)

    def curvature(self, curved: bool) -> np.ndarray:
        """(n, 3), dimensionless: at inner nodes the sine of the angle at rest along both directors, and its cosine.

        Args:
            curved: whether it rests as its nodes are; if not, straight.

        Raises:
            LoadError: it is curved, and turns by a right angle or more at a node.
        """
        found = np.tile([0.0, 0.0, 1.0], (len(self.nodes), 1))
        if not curved:
            return found
        tangents, directors = self.frames()
        others = np.cross(tangents, directors)
        cosines = (tangents[1:] * tangents[:-1]).sum(axis=1)
        sharp = np.flatnonzero(cosines < SHARPEST)
        if len(sharp):
            raise LoadError(
                f"{self.source}: at node {sharp[0] + 1} a rope that is curved at rest turns by "
                f"{np.degrees(np.arccos(np.clip(cosines[sharp[0]], -1, 1))):.0f} degrees; at most "
                f"{np.degrees(np.arccos(SHARPEST)):.0f} are possible, with more nodes a bend turns less at each"
            )
        for axis, m in enumerate((directors, others)):
            found[1:-1, axis] = ((tangents[1:] * m[:-1]).sum(axis=1) - (tangents[:-1] * m[1:]).sum(axis=1)) / 2
        found[1:-1, 2] = cosines
        return found

    def to_dict(self) -> dict[str, Any]:
        """Plain data, JSON-ready."""
        return {"line": self.nodes.tolist(), "source": self.source}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RopeLine:
        """What :meth:`to_dict` returned."""
        return cls(np.array(data["line"], float), data["source"])
