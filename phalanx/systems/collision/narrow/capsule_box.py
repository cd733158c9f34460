"""Capsules with boxes, by formula.

Core (the capsule's segment) and box apart: by the segment's point nearest to the box. Core in the box: of the
directions that can be the shortest way out, the box's axes and those across the segment and an edge, the best.
"""

import math

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import BOX, CAPSULE, ShapeBounds, ShapeGeometry, ShapeMotion, ShapePose, ShapeTopology
from phalanx.ecs import function, local, read, rows, system, update
from phalanx.systems.collision.narrow.capsules import MOST, SAME_DEPTH, SAME_NORMAL, put_point
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SPOT,
    WAY,
    acts,
    before_impact,
    begin_way,
    bend,
    bounding_radius,
    least_gap,
    move_pair,
    primitive_gap,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.collision.narrow.segments import clamp, excess, nearest_to_box, squared
from phalanx.systems.collision.narrow.support import precision
from phalanx.systems.collision.narrow.vectors import are_numbers, direction

SAME_PLACE = 0.01
SAME_SPOT = 0.1
"""Ends that are not as deep are left out within this part of the capsule's length from the nearest point, at less than
this angle (rad): two points on one spot would take each other's impulses from step to step."""

FLAT = 0.2
"""Cosine of the angle of the segment and the normal below which the segment lies on the box and does not stand."""


@function
def way_out_of_box(cx, cy, cz, ux, uy, uz, half, sx, sy, sz):
    """Shortest way of the segment c + t u, |t| <= half, out of a box with half lengths s.

    Returns:
        unit normal outward from the box, separation along it (m, negative), the deepest t.
    """
    best = -math.inf
    nx = 0.0
    ny = 0.0
    nz = 1.0
    at = 0.0
    tolerance = SAME_DEPTH * (sx + sy + sz)
    for k in range(6):
        i = k % 3
        c = cx if i == 0 else (cy if i == 1 else cz)
        u = ux if i == 0 else (uy if i == 1 else uz)
        s = sx if i == 0 else (sy if i == 1 else sz)
        x = 1.0 if i == 0 else 0.0
        y = 1.0 if i == 1 else 0.0
        z = 1.0 if i == 2 else 0.0
        sign = 1.0 if c >= 0.0 else -1.0
        t = -half if sign * u >= 0.0 else half
        gap = sign * (c + t * u) - s
        if k > 2:
            x, y, z, sine = direction(
                0.0 if i == 0 else (uz if i == 1 else -uy),
                -uz if i == 0 else (0.0 if i == 1 else ux),
                uy if i == 0 else (-ux if i == 1 else 0.0),
            )
            away = cx * x + cy * y + cz * z
            sign = 1.0 if away >= 0.0 else -1.0
            # where the segment passes the edge, both seen along the edge
            ex = (sx if sign * x >= 0.0 else -sx) - cx
            ey = (sy if sign * y >= 0.0 else -sy) - cy
            ez = (sz if sign * z >= 0.0 else -sz) - cz
            along = ex * ux + ey * uy + ez * uz - u * (ex if i == 0 else (ey if i == 1 else ez))
            t = clamp(along / (sine * sine), half) if sine > 0.0 else 0.0
            gap = math.fabs(away) - (sx * math.fabs(x) + sy * math.fabs(y) + sz * math.fabs(z))
            gap = gap if sine > 1e-4 else -math.inf
        if gap > best + (tolerance if k > 0 else 0.0):
            best = gap
            nx = sign * x
            ny = sign * y
            nz = sign * z
            at = t
    return nx, ny, nz, best, at


@function
def across_edge(nx, ny, nz, ux, uy, uz, ratio):
    """The normal n where the segment passes an edge, more exact than the difference of the nearest points.

    Args:
        ratio: distance over size, what the difference is the more exact for.
    """
    by_x = nx == 0.0 and ny != 0.0 and nz != 0.0
    by_y = ny == 0.0 and nx != 0.0 and nz != 0.0
    by_z = nz == 0.0 and nx != 0.0 and ny != 0.0
    x, y, z, sine = direction(
        0.0 if by_x else (uz if by_y else -uy),
        -uz if by_x else (0.0 if by_y else ux),
        uy if by_x else (-ux if by_y else 0.0),
    )
    along = x * nx + y * ny + z * nz
    sign = 1.0 if along >= 0.0 else -1.0
    taken = (by_x or by_y or by_z) and ratio < sine and sign * along > 0.99
    return sign * x if taken else nx, sign * y if taken else ny, sign * z if taken else nz


@function
def touch_capsule_box(cx, cy, cz, ux, uy, uz, radius, half, sx, sy, sz, reach, out):
    """Contact points of a capsule with centre c and axis u and a box, in the frame of the box.

    Args:
        out: result, ``MOST`` points of ``SPOT`` numbers, from the capsule's centre.

    Returns:
        number of points.
    """
    size = radius + half + sx + sy + sz
    t = nearest_to_box(cx, cy, cz, ux, uy, uz, half, sx, sy, sz)
    nx, ny, nz, distance = direction(excess(cx + t * ux, sx), excess(cy + t * uy, sy), excess(cz + t * uz, sz))
    if not distance - radius <= reach:
        return 0
    deep = distance < 20.0 * precision() * size
    if deep:
        nx, ny, nz, distance, t = way_out_of_box(cx, cy, cz, ux, uy, uz, half, sx, sy, sz)
    elif math.fabs(t) < half:
        nx, ny, nz = across_edge(nx, ny, nz, ux, uy, uz, distance / size)
    low = -half
    high = half
    for k in range(3):  # what lies over the box, seen along the normal
        c = cx if k == 0 else (cy if k == 1 else cz)
        u = ux if k == 0 else (uy if k == 1 else uz)
        s = sx if k == 0 else (sy if k == 1 else sz)
        n = nx if k == 0 else (ny if k == 1 else nz)
        if math.fabs(n) < FLAT:
            if math.fabs(u) > 1e-20:
                t0 = (-s - c) / u
                t1 = (s - c) / u
                low = max(low, min(t0, t1))
                high = min(high, max(t0, t1))
            elif math.fabs(c) > s:
                high = -math.inf
    flat = math.fabs(ux * nx + uy * ny + uz * nz) < FLAT
    facing = max(math.fabs(nx), max(math.fabs(ny), math.fabs(nz)))
    ends = 2 if flat and low < high and (facing == 1.0 or not deep) else 0
    count = 0
    stands, needed = False, False
    same = SAME_DEPTH * min(radius + half, sx + sy + sz) + precision() * size
    # of a face: how far in its plane is
    level = sx * math.fabs(nx) + sy * math.fabs(ny) + sz * math.fabs(nz)
    for k in range(ends + 1):
        last = k == ends
        i = t if last else (low if k == 0 else high)
        x = cx + i * ux
        y = cy + i * uy
        z = cz + i * uz
        ox, oy, oz, length = direction(excess(x, sx), excess(y, sy), excess(z, sz))
        shared = last or deep
        aligned = shared or ox * nx + oy * ny + oz * nz > 0.9
        ox = nx if shared else ox
        oy = ny if shared else oy
        oz = nz if shared else oz
        gap = (distance if last else (x * nx + y * ny + z * nz - level if deep else length)) - radius
        wanted = (needed or not stands) if last else aligned
        if wanted and gap <= reach:
            turned = squared(ox - nx, oy - ny, oz - nz)
            as_good = gap <= distance - radius + same and turned < SAME_NORMAL * SAME_NORMAL
            stands = stands or as_good
            beside = math.fabs(i - t) < SAME_PLACE * (radius + half) and turned < SAME_SPOT * SAME_SPOT
            needed = (not last and beside and not as_good) or needed
            if last or as_good or not beside:
                out_of_a = radius + 0.5 * gap
                put_point(
                    out, count, i * ux - out_of_a * ox, i * uy - out_of_a * oy, i * uz - out_of_a * oz, ox, oy, oz, gap
                )
                count += 1
    return count


@system(over=Candidate, phase="collide", used="used")
def collide_capsule_box(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    reach=read(CandidatePair.reach),
    way_length=read(CandidatePair.way),
    kind=read(ShapeTopology.kind),
    size=read(ShapeGeometry.size),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    between=update(CandidatePair.between),
    count=update(Manifold.count),
    passed=update(Manifold.passed),
    clearance=update(Manifold.clearance),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Capsules with boxes: one point, or the ends of what lies on a face or along an edge."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != CAPSULE or kind[b, e] != BOX:
        return
    spots = local(SPOT * MOST)
    moved = local(MOVED)
    way = local(WAY)
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
    apart = max(rest[a, e] + rest[b, e], 0.0)
    radius, half = size[a, 0, e], size[a, 1, e]
    sx, sy, sz = size[b, 0, e], size[b, 1, e], size[b, 2, e]
    size_b = bounding_radius(BOX, sx, sy, sz)
    near = touching(radius + half, size_b)
    acting = False
    clear = math.inf
    bent = 0.0
    t = 0.0
    look = 0
    while look < LOOKS:
        r0, r1, r2, r3, r4, r5 = moved[9], moved[10], moved[11], moved[12], moved[13], moved[14]
        r6, r7, r8 = moved[15], moved[16], moved[17]
        cx, cy, cz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, -moved[18], -moved[19], -moved[20])
        ux, uy, uz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, moved[2], moved[5], moved[8])
        found = touch_capsule_box(
            cx, cy, cz, ux, uy, uz, radius, half, sx, sy, sz, reach[n, e] if look == 0 else math.inf, spots
        )
        found = found if are_numbers(cx, cy, cz) and are_numbers(ux, uy, uz) else 0
        for p in range(found):
            for o in range(SPOT * p, SPOT * p + 6, 3):  # place, normal
                spots[o], spots[o + 1], spots[o + 2] = turn(
                    r0, r1, r2, r3, r4, r5, r6, r7, r8, spots[o], spots[o + 1], spots[o + 2]
                )
        first = SPOT * least_gap(spots, found)
        gap = spots[first + 6] - apart
        clear = min(clear, gap)
        goes_on = look < LOOKS - 1 and gap > near
        if look == 0 or not goes_on:
            if look > 0:
                found = before_impact(way, moved, t, spots, found, reach[n, e])
                for i in range(3):
                    between[n, i, e] = moved[18 + i]
            count[n, e] = found
            for p in range(found):
                slot = n * (slots // candidates) + p
                for i in range(3):
                    position[slot, i, e] = spots[SPOT * p + i]
                    normal[slot, i, e] = spots[SPOT * p + 3 + i]
                separation[slot, e] = spots[SPOT * p + 6]
            goes_on = goes_on and look == 0 and found > 0 and gap < way_length[n, e]
            if goes_on:
                for i in range(3):
                    way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
                    way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
                    way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
                begin_way(way, moved)
                bent = bend(way, half, size_b)
                acting = acts(way, spots, found, rest[a, e] + rest[b, e] + near + bent)
        look += 1 if goes_on else LOOKS
        if goes_on:
            step = stretch(t, gap, bent)
            move_pair(way, t + step, moved)
            later = primitive_gap(
                moved, CAPSULE, 0.0, half, 0.0, BOX, sx, sy, sz,
                spots[first + 3], spots[first + 4], spots[first + 5],
            )  # fmt: skip
            later -= radius + apart
            t += step * safe_part(gap, later, bent, step)
            if t < 1.0:
                move_pair(way, t, moved)
            else:
                passed[n, e] = count[n, e] if acting else 0
                clearance[n, e] = clear
                look += LOOKS
