"""Trees of eight children a node, in 80 bytes (the layout of Ylitie, Karras and Laine 2017, "Efficient incoherent ray
traversal on GPUs through compressed wide BVHs").

A node is 20 words of 32 bits:

====== ==========================================================================================================
0..2   corner of its grid, float32
3      log2 of the grid's steps along x, y, z, biased by 127, a byte each; the last byte is 0
4      the first of the children that are nodes; they follow one another in the order of their slots
5      the first triangle of the children that are leaves; they follow one another likewise
6      four bits for each child: three of which as many are set, from the lowest, as a leaf has triangles, and one that
       is set for a node. So what is before a child is counted by bits.
7      not used
8..19  boxes of the children in steps of the grid: low x, low y, low z, high x, high y, high z, eight bytes each: those
       of even slots, then those of odd ones
====== ==========================================================================================================

Boxes are rounded outwards by at least a quarter of a step, which covers the rounding of float32 in the test of a ray
that starts near the mesh's box. A slot without a child has low 255 and high 0. Children are put in slots so that slot
numbers, exclusive-or with the signs of a ray's direction, are about the order in which the ray meets them.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from phalanx.rays.binned_sah import half_area

WORDS = 20
"""Words of a node."""

WIDTH = 8

PLACES = np.array([4 * (slot & 1) + (slot >> 1) for slot in range(WIDTH)])
"""Which of eight bytes a slot has."""

LEAF = 3
"""Most triangles of a leaf, for which there are bits."""

TRIANGLES, NODES = 0x77777777, 0x88888888
"""Bits of word 6: of triangles, and of children that are nodes."""

VISIT = 1.2
"""Cost of going into a node, in tests of a triangle."""

TEST = 1.0

STEPS = 250.0
"""Steps of a node's grid along its box, at most; a few more of the 256 are for rounding."""

FINEST = 2.0**-22
"""Least step, of the mesh's size: what rounding of its coordinates needs."""


@numba.njit(cache=True)
def _choose(nodes: Any, links: Any) -> Any:
    """How each node of the binary tree is best made into parts of wide ones, children before parents.

    Returns:
        choice (n, 8) int8: with room for r children, ``choice[:, r - 1]`` of them are for the first child of the binary
        node, and the rest for the second; 0: as with less room. With room for one the node becomes a child itself: a
        leaf if ``choice[:, 0]`` is -1. And size (n,) int32: its items.
    """
    choice = np.zeros((len(links), WIDTH), np.int8)
    cost = np.empty((len(links), WIDTH), np.float32)
    size = np.empty(len(links), np.int32)
    for node in range(len(links) - 1, -1, -1):
        area = half_area(nodes, node)
        if links[node, 1] > 0:
            size[node] = links[node, 1]
            choice[node, 0] = -1
            cost[node, :] = area * np.float32(size[node]) * np.float32(TEST)
            continue
        one = links[node, 0]
        size[node] = size[one] + size[one + 1]
        for room in range(2, WIDTH + 1):
            best = np.float32(np.inf)
            for k in range(1, room):
                c = cost[one, k - 1] + cost[one + 1, room - k - 1]
                if c < best:
                    best = c
                    choice[node, room - 1] = k
            cost[node, room - 1] = best
        cost[node, 0] = cost[node, WIDTH - 1] + area * np.float32(VISIT)
        if size[node] <= LEAF:
            as_leaf = area * np.float32(size[node]) * np.float32(TEST)
            if as_leaf <= cost[node, 0]:
                cost[node, 0] = as_leaf
                choice[node, 0] = -1
        for room in range(2, WIDTH):
            if cost[node, room - 2] <= cost[node, room - 1]:
                cost[node, room - 1] = cost[node, room - 2]
                choice[node, room - 1] = 0
    return choice, size


@numba.njit(cache=True)
def _children(links: Any, choice: Any, node: Any, kids: Any) -> int:
    """The nodes of the binary tree that become a wide node's children."""
    open_ = np.empty((WIDTH + 1, 2), np.int64)
    open_[0, 0], open_[0, 1] = node, WIDTH
    top, count = 1, 0
    while top > 0:
        top -= 1
        one, room = open_[top, 0], open_[top, 1]
        while room > 1 and choice[one, room - 1] == 0:
            room -= 1
        if room == 1:
            kids[count] = one
            count += 1
            continue
        first = np.int64(choice[one, room - 1])
        open_[top, 0], open_[top, 1] = links[one, 0] + 1, room - first
        open_[top + 1, 0], open_[top + 1, 1] = links[one, 0], first
        top += 2
    return count


@numba.njit(cache=True)
def _leaf_items(links: Any, node: Any, items: Any, placed: int) -> int:
    """Append the items below a node of the binary tree; how many there are then."""
    open_ = np.empty(2 * LEAF + 2, np.int64)
    open_[0] = node
    top = 1
    while top > 0:
        top -= 1
        one = open_[top]
        for j in range(links[one, 1]):
            items[placed] = links[one, 0] + j
            placed += 1
        if links[one, 1] == 0:
            open_[top], open_[top + 1] = links[one, 0] + 1, links[one, 0]
            top += 2
    return placed


@numba.njit(cache=True)
def _assign_slots(nodes: Any, node: Any, kids: Any, count: int, slots: Any) -> None:
    """Slots of children: slot s is for what lies towards (-1, -1, -1), with signs changed where bits of s are set."""
    gain = np.empty((WIDTH, WIDTH), np.float32)
    for k in range(count):
        for s in range(WIDTH):
            gain[k, s] = 0.0
            for i in range(3):
                away = nodes[kids[k], i] + nodes[kids[k], 3 + i] - nodes[node, i] - nodes[node, 3 + i]
                gain[k, s] += away if s >> i & 1 else -away
    slots[:] = -1
    placed = np.zeros(WIDTH, np.bool_)
    for _ in range(count):
        best, best_k, best_s = np.float32(-np.inf), -1, -1
        for k in range(count):
            if not placed[k]:
                for s in range(WIDTH):
                    if slots[s] < 0 and (best_k < 0 or gain[k, s] > best):
                        best, best_k, best_s = gain[k, s], k, s
        slots[best_s] = kids[best_k]
        placed[best_k] = True


@numba.njit(cache=True)
def write_boxes(words: Any, bytes_: Any, node: Any, box: Any, whole: Any, finest: float) -> None:
    """Put boxes of children into a node.

    Args:
        words, bytes_: the nodes, as (m, 20) uint32 seen as float32, and as (m, 80) uint8.
        box: (8, 6) of the slots; low > high: empty.
        whole: (6,) of all.
        finest: least step.
    """
    for i in range(3):
        step = max(np.float64(whole[3 + i] - whole[i]) / STEPS, finest)
        exponent = int(np.ceil(np.log2(step)))
        step = 2.0**exponent
        bytes_[node, 12 + i] = np.uint8(exponent + 127)
        corner = np.float32(np.float64(whole[i]) - 1.5 * step)
        words[node, i] = corner
        for s in range(WIDTH):
            low, high = 255.0, 0.0
            if box[s, i] <= box[s, 3 + i]:
                low = np.floor((np.float64(box[s, i]) - np.float64(corner)) / step - 0.25)
                high = np.ceil((np.float64(box[s, 3 + i]) - np.float64(corner)) / step + 0.25)
            bytes_[node, 32 + 8 * i + PLACES[s]] = np.uint8(low)
            bytes_[node, 56 + 8 * i + PLACES[s]] = np.uint8(high)


@numba.njit(cache=True)
def wide_tree(nodes: Any, links: Any) -> Any:
    """The wide tree over a binary one (:func:`~.binned_sah.binary_tree`, leaves of at most :data:`LEAF` items).

    Returns:
        words (m, 20) uint32; items (n,) int32: the binary tree's items in the order of the wide tree's leaves; levels
        (m,) int32 from the root.
    """
    choice, size = _choose(nodes, links)
    most = max(len(links) // 2, 1)
    words = np.zeros((most, WORDS), np.uint32)
    floats, bytes_ = words.view(np.float32), words.view(np.uint8)
    levels = np.zeros(most, np.int32)
    source = np.zeros(most, np.int32)
    items = np.empty(size[0], np.int32)
    pending = np.empty(most, np.int32)
    kids = np.empty(WIDTH, np.int64)
    slots = np.empty(WIDTH, np.int64)
    box = np.empty((WIDTH, 6), np.float32)
    finest = 0.0
    for i in range(3):
        finest = max(finest, np.float64(max(abs(nodes[0, i]), abs(nodes[0, 3 + i]))))
    finest = max(finest * FINEST, 1e-30)
    pending[0] = 0
    top, made, placed = 1, 1, 0
    while top > 0:
        top -= 1
        node = pending[top]
        origin = source[node]
        count = _children(links, choice, origin, kids)
        _assign_slots(nodes, origin, kids, count, slots)
        words[node, 4], words[node, 5] = made, placed
        for s in range(WIDTH):
            kid = slots[s]
            for i in range(6):
                box[s, i] = np.float32(1.0 if i < 3 else -1.0) if kid < 0 else nodes[kid, i]
            if kid < 0:
                continue
            if choice[kid, 0] < 0:
                words[node, 6] |= np.uint32((1 << size[kid]) - 1 << 4 * s)
                placed = _leaf_items(links, kid, items, placed)
            else:
                words[node, 6] |= np.uint32(8 << 4 * s)
                source[made] = kid
                levels[made] = levels[node] + 1
                made += 1
        for child in range(made - 1, words[node, 4] - 1, -1):
            pending[top] = child
            top += 1
        write_boxes(floats, bytes_, node, box, nodes[origin], finest)
    return words[:made], items, levels[:made]


@numba.njit(cache=True)
def refit_nodes(words: Any, triangles: Any) -> None:
    """Fit the boxes of a tree to triangles that have moved; children come after their parents.

    Args:
        words: (m, 20) uint32, changed in place.
        triangles: (n, 12) float32, three corners first, in the order of leaves.
    """
    floats, bytes_ = words.view(np.float32), words.view(np.uint8)
    whole = np.empty((len(words), 6), np.float32)
    box = np.empty((WIDTH, 6), np.float32)
    size = np.float32(0.0)
    for t in range(len(triangles)):
        for i in range(9):
            size = max(size, abs(triangles[t, i]))
    finest = max(np.float64(size) * FINEST, 1e-30)
    for node in range(len(words) - 1, -1, -1):
        child, first = np.int64(words[node, 4]), np.int64(words[node, 5])
        for i in range(3):
            whole[node, i], whole[node, 3 + i] = np.inf, -np.inf
        for s in range(WIDTH):
            for i in range(3):
                box[s, i], box[s, 3 + i] = np.inf, -np.inf
            if words[node, 6] >> np.uint32(4 * s + 3) & 1:
                for i in range(6):
                    box[s, i] = whole[child, i]
                child += 1
            else:
                for k in range(LEAF):
                    if words[node, 6] >> np.uint32(4 * s + k) & 1:
                        for i in range(9):
                            box[s, i % 3] = min(box[s, i % 3], triangles[first, i])
                            box[s, 3 + i % 3] = max(box[s, 3 + i % 3], triangles[first, i])
                        first += 1
            for i in range(3):
                whole[node, i] = min(whole[node, i], box[s, i])
                whole[node, 3 + i] = max(whole[node, 3 + i], box[s, 3 + i])
        write_boxes(floats, bytes_, node, box, whole[node], finest)
