"""The way of a point or a box through other boxes: bounds of shapes, and trees of boxes over triangles.

A box that moves is a point that moves through boxes grown by its half lengths.
"""

import math

from phalanx.ecs import function
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.collision.narrow.support import precision
from phalanx.systems.queries.limits import INF

STEEP = 1e15
"""Instead of the inverse of zero: finite, so that zero times it is zero."""


@function
def inverse(d):
    """1 / d, or what stands for it where d is next to nothing."""
    return (-STEEP if d < 0.0 else STEEP) if math.fabs(d) * STEEP < 1.0 else 1.0 / d


@function
def box_path(lx, ly, lz, hx, hy, hz, ox, oy, oz, ix, iy, iz):
    """Interval in which o + t d, t not negative, is in the box l..h; i are inverses of d. Rounded outwards.

    Returns:
        low, high; (inf, -inf) if there is none, or if something is no number.
    """
    ax, bx = (lx - ox) * ix, (hx - ox) * ix
    ay, by = (ly - oy) * iy, (hy - oy) * iy
    az, bz = (lz - oz) * iz, (hz - oz) * iz
    low = max(0.0, max(min(ax, bx), max(min(ay, by), min(az, bz))))
    high = min(max(ax, bx), min(max(ay, by), max(az, bz)))
    sum_ = ax + bx + ay + by + az + bz
    slack = 4.0 * precision()
    hit = low <= high * (1.0 + slack) and sum_ == sum_
    return low * (1.0 - slack) if hit else INF, high * (1.0 + slack) if hit else -INF


@function
def next_leaf_along(
    lows, highs, firsts, counts, pending, entries, top, ox, oy, oz, ix, iy, iz, hx, hy, hz, limit
):  # fmt: skip
    """Go on through a tree to the next leaf on the way of a box, near ones first.

    Args:
        lows, highs, firsts, counts: MeshNodeBox's fields.
        pending, entries: nodes to visit and where the way enters them, ``STACK`` numbers each; at the start the root,
            its entry, and ``top`` = 1.
        ox, oy, oz, ix, iy, iz: start of the box's middle, and the inverses of its direction.
        hx, hy, hz: half lengths of the box; zero for a ray.
        limit: what is entered farther away does not matter.

    Returns:
        the new ``top``, and the first triangle and number of triangles of a leaf; 0 triangles when there are no more.
    """
    while top > 0:
        top -= 1
        node = pending[top]
        if entries[top] <= limit:
            first = firsts[node, 0]
            count = counts[node, 0]
            if count > 0:
                return top, first, count
            if top + 2 <= STACK:
                one = INF
                two = INF
                for side in range(2):
                    n = first + side
                    low, _far = box_path(
                        lows[n, 0, 0] - hx, lows[n, 1, 0] - hy, lows[n, 2, 0] - hz,
                        highs[n, 0, 0] + hx, highs[n, 1, 0] + hy, highs[n, 2, 0] + hz, ox, oy, oz, ix, iy, iz,
                    )  # fmt: skip
                    one = low if side == 0 else one
                    two = low if side == 1 else two
                swap = two > one
                far = two if swap else one
                if far <= limit:
                    pending[top] = first + 1 if swap else first
                    entries[top] = far
                    top += 1
                close = one if swap else two
                if close <= limit:
                    pending[top] = first if swap else first + 1
                    entries[top] = close
                    top += 1
    return 0, 0, 0
