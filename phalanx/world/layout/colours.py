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
    all nodes that come before their neighbours (Jones and Plassmann, A parallel graph coloring heuristic, 1993), and
    looks only at those and their neighbours, as a sheet has as many rounds as nodes along its sides.
    """
    start, end = np.concatenate([edges, edges[:, ::-1]]).T
    degree = np.bincount(start, minlength=count)
    rank = np.empty(count, np.int64)
    rank[np.lexsort([np.arange(count), -degree])] = np.arange(count)
    later = rank[start] < rank[end]
    start, end = start[later], end[later]
    end = end[np.argsort(start, kind="stable")]
    many = np.bincount(start, minlength=count)
    first = np.cumsum(many) - many
    waits = np.bincount(end, minlength=count)
    found = np.zeros(count, np.int64)
    taken = np.zeros(count, np.int64)
    ready = np.flatnonzero(waits == 0)
    while len(ready):
        free = ~taken[ready]
        found[ready] = np.log2((free & -free).astype(float)).astype(int)
        each = many[ready]
        told = end[np.repeat(first[ready] - (np.cumsum(each) - each), each) + np.arange(each.sum())]
        np.bitwise_or.at(taken, told, np.repeat(1 << found[ready], each))
        np.subtract.at(waits, told, 1)
        ready = np.unique(told[waits[told] == 0])
    return found
