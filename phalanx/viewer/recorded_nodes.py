"""Nodes of deformable bodies of a recording, some samples read ahead."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from phalanx.io.reading.errors import LoadError
from phalanx.io.recordings.replay import Recording

KEPT = 1 << 25
"""Bytes of positions of a body that are kept, about."""


class RecordedNodes:
    """Where nodes were.

    Args:
        recording: from :func:`phalanx.open_recording`.
        names: of the deformable bodies, in the order of snapshots.

    Raises:
        LoadError: positions of nodes were not recorded.
    """

    def __init__(self, recording: Recording, names: Iterable[str]) -> None:
        self._recording, self._names = recording, list(names)
        self._blocks: dict[str, tuple[tuple[int, ...], int, np.ndarray]] = {}
        for name in self._names:
            body = recording.deformables.get(name)
            if body is None or "origin" not in body or "node_offset" not in body:
                raise LoadError(f"{recording.path}: where the nodes of {name!r} were was not recorded.")

    def between(self, before: int, after: int, share: float, envs: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of each body (k, nodes, 3) float32, m, between two samples; a share of 1 is the second."""
        made = []
        for name in self._names:
            a, b = self._sample(name, before, envs), self._sample(name, after, envs)
            made.append((a + np.float32(share) * (b - a)).astype(np.float32))
        return tuple(made)

    def _sample(self, name: str, number: int, envs: np.ndarray) -> np.ndarray:
        chosen = tuple(int(env) for env in envs)
        block = self._blocks.get(name)
        if block is None or block[0] != chosen or not block[1] <= number < block[1] + len(block[2]):
            body, last = self._recording.deformables[name], self._recording.num_samples
            length = max(2, min(256, KEPT // (12 * len(chosen) * len(body.mesh.nodes))))
            start = max(0, number - length // 4)
            part = slice(start, min(start + length, last))
            places = body["origin"][envs, part][:, :, None] + body["node_offset"][envs, part]
            block = self._blocks[name] = (chosen, start, np.asarray(places, np.float32).swapaxes(0, 1))
        return block[2][number - block[1]]
