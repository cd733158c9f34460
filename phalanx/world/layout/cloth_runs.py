"""Nodes of cloth in runs, and what they see in the order in which threads of GPUs read it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import phalanx.components as c
from phalanx.components.cloth_run import BENDS, CORNERS, LANES, MOST_NODES, RUN
from phalanx.world.layout.columns import Columns


def put_runs(columns: Columns, colours: Sequence[tuple[int, int]], nodes: int) -> dict[c.Table, int]:
    """Append runs of all colours, first place in ``NodeOrder`` and number of nodes each, and tell rows of their tables.

    Where an environment has too many ``nodes`` there is none.
    """
    if nodes > MOST_NODES or not colours:
        return dict.fromkeys((c.ClothColour, c.ClothRun, c.ClothRunNode, c.ClothRunCorner, c.ClothRunBend), 0)
    order = columns.rows(c.NodeOrder.node)
    corners = _Rows(columns, (c.ClothNode.first_corner, c.ClothNode.end_corner), CORNERS)
    bends = _Rows(columns, (c.ClothNode.first_bend, c.ClothNode.end_bend), BENDS)
    of_run: list[np.ndarray] = []
    ends = [0]
    for first, count in colours:
        for at in range(first, first + count, RUN):
            found = order[at : min(at + RUN, first + count)]
            of_run.append(np.concatenate([found, np.full(RUN - len(found), -1 - found[-1])]))
            corners.add(found)
            bends.add(found)
        ends.append(len(of_run))
    node = np.array(of_run, np.int64).reshape(-1)
    there = np.where(node < 0, -1 - node, node)
    taken, own = corners.rows(there)
    more = {
        c.ClothRunCornerShape.others: _or(columns.rows(c.ClothCornerTopology.others), taken, own[:, None]),
        c.ClothRunCornerShape.inverse: _or(columns.rows(c.ClothCornerShape.inverse), taken, 0.0),
        c.ClothRunCornerShape.area: _or(columns.rows(c.ClothCornerShape.area), taken, 0.0),
    }
    taken, own = bends.rows(there)
    more[c.ClothRunBendTopology.other] = _or(columns.rows(c.ClothBendTopology.other), taken, own)
    more[c.ClothRunBendTopology.weight] = _or(columns.rows(c.ClothBendTopology.weight), taken, 0.0)
    columns.extend(
        {
            c.ClothColourRuns.first: np.array(ends[:-1], np.int64),
            c.ClothColourRuns.end: np.array(ends[1:], np.int64),
            c.ClothRunTopology.first_corner: np.array(corners.ends[:-1], np.int64),
            c.ClothRunTopology.end_corner: np.array(corners.ends[1:], np.int64),
            c.ClothRunTopology.first_bend: np.array(bends.ends[:-1], np.int64),
            c.ClothRunTopology.end_bend: np.array(bends.ends[1:], np.int64),
            c.ClothRunNodeTopology.node: node,
            c.ClothRunNodeTopology.body: columns.rows(c.NodeTopology.body)[there],
            c.ClothRunNodeTopology.surface: columns.rows(c.NodeTopology.surface)[there],
            c.ClothRunNodeTopology.bend: columns.rows(c.ClothNode.bend)[there],
            **more,
        }
    )
    return {
        c.ClothColour: len(colours),
        c.ClothRun: len(of_run),
        c.ClothRunNode: len(node),
        c.ClothRunCorner: corners.ends[-1],
        c.ClothRunBend: bends.ends[-1],
    }


class _Rows:
    """Rows of a table that nodes have, shared out to threads: LANES of a node side by side, in turns."""

    def __init__(self, columns: Columns, bounds: tuple[c.Field, c.Field], at_once: int) -> None:
        self._first, self._end = columns.rows(bounds[0]), columns.rows(bounds[1])
        self._at_once = at_once
        self._taken: list[np.ndarray] = []
        self.ends = [0]
        """Where runs end, after a 0."""

    def add(self, nodes: np.ndarray) -> None:
        """The next run."""
        counts = self._end[nodes] - self._first[nodes]
        turns = -(-int(counts.max()) // (LANES * self._at_once)) * self._at_once
        taken = np.full((turns, RUN, LANES), -1)
        for k, node in enumerate(nodes):
            place = np.arange(counts[k])
            taken[place // LANES, k, place % LANES] = self._first[node] + place
        self._taken.append(taken.reshape(-1))
        self.ends.append(self.ends[-1] + taken.size)

    def rows(self, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each thread's turn the row that it takes, -1: none, and its node, of RUN ``nodes`` for each run."""
        each = nodes.reshape(-1, RUN, 1) + np.zeros(LANES, np.int64)
        own = [np.tile(one.reshape(-1), len(taken) // one.size) for one, taken in zip(each, self._taken, strict=True)]
        return np.concatenate([*self._taken, np.zeros(0, np.int64)]), np.concatenate([*own, np.zeros(0, np.int64)])


def _or(values: np.ndarray, rows: np.ndarray, otherwise: np.ndarray | float) -> np.ndarray:
    """Values of rows, and something else where there is none."""
    none = (rows < 0).reshape(-1, *[1] * (values.ndim - 1))
    return np.where(none, otherwise, values[np.maximum(rows, 0)])
