"""Nearest points of segments, and of a segment and a box."""

import math

from phalanx.ecs import function


@function
def clamp(x, most):
    """x, limited to -most..most."""
    return min(max(x, -most), most)


@function
def squared(x, y, z):
    """The square of a vector's length."""
    return x * x + y * y + z * z


@function
def nearest_on_segments(cx, cy, cz, ux, uy, uz, vx, vy, vz, p, q):
    """Nearest points s u and c + t v of two segments, with |s| <= p and |t| <= q, u and v unit vectors.

    The distance is least inside, where the difference is perpendicular to both, or on an edge of the rectangle of
    (s, t), where one of them is at an end: the best of the five is taken.

    Returns:
        s, t and whether both are inside.
    """
    mx = uy * vz - uz * vy
    my = uz * vx - ux * vz
    mz = ux * vy - uy * vx
    square = squared(mx, my, mz)
    scale = 1.0 / square if square > 1e-30 else 0.0
    s = scale * ((cy * vz - cz * vy) * mx + (cz * vx - cx * vz) * my + (cx * vy - cy * vx) * mz)
    t = scale * ((cy * uz - cz * uy) * mx + (cz * ux - cx * uz) * my + (cx * uy - cy * ux) * mz)
    inside = square > 1e-30 and math.fabs(s) < p and math.fabs(t) < q
    s = clamp(s, p)
    t = clamp(t, q)
    best = math.inf
    if inside:
        best = squared(s * ux - cx - t * vx, s * uy - cy - t * vy, s * uz - cz - t * vz)
    turn = ux * vx + uy * vy + uz * vz
    along_u = cx * ux + cy * uy + cz * uz
    along_v = cx * vx + cy * vy + cz * vz
    for k in range(4):
        end = -1.0 if k % 2 == 0 else 1.0
        i = end * p if k < 2 else clamp(along_u + turn * (end * q), p)
        j = clamp(turn * (end * p) - along_v, q) if k < 2 else end * q
        square = squared(i * ux - cx - j * vx, i * uy - cy - j * vy, i * uz - cz - j * vz)
        if square < best:
            best = square
            s = i
            t = j
            inside = False
    return s, t, inside


@function
def excess(x, most):
    """How far x is beyond -most..most, with its sign."""
    return max(x - most, 0.0) + min(x + most, 0.0)


@function
def rise(t, cx, cy, cz, ux, uy, uz, sx, sy, sz):
    """Half the slope, along t, of the square of the distance of c + t u from a box with half lengths s."""
    return excess(cx + t * ux, sx) * ux + excess(cy + t * uy, sy) * uy + excess(cz + t * uz, sz) * uz


@function
def nearest_to_box(cx, cy, cz, ux, uy, uz, half, sx, sy, sz):
    """The t, |t| <= half, for which c + t u is nearest to a box with half lengths s about the origin.

    The slope of the distance's square grows with t and is linear between the places where the segment passes the
    planes of the faces, so its root is found exactly.
    """
    low = -half
    high = half
    of_low = rise(low, cx, cy, cz, ux, uy, uz, sx, sy, sz)
    of_high = rise(high, cx, cy, cz, ux, uy, uz, sx, sy, sz)
    if not of_low < 0.0:
        return low
    if not of_high > 0.0:
        return high
    for k in range(6):
        c = cx if k < 2 else (cy if k < 4 else cz)
        u = ux if k < 2 else (uy if k < 4 else uz)
        s = sx if k < 2 else (sy if k < 4 else sz)
        t = ((s if k % 2 == 0 else -s) - c) / u if u != 0.0 else half
        if t > low and t < high:
            here = rise(t, cx, cy, cz, ux, uy, uz, sx, sy, sz)
            below = here <= 0.0
            low = t if below else low
            of_low = here if below else of_low
            high = high if below else t
            of_high = of_high if below else here
    return low - of_low * (high - low) / (of_high - of_low)
