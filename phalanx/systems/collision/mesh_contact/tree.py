"""Finding the triangles of a mesh near a box."""

from phalanx.ecs import function

STACK = 64
"""Room for nodes to visit: one more than a tree is deep."""


@function
def next_leaf(lows, highs, firsts, counts, pending, top, cx, cy, cz, hx, hy, hz):
    """Go on through a tree to the next leaf whose box overlaps the query's.

    Args:
        lows, highs, firsts, counts: MeshNodeBox's fields.
        pending: nodes to visit, ``STACK`` numbers; at the start the root and ``top`` = 1.
        top: how many nodes are pending.
        cx, cy, cz, hx, hy, hz: centre and half lengths of the query's box.

    Returns:
        the new ``top``, and the first triangle and number of triangles of a leaf; 0 triangles when there are no more.
    """
    while top > 0:
        top -= 1
        node = pending[top]
        near = lows[node, 0, 0] <= cx + hx and highs[node, 0, 0] >= cx - hx
        near = near and lows[node, 1, 0] <= cy + hy and highs[node, 1, 0] >= cy - hy
        near = near and lows[node, 2, 0] <= cz + hz and highs[node, 2, 0] >= cz - hz
        if near:
            count = counts[node, 0]
            first = firsts[node, 0]
            if count > 0:
                return top, first, count
            if top + 2 <= STACK:
                pending[top] = first + 1
                pending[top + 1] = first
                top += 2
    return 0, 0, 0
