"""Directions of rays, and the way of a ray through boxes."""

import math

from phalanx.ecs import function
from phalanx.rays.primitives import inverse

INF = math.inf

STEEP = 1e15
"""Instead of the inverse of zero: finite, so that zero times it is zero."""

SLACK = 1e-6
"""Roundings of a few products and sums in float32, relative."""


@function
def inverse_of(d):
    """1 / d, or what stands for it where d is next to nothing."""
    found = inverse(d)  # also of zero: a choice between two numbers takes no branch
    return (-STEEP if d < 0.0 else STEEP) if math.fabs(d) * STEEP < 1.0 else found


@function
def enter_box(lx, ly, lz, hx, hy, hz, ox, oy, oz, ix, iy, iz):
    """Where o + t d, t not negative, enters and leaves the box l..h; i are inverses of d. Rounded outwards.

    Returns:
        low, high: inf, -inf if it misses, or if something is no number.
    """
    ax = (lx - ox) * ix
    bx = (hx - ox) * ix
    ay = (ly - oy) * iy
    by = (hy - oy) * iy
    az = (lz - oz) * iz
    bz = (hz - oz) * iz
    low = max(0.0, max(min(ax, bx), max(min(ay, by), min(az, bz)))) * (1.0 - SLACK)
    high = min(max(ax, bx), min(max(ay, by), max(az, bz))) * (1.0 + SLACK)
    hit = low <= high and ax + ay + az == ax + ay + az
    return low if hit else INF, high if hit else -INF
