"""What is asked of a probe and one convex shape: whether they touch, how far the probe gets, how deep it is.

Sweeps advance by Newton's method on the signed distance: as a shape moves straight on, its distance from a convex
shape is a convex function of the way, so that from outside no step passes the first contact (conservative advancement,
Mirtich 1996).
"""

from phalanx.components.query import DEPTH, OVERLAP
from phalanx.ecs import function, real
from phalanx.systems.collision.narrow.distance import signed_distance
from phalanx.systems.collision.narrow.gjk import FAR, core_distance
from phalanx.systems.collision.narrow.support import core_radius, precision
from phalanx.systems.queries.limits import FARTHEST, INF

ADVANCES = 40
FOUND = 7
"""Numbers in ``found``: unit normal from b to a; nearest point of a's core, frame of a; signed distance there."""


@function
def touch(task, pair, forms, vertices, vx, vy, vz, start, limit, simplex, point, found):
    """Answer for one pair (see :mod:`phalanx.systems.collision.narrow.support`).

    Args:
        task: OVERLAP, SWEEP or DEPTH.
        vx, vy, vz: motion of b in the frame of a for each metre of the way.
        start, limit: part of the way on which contact is possible, m.
        simplex, point: scratch of ``gjk.SIMPLEX`` and 6 numbers.
        found: result of SWEEP and DEPTH, ``FOUND`` numbers.

    Returns:
        OVERLAP: 0 if they touch; SWEEP: length of the way to the contact; DEPTH: signed distance if they touch;
        infinite otherwise. A sweep that starts in an overlap returns 0, with a negative distance in ``found``.
    """
    if task == OVERLAP:
        radii = core_radius(forms[0], pair[12]) + core_radius(forms[5], pair[15])
        state, apart = core_distance(pair, forms, vertices, simplex, point, radii)
        return 0.0 if state != FAR and apart <= radii else INF
    if task == DEPTH:
        gap = real(signed_distance(pair, forms, vertices, simplex, point, 0.0, found))
        found[6] = gap
        return gap
    bx = pair[9] + start * vx  # from here on the numbers are of the shapes' size
    by = pair[10] + start * vy
    bz = pair[11] + start * vz
    t = 0.0
    for _ in range(ADVANCES):
        pair[9] = bx + t * vx
        pair[10] = by + t * vy
        pair[11] = bz + t * vz
        gap = real(signed_distance(pair, forms, vertices, simplex, point, FARTHEST, found))
        found[6] = gap
        width = abs(pair[9]) + abs(pair[10]) + abs(pair[11]) + abs(found[3]) + abs(found[4]) + abs(found[5])
        tolerance = 4.0 * precision() * width
        closing = found[0] * vx + found[1] * vy + found[2] * vz
        if gap <= tolerance and (start + t > 0.0 or gap < -tolerance or closing > precision()):
            return start + t
        if not closing > precision():
            return INF
        t = t + max(gap, 0.0) / closing
        if not start + t <= limit:
            return INF
    return INF
