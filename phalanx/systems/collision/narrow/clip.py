"""Clipping of the supporting features of two shapes against each other, seen along the contact normal.

Both features are given in a frame whose third axis is the normal n (from b to a). Where their projections along n
meet, the surfaces are apart by the height of a's feature above b's; the corners of that intersection are the contact
points.
"""

import math

from phalanx.ecs import function, local
from phalanx.systems.collision.narrow.features import MOST_CORNERS

MOST_POINTS_CLIPPED = 32
PARALLEL = 0.02
"""Lines on the sides of round shapes touch at both ends of their common part if their angle (rad) is smaller."""
POINTS = 132
"""Numbers in the scratch array of points: x, y, height midway, separation of each of up to 33."""


@function
def clip_features(a, count_a, b, count_b, points):
    """Contact points of two features.

    Args:
        a, b: corners in the contact frame, and the outward normal as corner 16 if the feature is a face; both are
            only read.
        count_a, count_b: numbers of corners.
        points: result, ``POINTS`` numbers.

    Returns:
        number of points; 0 where the features do not lie over each other (or one of them is a point).
    """
    if count_a < 2 or count_b < 2:
        return 0
    if count_a == 2 and count_b == 2:
        return clip_segments(a, b, points)
    slope_a = math.fabs(a[3 * MOST_CORNERS + 2]) if count_a > 2 else 0.0
    slope_b = math.fabs(b[3 * MOST_CORNERS + 2]) if count_b > 2 else 0.0
    if max(slope_a, slope_b) < 0.1:
        return 0
    if slope_a * 1.001 >= slope_b:
        return clip_to_face(b, count_b, a, count_a, -1.0, points)
    return clip_to_face(a, count_a, b, count_b, 1.0, points)


@function
def clip_segments(a, b, points):
    """The ends of the common part of two nearly parallel segments."""
    ex = a[3] - a[0]
    ey = a[4] - a[1]
    fx = b[3] - b[0]
    fy = b[4] - b[1]
    ee = ex * ex + ey * ey
    ff = fx * fx + fy * fy
    across = ex * fy - ey * fx
    if not across * across < PARALLEL * PARALLEL * ee * ff:
        return 0
    t0 = ((b[0] - a[0]) * ex + (b[1] - a[1]) * ey) / ee
    t1 = ((b[3] - a[0]) * ex + (b[4] - a[1]) * ey) / ee
    low = max(0.0, min(t0, t1))
    high = min(1.0, max(t0, t1))
    if not high > low:
        return 0
    for k in range(2):
        t = low if k == 0 else high
        x = a[0] + t * ex
        y = a[1] + t * ey
        of_a = a[2] + t * (a[5] - a[2])
        u = ((x - b[0]) * fx + (y - b[1]) * fy) / ff
        of_b = b[2] + u * (b[5] - b[2])
        points[4 * k] = 0.5 * (x + b[0] + u * fx)
        points[4 * k + 1] = 0.5 * (y + b[1] + u * fy)
        points[4 * k + 2] = 0.5 * (of_a + of_b)
        points[4 * k + 3] = of_a - of_b
    return 2


@function
def clip_to_face(subject, corners, face, sides, sign, points):
    """The part of one feature that lies over a face (Sutherland and Hodgman 1974).

    Args:
        sign: 1 if the subject is a's feature, -1 if it is b's.
    """
    work = local(6 * MOST_POINTS_CLIPPED)
    area = 0.0
    for k in range(sides):
        m = 3 * ((k + 1) % sides)
        area += (face[3 * k] - face[0]) * (face[m + 1] - face[1]) - (face[3 * k + 1] - face[1]) * (face[m] - face[0])
    turn = 1.0 if area >= 0.0 else -1.0
    for k in range(3 * corners):
        work[k] = subject[k]
    closing = 0 if corners > 2 else 1  # a segment has no side from its last corner to its first
    source = 0
    target = 3 * MOST_POINTS_CLIPPED
    count = corners
    for k in range(sides):
        m = 3 * ((k + 1) % sides)
        nx = turn * (face[m + 1] - face[3 * k + 1])  # outward
        ny = -turn * (face[m] - face[3 * k])
        limit = nx * face[3 * k] + ny * face[3 * k + 1]
        kept = 0
        last = source + 3 * (count - 1 if closing == 0 else 0)
        before = nx * work[last] + ny * work[last + 1] - limit
        for i in range(source, source + 3 * count, 3):
            here = nx * work[i] + ny * work[i + 1] - limit
            if (before <= 0.0) != (here <= 0.0) and kept < MOST_POINTS_CLIPPED:
                t = before / (before - here)
                for j in range(3):
                    work[target + 3 * kept + j] = work[last + j] + t * (work[i + j] - work[last + j])
                kept += 1
            if here <= 0.0 and kept < MOST_POINTS_CLIPPED:
                for j in range(3):
                    work[target + 3 * kept + j] = work[i + j]
                kept += 1
            before = here
            last = i
        count = kept
        source, target = target, source
        if count == 0:
            return 0
    px = face[3 * MOST_CORNERS]
    py = face[3 * MOST_CORNERS + 1]
    pz = face[3 * MOST_CORNERS + 2]
    for k in range(count):
        x = work[source + 3 * k]
        y = work[source + 3 * k + 1]
        z = work[source + 3 * k + 2]
        height = face[2] - ((x - face[0]) * px + (y - face[1]) * py) / pz
        points[4 * k] = x
        points[4 * k + 1] = y
        points[4 * k + 2] = 0.5 * (z + height)
        points[4 * k + 3] = sign * (z - height)
    return count
