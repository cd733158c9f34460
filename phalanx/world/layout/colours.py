"""Colours of nodes that see each other: those of one colour are moved at once."""

from __future__ import annotations

import numpy as np


def mesh_edges(elements: np.ndarray) -> np.ndarray:
    """(n, 2): pairs of nodes that some element (m, k) has both of, the lower number first."""
    k = elements.shape[1]
    pairs = np.concatenate([elements[:, [a, b]] for a in range(k) for b in range(a)])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def colours(count: int, edges: np.ndarray) -> np.ndarray:
    """(count,): the colour of each node, so that no edge (n, 2) has two ends of one colour.

    Node after node, those of most neighbours first, gets the least colour that no neighbour has. In rounds: each takes
    all nodes that come before their neighbours (Jones and Plassmann, A parallel graph coloring heuristic, 1993).
    """
    start, end = np.concatenate([edges, edges[:, ::-1]]).T
    degree = np.bincount(start, minlength=count)
    rank = np.empty(count, np.int64)
    rank[np.lexsort([np.arange(count), -degree])] = np.arange(count)
    found = np.full(count, -1)
    taken = np.zeros(count, np.int64)
    while (found < 0).any():
        waits = np.zeros(count, bool)
        open_ = (found[start] < 0) & (found[end] < 0)
        waits[start[open_ & (rank[end] < rank[start])]] = True
        ready = (found < 0) & ~waits
        free = ~taken[ready]
        found[ready] = np.log2((free & -free).astype(float)).astype(int)
        told = ready[start]
        np.bitwise_or.at(taken, end[told], 1 << found[start[told]])
        keep = open_ & ~(ready[start] | ready[end])
        start, end = start[keep], end[keep]
    return found
