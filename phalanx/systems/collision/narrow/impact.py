"""Whether and where two shapes meet in a substep, and what that makes of their contact points.

The gap between two shapes that are apart closes along its normal, but where they meet the normal may be another one,
and if they pass each other there is none. So where a contact point would act though the shapes do not touch yet, the
pair is moved on along the motion that :mod:`phalanx.systems.collision.broad_phase` expects, until it touches or the
substep ends.

A pair is moved on by conservative advancement (Mirtich 1996): while there is a gap along one direction, shapes do not
touch. Directions are those that the narrow phase gives; how long there is a gap along one of them follows from the gap
now and later, since what a rotation adds to a straight way is bounded.

``way``, a scratch array of ``WAY`` numbers, is the motion of a pair, in world axes; time is counted in substeps:

    way[0:3]    rotation vector of a
    way[3:6]    from the origin of a to the point about which it turns, and which goes straight
    way[6:9]    way of that point, m
    way[9:18]   the same of b
    way[18:39]  where the shapes are at the start: rotations (row-major) of a, of b, from the origin of a to that of b

``moved``, of ``MOVED`` numbers, is where they are at another time:

    moved[0:21]   as way[18:39]
    moved[21:24]  from the origin of a, had it moved with the point about which it turns, to where it is
"""

import math

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER
from phalanx.ecs import function
from phalanx.maths.kernels import cross, rotation_matrix, rotation_step
from phalanx.systems.collision.narrow.support import precision, primitive_support

WAY = 39
MOVED = 24

SPOT = 7
"""Numbers of a contact point in ``spots``: place from the origin of a, unit normal (from b to a), separation; in world
axes."""

LOOKS = 32
"""Times that shapes are looked at on their way; what has not been decided then touches."""

TOUCH = 3e-4
"""Shapes touch that are nearer than this part of the smaller one's size."""

SAME = 0.01
"""Directions along which touching shapes are apart by as much, to within this part of that distance, are as good."""


@function
def touching(size_a, size_b):
    """Distance (m) at which shapes of two sizes count as touching."""
    return TOUCH * min(size_a, size_b) + 4.0 * precision() * (size_a + size_b)


@function
def bounding_radius(kind, sx, sy, sz):
    """Radius of the sphere about a primitive's origin that holds it, m."""
    if kind == BOX:
        return math.sqrt(sx * sx + sy * sy + sz * sz)
    if kind == CYLINDER or kind == CONE:
        return math.sqrt(sx * sx + sy * sy)
    return sx + sy if kind == CAPSULE else sx


@function
def begin_way(way, moved):
    """Finish ``way``: from ways of origins to those of the points about which shapes turn; they are at ``moved``."""
    for o in range(0, 18, 9):
        x, y, z = cross(way[o], way[o + 1], way[o + 2], way[o + 3], way[o + 4], way[o + 5])
        way[o + 6] += x
        way[o + 7] += y
        way[o + 8] += z
    for k in range(21):
        way[18 + k] = moved[k]


@function
def approach(way, x, y, z, bx, by, bz, nx, ny, nz):
    """How far a contact point on a goes from that on b along the normal n in a substep, m; negative: they come nearer.

    Args:
        x, y, z: the contact point from the origin of a.
        bx, by, bz: from the origin of a to that of b.
    """
    ux, uy, uz = cross(way[0], way[1], way[2], x - way[3], y - way[4], z - way[5])
    vx, vy, vz = cross(way[9], way[10], way[11], x - bx - way[12], y - by - way[13], z - bz - way[14])
    ux += way[6] - way[15] - vx
    uy += way[7] - way[16] - vy
    uz += way[8] - way[17] - vz
    return ux * nx + uy * ny + uz * nz


@function
def bend(way, radius_a, radius_b):
    """Bound (m) on the second derivative of the gap along a direction, by time.

    Args:
        radius_a, radius_b: bounds on how far points are from the origins of their shapes, m; without rounding radii.
    """
    total = 0.0
    for o in range(0, 18, 9):
        square = way[o] * way[o] + way[o + 1] * way[o + 1] + way[o + 2] * way[o + 2]
        away = math.sqrt(way[o + 3] * way[o + 3] + way[o + 4] * way[o + 4] + way[o + 5] * way[o + 5])
        total += square * (away + (radius_a if o == 0 else radius_b))
    return total


@function
def move_pair(way, t, moved):
    """Where the shapes are at a time."""
    for k in range(3):
        moved[18 + k] = way[36 + k] + t * (way[15 + k] - way[6 + k])
    for side in range(2):
        o = 9 * side
        ux = way[o + 3]
        uy = way[o + 4]
        uz = way[o + 5]
        w, x, y, z = rotation_step(t * way[o], t * way[o + 1], t * way[o + 2])
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_matrix(w, x, y, z)
        for k in range(3):
            x = way[18 + o + k]
            y = way[21 + o + k]
            z = way[24 + o + k]
            moved[o + k] = r0 * x + r1 * y + r2 * z
            moved[o + 3 + k] = r3 * x + r4 * y + r5 * z
            moved[o + 6 + k] = r6 * x + r7 * y + r8 * z
        ux -= r0 * way[o + 3] + r1 * way[o + 4] + r2 * way[o + 5]
        uy -= r3 * way[o + 3] + r4 * way[o + 4] + r5 * way[o + 5]
        uz -= r6 * way[o + 3] + r7 * way[o + 4] + r8 * way[o + 5]
        sign = 1.0 if side == 1 else -1.0
        moved[18] += sign * ux
        moved[19] += sign * uy
        moved[20] += sign * uz
        if side == 0:
            moved[21] = ux
            moved[22] = uy
            moved[23] = uz


@function
def stretch(t, gap, bent):
    """How far (as a time) it is worth looking ahead: beyond, the bound on the gap between says nothing."""
    return min(1.0 - t, 2.0 * math.sqrt(gap / bent) if bent * (1.0 - t) * (1.0 - t) > 4.0 * gap else 1.0)


@function
def safe_part(gap, later, bent, step):
    """The part of a step in which there is certainly a gap, from the gaps along one direction now and at its end."""
    k = 0.5 * bent * step * step
    b = gap + k - later
    inner = b * b - 4.0 * k * gap
    if not (b > 0.0 and inner >= 0.0):
        return 1.0
    return min(1.0, 2.0 * gap / (b + math.sqrt(inner)))


@function
def primitive_gap(moved, kind_a, ax, ay, az, kind_b, bx, by, bz, nx, ny, nz):
    """How far the cores of two primitives are apart along the unit vector n (from b to a), in world axes.

    Args:
        ax, ay, az, bx, by, bz: ShapeGeometry.size.
    """
    px, py, pz = primitive_support(
        kind_a, ax, ay, az,
        -(moved[0] * nx + moved[3] * ny + moved[6] * nz),
        -(moved[1] * nx + moved[4] * ny + moved[7] * nz),
        -(moved[2] * nx + moved[5] * ny + moved[8] * nz),
    )  # fmt: skip
    qx, qy, qz = primitive_support(
        kind_b, bx, by, bz,
        moved[9] * nx + moved[12] * ny + moved[15] * nz,
        moved[10] * nx + moved[13] * ny + moved[16] * nz,
        moved[11] * nx + moved[14] * ny + moved[17] * nz,
    )  # fmt: skip
    x = moved[0] * px + moved[1] * py + moved[2] * pz - moved[9] * qx - moved[10] * qy - moved[11] * qz - moved[18]
    y = moved[3] * px + moved[4] * py + moved[5] * pz - moved[12] * qx - moved[13] * qy - moved[14] * qz - moved[19]
    z = moved[6] * px + moved[7] * py + moved[8] * pz - moved[15] * qx - moved[16] * qy - moved[17] * qz - moved[20]
    return x * nx + y * ny + z * nz


@function
def pair_of(moved, pair):
    """Pose of b in the frame of a, into ``pair[0:12]`` (:mod:`phalanx.systems.collision.narrow.support`)."""
    for i in range(3):
        pair[9 + i] = moved[i] * moved[18] + moved[3 + i] * moved[19] + moved[6 + i] * moved[20]
        for j in range(3):
            pair[3 * i + j] = moved[i] * moved[9 + j] + moved[3 + i] * moved[12 + j] + moved[6 + i] * moved[15 + j]


@function
def points_out_of_a(moved, out, found, spots):
    """Contact points of one normal, in the frame of a (normal, then place and separation of each), in ``spots``."""
    for i in range(3):
        along = moved[3 * i] * out[0] + moved[3 * i + 1] * out[1] + moved[3 * i + 2] * out[2]
        for p in range(found):
            o = 4 * p + 3
            spots[SPOT * p + i] = moved[3 * i] * out[o] + moved[3 * i + 1] * out[o + 1] + moved[3 * i + 2] * out[o + 2]
            spots[SPOT * p + 3 + i] = along
    for p in range(found):
        spots[SPOT * p + 6] = out[4 * p + 6]


@function
def acts(way, spots, found, rest):
    """Whether one of the contact points of shapes where they are would act, if it does below a distance ``rest``.

    That has what :func:`bend` gives added to it: by as much the solver's motion, in which spins change, may be another.
    """
    some = False
    for o in range(0, SPOT * found, SPOT):
        nearer = approach(
            way, spots[o], spots[o + 1], spots[o + 2], way[36], way[37], way[38], spots[o + 3], spots[o + 4],
            spots[o + 5],
        )  # fmt: skip
        some = some or spots[o + 6] - rest + nearer < 0.0
    return some


@function
def least_gap(spots, found):
    """Number of the contact point with the least separation; 0 if there are none."""
    best = 0
    for p in range(1, found):
        best = p if spots[SPOT * p + 6] < spots[SPOT * best + 6] else best
    return best


@function
def before_impact(way, moved, t, spots, found, reach):
    """From contact points where shapes meet to what the solver is to know of them at the start of the substep.

    A point stays where it is on its shape as that is where they meet, so an impulse there turns the shape as it would
    then. What it is called apart at the start is what it comes nearer on its way, to first order; it is given half way
    between its places on a and on b. Sets ``moved[18:21]`` to what then leads from the origin of a to that of b.

    Returns:
        how many are left; those that are farther apart than ``reach`` are not.
    """
    bx = way[36] + t * (way[15] - way[6])
    by = way[37] + t * (way[16] - way[7])
    bz = way[38] + t * (way[17] - way[8])
    left = 0
    least = math.inf
    for o in range(0, SPOT * found, SPOT):
        if spots[o + 6] <= reach:
            at = SPOT * left
            for k in range(3):
                spots[at + k] = spots[o + k] + moved[21 + k]
            for k in range(3, SPOT):
                spots[at + k] = spots[o + k]
            nx = spots[at + 3]
            ny = spots[at + 4]
            nz = spots[at + 5]
            nearer = approach(way, spots[at], spots[at + 1], spots[at + 2], bx, by, bz, nx, ny, nz)
            gap = max(spots[at + 6] - t * nearer, 0.0)
            half = 0.5 * (gap - max(spots[at + 6], 0.0))  # from half way between where they are then
            spots[at] -= half * nx
            spots[at + 1] -= half * ny
            spots[at + 2] -= half * nz
            spots[at + 6] = gap
            if gap < least:
                least = gap
                moved[18] = bx - gap * nx
                moved[19] = by - gap * ny
                moved[20] = bz - gap * nz
            left += 1
    return left
