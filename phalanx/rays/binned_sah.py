"""Binary trees of boxes by the surface area heuristic, split at bins (Wald 2007, "On fast construction of SAH-based
bounding volume hierarchies").

The expected cost of a node is that of its children, each times its surface over the node's: the chance that a ray
through the node meets it. A split is chosen among the borders of :data:`BINS` bins along each axis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.ecs.cache.kernels import kept

BINS = 24
"""Bins along each axis of a node's centres."""

VISIT = 1.0
"""Cost of going into a node, in tests of a triangle."""


@kept(inline="always")
def half_area(box: Any, k: int) -> Any:
    """Half the surface of ``box[k]`` = low x, y, z, high x, y, z."""
    x = box[k, 3] - box[k, 0]
    y = box[k, 4] - box[k, 1]
    z = box[k, 5] - box[k, 2]
    return x * y + y * z + z * x


@kept()
def _empty(box: Any, k: int) -> None:
    for i in range(3):
        box[k, i] = np.float32(np.inf)
        box[k, 3 + i] = np.float32(-np.inf)


@kept(inline="always")
def _grow(box: Any, k: int, other: Any, j: int) -> None:
    for i in range(3):
        box[k, i] = min(box[k, i], other[j, i])
        box[k, 3 + i] = max(box[k, 3 + i], other[j, 3 + i])


@kept()
def _best_split(box: Any, begin: int, end: int, least: Any, scale: Any, bins: Any, counts: Any, right: Any) -> Any:
    """Axis, border and cost (times the node's surface) of the best split of items ``begin``..``end``; axis -1: none."""
    for axis in range(3):
        for b in range(BINS):
            counts[axis, b] = 0
            _empty(bins[axis], b)
    for j in range(begin, end):
        for axis in range(3):
            b = min(int((box[j, axis] + box[j, 3 + axis] - least[axis]) * scale[axis]), BINS - 1)
            counts[axis, b] += 1
            _grow(bins[axis], b, box, j)
    best, best_axis, best_border = np.float32(np.inf), -1, 0
    side = np.empty((1, 6), np.float32)
    for axis in range(3):
        if scale[axis] == 0.0:
            continue
        _empty(side, 0)
        number = 0
        for b in range(BINS - 1, 0, -1):
            _grow(side, 0, bins[axis], b)
            number += counts[axis, b]
            right[b] = half_area(side, 0) * np.float32(number) if number else np.float32(np.inf)
        _empty(side, 0)
        number = 0
        for b in range(BINS - 1):
            _grow(side, 0, bins[axis], b)
            number += counts[axis, b]
            if number:
                cost = half_area(side, 0) * np.float32(number) + right[b + 1]
                if cost < best:
                    best, best_axis, best_border = cost, axis, b + 1
    return best_axis, best_border, best


@kept()
def _swap(box: Any, order: Any, a: int, b: int) -> None:
    for i in range(6):
        box[a, i], box[b, i] = box[b, i], box[a, i]
    order[a], order[b] = order[b], order[a]


@kept()
def binary_tree(box: Any, most: int, deep: int) -> Any:
    """The tree over items with boxes ``box`` (n, 6) float32, n > 0, finite; sorted in place into the leaves' order.

    Args:
        box: low x, y, z, high x, y, z of each item.
        most: items in a leaf, at most.
        deep: below so many levels, items are halved whatever it costs, so that the depth is bounded.

    Returns:
        nodes (m, 6) float32 as ``box``; links (m, 2) int32: the first of two children, which are neighbours, and 0, or
        the leaf's first item and its number of items; order (n,) int32 of the items.
    """
    n = len(box)
    nodes = np.empty((2 * n, 6), np.float32)
    links = np.zeros((2 * n, 2), np.int32)
    order = np.arange(n).astype(np.int32)
    bins = np.empty((3, BINS, 6), np.float32)
    counts = np.zeros((3, BINS), np.int64)
    right = np.empty(BINS, np.float32)
    least = np.empty(3, np.float32)
    greatest = np.empty(3, np.float32)
    scale = np.empty(3, np.float32)
    pending = np.empty((deep + 64, 4), np.int64)  # node, first item, one past the last, level
    pending[0, 0], pending[0, 1], pending[0, 2], pending[0, 3] = 0, 0, n, 0
    top, made = 1, 1
    while top > 0:
        top -= 1
        node, begin, end, level = pending[top, 0], pending[top, 1], pending[top, 2], pending[top, 3]
        count = end - begin
        _empty(nodes, node)
        least[:] = np.inf
        greatest[:] = -np.inf
        for j in range(begin, end):
            _grow(nodes, node, box, j)
            for i in range(3):
                middle = box[j, i] + box[j, 3 + i]
                least[i] = min(least[i], middle)
                greatest[i] = max(greatest[i], middle)
        for i in range(3):
            wide = greatest[i] - least[i]
            scale[i] = np.float32(BINS) * np.float32(0.99999) / wide if wide > 1e-30 else np.float32(0.0)
        axis = -1
        border = 0
        cost = np.float32(np.inf)
        if count > 1 and level < deep:
            axis, border, cost = _best_split(box, begin, end, least, scale, bins, counts, right)
        area = half_area(nodes, node)
        if count == 1 or (count <= most and not VISIT * area + cost < np.float32(count) * area):
            links[node, 0], links[node, 1] = begin, count
            continue
        split = begin
        if axis >= 0:
            back = end - 1
            while split <= back:
                b = int((box[split, axis] + box[split, 3 + axis] - least[axis]) * scale[axis])
                if min(b, BINS - 1) < border:
                    split += 1
                else:
                    _swap(box, order, split, back)
                    back -= 1
        if not begin < split < end:  # centres coincide, or deep enough: halve
            split = begin + count // 2
        links[node, 0] = made
        for side in range(2):
            pending[top, 0] = made + 1 - side
            pending[top, 1] = split if side == 0 else begin
            pending[top, 2] = end if side == 0 else split
            pending[top, 3] = level + 1
            top += 1
        made += 2
    return nodes[:made], links[:made], order
