"""Trees of eight children a node, in 128 bytes: a line of a GPU's cache, two of a CPU's.

A node is 32 words of 32 bits, in eight quarters of a sector:

====== ==========================================================================================================
0..3   high z of the children's boxes
4..6   a place in the middle of its box, float32, from which all sides are counted
7      four bits for each child: three of which as many are set, from the lowest, as a leaf has triangles, and one that
       is set for a node. So what is before a child is counted by bits.
8..11  high x
12..15 low x
16..19 low z
20..23 high y
24     the first of the children that are nodes; they follow one another in the order of their slots
25     the first triangle of the children that are leaves; they follow one another likewise
26..27 not used
28..31 low y
====== ==========================================================================================================

Sides are floats of which 16 bits are kept: in word k of four is that of slot 2 k + 1, and in the last 16 bits that of
slot 2 k. The word as a float is the one, rounded outwards whatever the other adds to its bits; moved up by 16 it is the
other. Low and high differ by one bit of the word's number, another one for each axis, so that the bits of a ray's signs
say where its near sides are.

Boxes are wider by :data:`PADDING`, which covers the rounding of float32 in the test of a ray that starts near the
mesh's box. Children are put in slots so that slot numbers, exclusive-or with the signs of a ray's direction, are about
the order in which the ray meets them (Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal on GPUs
through compressed wide BVHs").
"""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.ecs.cache.kernels import kept
from phalanx.rays.binned_sah import half_area

WORDS = 32
"""Words of a node."""

WIDTH = 8

HIGH_X, HIGH_Y, HIGH_Z = HIGH = 8, 20, 0
LOW_X, LOW_Y, LOW_Z = LOW = 12, 28, 16
"""Words from which on the sides x, y, z are."""

MIDDLE, KINDS, CHILD, TRIANGLE = 4, 7, 24, 25
"""Words of the rest."""

LEAF = 3
"""Most triangles of a leaf, for which there are bits."""

TRIANGLES, NODES = 0x77777777, 0x88888888
"""Bits of :data:`KINDS`: of triangles, and of children that are nodes."""

VISIT = 1.2
"""Cost of going into a node, in tests of a triangle."""

TEST = 1.0

PADDING = 2.0**-20
"""Of the mesh's greatest coordinate: the rounding of half a dozen operations on numbers of that size."""

EMPTY = 0x7F00
"""The low side of a slot without a child, which no ray reaches, as a float32's first 16 bits; high: its opposite."""


@kept()
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


@kept()
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


@kept()
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


@kept()
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


@kept()
def _upper_half(number: Any, rest: Any, one: Any) -> Any:
    """The first 16 bits of the greatest float32 not above a number that has these and, for the others, ``rest``.

    Args:
        one: an array for one float32.
    """
    one[0] = number
    bits = one.view(np.uint32)
    if np.float64(one[0]) > number:  # rounded up
        bits[0] = bits[0] + np.uint32(1) if bits[0] >> np.uint32(31) else bits[0] - np.uint32(1)
    half = bits[0] >> np.uint32(16)
    negative = half >> np.uint32(15)
    if not negative and rest > bits[0] & np.uint32(0xFFFF):
        return half - np.uint32(1) if half else np.uint32(0x8000)
    if negative and rest < bits[0] & np.uint32(0xFFFF):
        return half + np.uint32(1)
    return half


@kept()
def write_boxes(words: Any, node: Any, box: Any, whole: Any, padding: float) -> None:
    """Put boxes of children into a node.

    Args:
        words: the nodes, (m, 32) uint32.
        box: (8, 6) of the slots; low > high: empty.
        whole: (6,) of all.
        padding: added all around.
    """
    one = np.empty(1, np.float32)
    for i in range(3):
        one[0] = 0.5 * (np.float64(whole[i]) + np.float64(whole[3 + i]))
        middle = np.float64(one[0])
        words[node, MIDDLE + i] = one.view(np.uint32)[0]
        for side in range(2):
            for k in range(WIDTH // 2):
                half = np.uint32(0)
                both = np.uint32(0)
                for s in (2 * k, 2 * k + 1):
                    sign = np.uint32(0x8000 * side)
                    if box[s, i] > box[s, 3 + i]:
                        half = np.uint32(EMPTY)
                    elif side == 0:
                        half = _upper_half(np.float64(box[s, i]) - padding - middle, half, one)
                    else:  # the other way round, since a float's sign is a bit of its own
                        half = _upper_half(middle - padding - np.float64(box[s, 3 + i]), half, one)
                    both = both >> np.uint32(16) | (half ^ sign) << np.uint32(16)
                    half = half ^ sign
                words[node, (LOW[i] if side == 0 else HIGH[i]) + k] = both


@kept()
def wide_tree(nodes: Any, links: Any) -> Any:
    """The wide tree over a binary one (:func:`~.binned_sah.binary_tree`, leaves of at most :data:`LEAF` items).

    Returns:
        words (m, 32) uint32; items (n,) int32: the binary tree's items in the order of the wide tree's leaves; levels
        (m,) int32 from the root.
    """
    choice, size = _choose(nodes, links)
    most = max(len(links) // 2, 1)
    words = np.zeros((most, WORDS), np.uint32)
    levels = np.zeros(most, np.int32)
    source = np.zeros(most, np.int32)
    items = np.empty(size[0], np.int32)
    pending = np.empty(most, np.int32)
    kids = np.empty(WIDTH, np.int64)
    slots = np.empty(WIDTH, np.int64)
    box = np.empty((WIDTH, 6), np.float32)
    padding = 0.0
    for i in range(3):
        padding = max(padding, np.float64(max(abs(nodes[0, i]), abs(nodes[0, 3 + i]))) * PADDING)
    pending[0] = 0
    top, made, placed = 1, 1, 0
    while top > 0:
        top -= 1
        node = pending[top]
        origin = source[node]
        count = _children(links, choice, origin, kids)
        _assign_slots(nodes, origin, kids, count, slots)
        words[node, CHILD], words[node, TRIANGLE] = made, placed
        for s in range(WIDTH):
            kid = slots[s]
            for i in range(6):
                box[s, i] = np.float32(1.0 if i < 3 else -1.0) if kid < 0 else nodes[kid, i]
            if kid < 0:
                continue
            if choice[kid, 0] < 0:
                words[node, KINDS] |= np.uint32((1 << size[kid]) - 1 << 4 * s)
                placed = _leaf_items(links, kid, items, placed)
            else:
                words[node, KINDS] |= np.uint32(8 << 4 * s)
                source[made] = kid
                levels[made] = levels[node] + 1
                made += 1
        for child in range(made - 1, words[node, CHILD] - 1, -1):
            pending[top] = child
            top += 1
        write_boxes(words, node, box, nodes[origin], padding)
    return words[:made], items, levels[:made]


@kept()
def refit_nodes(words: Any, triangles: Any) -> None:
    """Fit the boxes of a tree to triangles that have moved; children come after their parents.

    Args:
        words: (m, 32) uint32, changed in place.
        triangles: (n, 12) float32, three corners first, in the order of leaves.
    """
    whole = np.empty((len(words), 6), np.float32)
    box = np.empty((WIDTH, 6), np.float32)
    size = np.float32(0.0)
    for t in range(len(triangles)):
        for i in range(9):
            size = max(size, abs(triangles[t, i]))
    padding = np.float64(size) * PADDING
    for node in range(len(words) - 1, -1, -1):
        child, first = np.int64(words[node, CHILD]), np.int64(words[node, TRIANGLE])
        for i in range(3):
            whole[node, i], whole[node, 3 + i] = np.inf, -np.inf
        for s in range(WIDTH):
            for i in range(3):
                box[s, i], box[s, 3 + i] = np.inf, -np.inf
            if words[node, KINDS] >> np.uint32(4 * s + 3) & 1:
                for i in range(6):
                    box[s, i] = whole[child, i]
                child += 1
            else:
                for k in range(LEAF):
                    if words[node, KINDS] >> np.uint32(4 * s + k) & 1:
                        for i in range(9):
                            box[s, i % 3] = min(box[s, i % 3], triangles[first, i])
                            box[s, 3 + i % 3] = max(box[s, 3 + i % 3], triangles[first, i])
                        first += 1
            for i in range(3):
                whole[node, i] = min(whole[node, i], box[s, i])
                whole[node, 3 + i] = max(whole[node, 3 + i], box[s, 3 + i])
        write_boxes(words, node, box, whole[node], padding)
