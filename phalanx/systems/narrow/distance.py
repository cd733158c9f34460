"""Signed distance of two convex shapes, with normal and witness: exact for all kinds, apart or overlapping."""

import math

from phalanx.components.shape import CONE, CYLINDER, SPHERE
from phalanx.ecs import function
from phalanx.systems.narrow.epa import expand_polytope
from phalanx.systems.narrow.gjk import APART, FAR, core_distance
from phalanx.systems.narrow.support import core_radius, into_b, precision, separation_along

IMPROVEMENTS = 8

TOUCHING = 0.01
"""Shapes that GJK finds apart, if by rounding only, overlap by less than this share of the way between them."""


@function
def way_out_of_round(pair, kind):
    """Unit normal, in the frame of a, of the surface of a cylinder or cone (b) nearest to a's origin inside it."""
    x, y, z = into_b(pair, -pair[9], -pair[10], -pair[11])
    radius = pair[15]
    half = pair[16]
    across = math.sqrt(x * x + y * y)
    length = math.sqrt(4.0 * half * half + radius * radius)
    upright = 1.0 if kind == CYLINDER else 2.0 * half / length
    sloping = 0.0 if kind == CYLINDER else radius / length
    wall = (radius - across) if kind == CYLINDER else (radius * (half - z) / (2.0 * half) - across) * upright
    up = kind == CYLINDER and z > 0.0
    floor = half - z if up else half + z
    ux = x / across if across > 0.0 else 1.0
    uy = y / across if across > 0.0 else 0.0
    by_wall = wall < floor
    x = ux * upright if by_wall else 0.0
    y = uy * upright if by_wall else 0.0
    z = sloping if by_wall else (1.0 if up else -1.0)
    return (
        pair[0] * x + pair[1] * y + pair[2] * z,
        pair[3] * x + pair[4] * y + pair[5] * z,
        pair[6] * x + pair[7] * y + pair[8] * z,
    )


@function
def signed_distance(pair, forms, vertices, simplex, point, reach, found):
    """Signed distance of two shapes: the length of the shortest translation that makes them just touch.

    Cores (:mod:`phalanx.systems.narrow.support`) that are apart: by GJK. For cores that overlap or touch, a direction
    from the expanding polytope is improved so: shape b is moved away along it until there is a gap, over which GJK
    gives the direction anew, to full accuracy, since it is not the difference of nearly equal numbers. It is kept
    if the shapes overlap less along it.

    Args:
        simplex, point: scratch of ``gjk.SIMPLEX`` and 6 numbers.
        reach: larger distances (m) need not be known.
        found: result, 6 numbers: unit normal from b to a; nearest point of a's core; frame of a.

    Returns:
        distance (m), negative when they overlap; infinite if it is larger than ``reach``.
    """
    radii = core_radius(forms[0], pair[12]) + core_radius(forms[5], pair[15])
    bx = pair[9]
    by = pair[10]
    bz = pair[11]
    state, distance = core_distance(pair, forms, vertices, simplex, point, reach + radii)
    if state == FAR:
        return math.inf
    nx = 1.0
    ny = 0.0
    nz = 0.0
    if distance > 0.0:
        scale = 1.0 / distance
        nx = simplex[27] * scale
        ny = simplex[28] * scale
        nz = simplex[29] * scale
    for k in range(3):
        found[3 + k] = point[3 + k]
    if state != APART:
        known = distance > 0.0
        if known:
            distance = separation_along(pair, forms, vertices, point, nx, ny, nz)
            # Of shapes that only just touch the direction may be rounding's, and the way out that of the far side.
            known = distance > -TOUCHING * (math.fabs(bx) + math.fabs(by) + math.fabs(bz))
        if not known:
            if forms[0] == SPHERE and (forms[5] == CYLINDER or forms[5] == CONE):
                nx, ny, nz = way_out_of_round(pair, forms[5])
            else:
                nx, ny, nz = expand_polytope(pair, forms, vertices, point)
            distance = separation_along(pair, forms, vertices, point, nx, ny, nz)
        for k in range(3):
            found[3 + k] = point[3 + k]
        width = math.fabs(bx) + math.fabs(by) + math.fabs(bz) + math.fabs(point[3])
        width += math.fabs(point[4]) + math.fabs(point[5])
        margin = 0.01 * width
        for _ in range(IMPROVEMENTS):
            away = margin - distance
            pair[9] = bx - away * nx
            pair[10] = by - away * ny
            pair[11] = bz - away * nz
            state, gap = core_distance(pair, forms, vertices, simplex, point, math.inf)
            pair[9] = bx
            pair[10] = by
            pair[11] = bz
            if not gap > 0.0:
                break
            wx = point[3]
            wy = point[4]
            wz = point[5]
            ux = simplex[27] / gap
            uy = simplex[28] / gap
            uz = simplex[29] / gap
            other = separation_along(pair, forms, vertices, point, ux, uy, uz)
            gain = other - distance
            better = gain > -precision() * width
            if better or ux * nx + uy * ny + uz * nz > 0.999:  # a support point may be at the wrong end of an edge
                found[3] = wx
                found[4] = wy
                found[5] = wz
            if not better:
                break
            nx = ux
            ny = uy
            nz = uz
            distance = other
            if not gain > precision() * width:
                break
    found[0] = nx
    found[1] = ny
    found[2] = nz
    return distance - radii if distance - radii <= reach else math.inf
