"""A tree of axis-aligned boxes over the boxes of many items, for finding the items near a place.

Split at the median along the longest side of the items' centres, level by level for all nodes at once: the tree is
balanced, so its depth is known, and it depends on nothing but the boxes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LEAF = 2
"""Most items of a leaf."""


@dataclass
class BoundingTree:
    """Nodes in breadth-first order, the root first.

    ``low`` and ``high`` (n, 3) are the corners of a node's box. ``first`` and ``count`` (n,): a leaf (count > 0) holds
    the items ``order[first:first + count]``; the children of another node (count 0) are ``first`` and ``first + 1``.
    ``depth`` is the number of nodes from the root to the deepest leaf.
    """

    low: np.ndarray
    high: np.ndarray
    first: np.ndarray
    count: np.ndarray
    order: np.ndarray
    depth: int


def bounding_tree(low: np.ndarray, high: np.ndarray) -> BoundingTree:
    """The tree over items with boxes ``low``..``high`` (m, 3), m > 0; the boxes' coordinates must be finite."""
    centre = 0.5 * (low + high)
    order = np.arange(len(low))
    begins, ends = np.array([0]), np.array([len(low)])
    firsts, counts, lows, highs = [], [], [], []
    nodes, depth = 1, 0
    while len(begins):
        depth += 1
        # Ranges of one level are in order and may have gaps, where leaves are: each item's range by its number.
        spans = ends - begins
        items = np.repeat(begins - np.cumsum(spans) + spans, spans) + np.arange(spans.sum())
        starts = np.cumsum(spans) - spans
        lows.append(np.minimum.reduceat(low[order[items]], starts, axis=0))
        highs.append(np.maximum.reduceat(high[order[items]], starts, axis=0))
        split = spans > LEAF
        firsts.append(np.where(split, nodes + 2 * (np.cumsum(split) - split), begins))
        counts.append(np.where(split, 0, spans))
        nodes += 2 * int(split.sum())
        places = centre[order[items]]
        extent = np.maximum.reduceat(places, starts, axis=0) - np.minimum.reduceat(places, starts, axis=0)
        number = np.repeat(np.arange(len(spans)), spans)
        along = places[np.arange(len(items)), extent.argmax(axis=1)[number]]
        order[items] = order[items][np.lexsort((order[items], along, number))]
        middle = (begins + ends) // 2
        begins, ends = (
            np.stack([begins, middle], axis=1)[split].ravel(),
            np.stack([middle, ends], axis=1)[split].ravel(),
        )
    return BoundingTree(
        np.concatenate(lows), np.concatenate(highs), np.concatenate(firsts), np.concatenate(counts), order, depth
    )
