"""Choice of at most four contact points that span a patch."""

import math

from phalanx.ecs import function

_DEPTH_WEIGHT = 1000.0


@function
def reduce_points(points, count, tolerance, chosen):
    """Choose up to four points: one far to a fixed side among the deepest, then those that add most area.

    Choosing by position among points that are about as deep as each other, and not by depth alone, keeps the choice the
    same from step to step where a flat face rests on another. The deepest point is always among the chosen, unless one
    of those is as deep to within ``tolerance``.

    Args:
        points: x, y, any, separation of each.
        chosen: result, indices, local_int(4).

    Returns:
        how many are chosen.
    """
    if count <= 4:
        for k in range(count):
            chosen[k] = k
        return count
    first = 0
    deepest = 0
    most = -math.inf
    for i in range(count):
        score = points[4 * i] + 0.37 * points[4 * i + 1] - _DEPTH_WEIGHT * points[4 * i + 3]
        if score > most:
            most = score
            first = i
        if points[4 * i + 3] < points[4 * deepest + 3]:
            deepest = i
    chosen[0] = first
    for k in range(1, 4):  # farthest from the point, from the line, outside of the triangle
        best = 0
        most = -math.inf
        for i in range(count):
            score = gain(points, chosen, k, i)
            if score > most:
                most = score
                best = i
        chosen[k] = best
    nearest = 0
    least = math.inf
    above = math.inf
    for k in range(4):
        dx = points[4 * chosen[k]] - points[4 * deepest]
        dy = points[4 * chosen[k] + 1] - points[4 * deepest + 1]
        above = min(above, points[4 * chosen[k] + 3] - points[4 * deepest + 3])
        if dx * dx + dy * dy < least:
            least = dx * dx + dy * dy
            nearest = k
    if above > tolerance:
        chosen[nearest] = deepest
    return 4


@function
def gain(points, chosen, k, i):
    """What point i would add to the first k of the chosen: a distance squared, or twice an area."""
    ax = points[4 * chosen[0]]
    ay = points[4 * chosen[0] + 1]
    dx = points[4 * i] - ax
    dy = points[4 * i + 1] - ay
    if k == 1:
        return dx * dx + dy * dy
    bx = points[4 * chosen[1]] - ax
    by = points[4 * chosen[1] + 1] - ay
    side = bx * dy - by * dx
    if k == 2:
        return math.fabs(side)
    cx = points[4 * chosen[2]] - ax
    cy = points[4 * chosen[2] + 1] - ay
    turn = 1.0 if bx * cy - by * cx >= 0.0 else -1.0
    second = (cx - bx) * (dy - by) - (cy - by) * (dx - bx)
    third = -cx * (dy - cy) + cy * (dx - cx)
    return -min(side * turn, min(second * turn, third * turn))
