"""Choice of at most four contact points that span a patch, in an order that stays the same from step to step."""

import math

from phalanx.ecs import function

_DEPTH_WEIGHT = 100.0


@function
def reduce_points(points, count, tolerance, chosen):
    """Choose up to four points: one far to a fixed side among the deepest, then those that add most area.

    Choosing by position among points that are about as deep as each other, and not by depth alone, keeps the choice the
    same from step to step where a flat face rests on another. The deepest point is always among the chosen, unless one
    of those is as deep to within ``tolerance``. The chosen are sorted across the patch, so that it does not matter
    where clipping started.

    Args:
        points: x, y, any, separation of each.
        chosen: result, indices, local_int(4).

    Returns:
        how many are chosen.
    """
    taken = min(count, 4)
    for k in range(taken):
        chosen[k] = k
    if count > 4:
        choose(points, count, tolerance, chosen)
    sort_across(points, taken, chosen)
    return taken


@function
def choose(points, count, tolerance, chosen):
    """Choose four of more than four points, see :func:`reduce_points`."""
    first = 0
    deepest = 0
    most = -math.inf
    for i in range(count):
        score = place_of(points, i) - _DEPTH_WEIGHT * points[4 * i + 3]
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


@function
def gain(points, chosen, k, i):
    """What point i would add to the first k of the chosen: a distance squared, or twice an area.

    A little is added for points to a fixed side: regular patches have many that would add as much.
    """
    ax = points[4 * chosen[0]]
    ay = points[4 * chosen[0] + 1]
    dx = points[4 * i] - ax
    dy = points[4 * i + 1] - ay
    bias = 0.43 * dx - dy
    if k == 1:
        square = dx * dx + dy * dy
        return square + 0.02 * math.sqrt(square) * bias
    bx = points[4 * chosen[1]] - ax
    by = points[4 * chosen[1] + 1] - ay
    bias = 0.01 * math.sqrt(bx * bx + by * by) * bias
    side = bx * dy - by * dx
    if k == 2:
        return math.fabs(side) + bias
    cx = points[4 * chosen[2]] - ax
    cy = points[4 * chosen[2] + 1] - ay
    turn = 1.0 if bx * cy - by * cx >= 0.0 else -1.0
    second = (cx - bx) * (dy - by) - (cy - by) * (dx - bx)
    third = -cx * (dy - cy) + cy * (dx - cx)
    return bias - min(side * turn, min(second * turn, third * turn))


@function
def sort_across(points, count, chosen):
    """Sort the chosen by their place along a direction that edges of patches are seldom perpendicular to."""
    for k in range(1, count):
        i = chosen[k]
        m = k
        while m > 0 and place_of(points, chosen[m - 1]) > place_of(points, i):
            chosen[m] = chosen[m - 1]
            m -= 1
        chosen[m] = i


@function
def place_of(points, i):
    """Place of a point along the direction that points are told apart by."""
    return points[4 * i] + 0.37 * points[4 * i + 1]
