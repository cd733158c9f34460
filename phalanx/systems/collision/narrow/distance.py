"""Signed distance of two convex shapes, with normal and witness: exact for all kinds, apart or overlapping."""

import math

from phalanx.components.shape import CONE, CYLINDER, SPHERE
from phalanx.ecs import function
from phalanx.systems.collision.narrow.epa import expand_polytope
from phalanx.systems.collision.narrow.gjk import APART, FAR, core_distance
from phalanx.systems.collision.narrow.support import core_radius, into_b, precision, separation_along
from phalanx.systems.collision.narrow.vectors import unit

IMPROVEMENTS = 8

SAME_DIRECTION = 1e-4
"""rad, below which two directions are the same.

Near the best one the distance is flat: it is exact to rounding where the direction is off by the root of that, 1e-3 rad
in float32, and points on b by as much of the depth.
"""

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
def improve_direction(pair, forms, vertices, simplex, point, nx, ny, nz):
    """The direction near to a given one along which cores that overlap are separated most, to full accuracy.

    Shape b is moved away along the direction until there is a gap, over which GJK gives the direction anew. That
    converges slowly where the origin is near a centre of curvature of the set of differences, as it is for round
    shapes about the same centre: a step leaves (depth + gap) / (radius of curvature + gap) of the error. So the next
    direction to try is extrapolated from the last two steps (Anderson 1965, with one step of memory). What GJK gives
    there is kept if the shapes overlap less along it.

    Args:
        simplex, point: scratch of ``gjk.SIMPLEX`` and 6 numbers.
        nx, ny, nz: unit normal from b to a, frame of a.

    Returns:
        unit normal; nearest point of core a, m; separation along the normal, m.
    """
    bx = pair[9]
    by = pair[10]
    bz = pair[11]
    distance = separation_along(pair, forms, vertices, point, nx, ny, nz)
    wx = point[3]
    wy = point[4]
    wz = point[5]
    width = math.fabs(bx) + math.fabs(by) + math.fabs(bz) + math.fabs(wx) + math.fabs(wy) + math.fabs(wz)
    same = precision() * width
    tx = nx  # the direction that is tried
    ty = ny
    tz = nz
    sx = 0.0  # the last step: from what was tried to what GJK gave
    sy = 0.0
    sz = 0.0
    steps = 0
    most = 16.0  # times the last step, to go beyond it
    ahead = False
    for _ in range(IMPROVEMENTS):
        away = 0.01 * width - distance
        pair[9] = bx - away * tx
        pair[10] = by - away * ty
        pair[11] = bz - away * tz
        _, gap = core_distance(pair, forms, vertices, simplex, point, math.inf)
        pair[9] = bx
        pair[10] = by
        pair[11] = bz
        x = point[3]
        y = point[4]
        z = point[5]
        scale = 1.0 / gap if gap > 0.0 else 0.0
        ux = simplex[27] * scale
        uy = simplex[28] * scale
        uz = simplex[29] * scale
        gain = separation_along(pair, forms, vertices, point, ux, uy, uz) - distance
        better = gap > 0.0 and gain > -same
        # a support point may be at the wrong end of an edge
        if better or (not ahead and ux * nx + uy * ny + uz * nz > 0.999):
            wx = x
            wy = y
            wz = z
        if better:
            px = nx
            py = ny
            pz = nz
            nx = ux
            ny = uy
            nz = uz
            distance += gain
            x = ux - tx
            y = uy - ty
            z = uz - tz
            if not gain > same and not x * x + y * y + z * z > SAME_DIRECTION * SAME_DIRECTION:
                break
            dx = ux - tx - sx
            dy = uy - ty - sy
            dz = uz - tz - sz
            sx = ux - tx
            sy = uy - ty
            sz = uz - tz
            most *= 4.0 if ahead else 1.0
            square = dx * dx + dy * dy + dz * dz
            ahead = steps > 0 and square > 0.0
            scale = -(sx * dx + sy * dy + sz * dz) / square if ahead else 0.0
            scale = max(-most, min(most, scale))
            tx, ty, tz = unit(ux + scale * (ux - px), uy + scale * (uy - py), uz + scale * (uz - pz))
            steps += 1
        elif ahead:
            most *= 0.25
            ahead = False
            tx = nx
            ty = ny
            tz = nz
        else:
            break
    return nx, ny, nz, wx, wy, wz, distance


@function
def signed_distance(pair, forms, vertices, simplex, point, reach, found):
    """Signed distance of two shapes: the length of the shortest translation that makes them just touch.

    Cores (:mod:`phalanx.systems.collision.narrow.support`) that are apart: by GJK. For cores that overlap or touch, a
    direction from the expanding polytope, or the better of two, is improved (:func:`improve_direction`).

    Args:
        simplex, point: scratch of ``gjk.SIMPLEX`` and 6 numbers.
        reach: larger distances (m) need not be known.
        found: result, 6 numbers: unit normal from b to a; nearest point of a's core; frame of a.

    Returns:
        distance (m), negative when they overlap; infinite if it is larger than ``reach``.
    """
    radii = core_radius(forms[0], pair[12]) + core_radius(forms[5], pair[15])
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
            known = distance > -TOUCHING * (math.fabs(pair[9]) + math.fabs(pair[10]) + math.fabs(pair[11]))
        ways = 1
        ax = nx
        ay = ny
        az = nz
        if not known:
            if forms[0] == SPHERE and (forms[5] == CYLINDER or forms[5] == CONE):
                nx, ny, nz = way_out_of_round(pair, forms[5])
            else:
                ways = expand_polytope(pair, forms, vertices, point, found)
                nx = found[0]
                ny = found[1]
                nz = found[2]
                ax = found[3]
                ay = found[4]
                az = found[5]
        for way in range(ways):
            x, y, z, wx, wy, wz, other = improve_direction(
                pair, forms, vertices, simplex, point, ax if way else nx, ay if way else ny, az if way else nz
            )
            if way == 0 or other > distance:
                distance = other
                nx = x
                ny = y
                nz = z
                found[3] = wx
                found[4] = wy
                found[5] = wz
    found[0] = nx
    found[1] = ny
    found[2] = nz
    return distance - radii if distance - radii <= reach else math.inf
