"""Capsules with capsules, by formula."""

import math

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import CAPSULE, ShapeBounds, ShapeGeometry, ShapeMotion, ShapePose, ShapeTopology
from phalanx.ecs import function, local, read, rows, system, update
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SPOT,
    WAY,
    acts,
    before_impact,
    begin_way,
    bend,
    least_gap,
    move_pair,
    primitive_gap,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.segments import clamp, nearest_on_segments, squared
from phalanx.systems.collision.narrow.support import precision
from phalanx.systems.collision.narrow.vectors import direction, perpendicular

MOST = 3

PARALLEL = 0.1
"""Segments at a smaller angle (rad) than this touch at both ends of what they have in common."""
SAME_DEPTH = 1e-5
SAME_NORMAL = 3e-4
"""The nearest points of the cores need no contact point of their own where an end of the common part is as deep to
within this part of the smaller one's size, with a normal at less than this angle (rad)."""


@function
def put_point(out, count, x, y, z, nx, ny, nz, separation):
    """Append a point to the scratch array."""
    at = SPOT * count
    out[at] = x
    out[at + 1] = y
    out[at + 2] = z
    out[at + 3] = nx
    out[at + 4] = ny
    out[at + 5] = nz
    out[at + 6] = separation


@function
def touch_capsules(cx, cy, cz, ux, uy, uz, vx, vy, vz, p, q, radius_a, radius_b, reach, out):
    """Contact points of two capsules.

    Args:
        c: from the centre of a to that of b, m.
        u, v: unit vectors along their axes.
        p, q: half lengths of their cores, m.
        reach: points farther apart (m) are left out.
        out: result, ``MOST`` points of ``SPOT`` numbers, from the centre of a.

    Returns:
        number of points.
    """
    radii = radius_a + radius_b
    s, t, inside = nearest_on_segments(cx, cy, cz, ux, uy, uz, vx, vy, vz, p, q)
    nx, ny, nz, distance = direction(s * ux - cx - t * vx, s * uy - cy - t * vy, s * uz - cz - t * vz)
    if not distance - radii <= reach:
        return 0
    size = p + q + radii
    mx, my, mz, sine = direction(uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx)
    if inside and distance < sine * size:  # more exact there than the difference of the nearest points
        sign = -1.0 if cx * mx + cy * my + cz * mz > 0.0 else 1.0
        nx = sign * mx
        ny = sign * my
        nz = sign * mz
    elif not distance > 0.0:
        nx, ny, nz = perpendicular(ux, uy, uz)
    count = 0
    stands = False
    same = SAME_DEPTH * min(p + radius_a, q + radius_b) + precision() * size
    turn = ux * vx + uy * vy + uz * vz
    along_u = cx * ux + cy * uy + cz * uz
    along_v = cx * vx + cy * vy + cz * vz
    low = max(-p, along_u - math.fabs(turn) * q)
    high = min(p, along_u + math.fabs(turn) * q)
    ends = 2 if sine < PARALLEL and low < high else 0
    for k in range(ends + 1):
        last = k == ends
        i = s if last else (low if k == 0 else high)
        j = t if last else clamp(turn * i - along_v, q)
        wx = i * ux - cx - j * vx
        wy = i * uy - cy - j * vy
        wz = i * uz - cz - j * vz
        ox, oy, oz, length = direction(wx, wy, wz)
        close = last or length < 100.0 * precision() * size
        ox = nx if close else ox
        oy = ny if close else oy
        oz = nz if close else oz
        gap = (distance if last else (wx * nx + wy * ny + wz * nz if close else length)) - radii
        aligned = close or ox * nx + oy * ny + oz * nz > 0.9
        wanted = not stands if last else aligned
        if wanted and gap <= reach:
            turned = squared(ox - nx, oy - ny, oz - nz)
            stands = stands or (gap <= distance - radii + same and turned < SAME_NORMAL * SAME_NORMAL)
            out_of_a = radius_a + 0.5 * gap
            put_point(
                out, count, i * ux - out_of_a * ox, i * uy - out_of_a * oy, i * uz - out_of_a * oz, ox, oy, oz, gap
            )
            count += 1
    return count


@system(over=Candidate, phase="collide", used="used")
def collide_capsules(
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
    """Capsules with capsules: one point, or the ends of the common part of nearly parallel ones."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != CAPSULE or kind[b, e] != CAPSULE:
        return
    spots = local(SPOT * MOST)
    half_a, half_b, radius_a, radius_b = size[a, 1, e], size[b, 1, e], size[a, 0, e], size[b, 0, e]
    found = touch_capsules(
        between[n, 0, e], between[n, 1, e], between[n, 2, e],
        rotation[a, 2, e], rotation[a, 5, e], rotation[a, 8, e],
        rotation[b, 2, e], rotation[b, 5, e], rotation[b, 8, e],
        half_a, half_b, radius_a, radius_b, reach[n, e], spots,
    )  # fmt: skip
    count[n, e] = found
    for p in range(found):
        slot = n * (slots // candidates) + p
        for k in range(3):
            position[slot, k, e] = spots[SPOT * p + k]
            normal[slot, k, e] = spots[SPOT * p + 3 + k]
        separation[slot, e] = spots[SPOT * p + 6]
    apart = max(rest[a, e] + rest[b, e], 0.0)
    near = touching(radius_a + half_a, radius_b + half_b)
    first = SPOT * least_gap(spots, found)
    gap = spots[first + 6] - apart
    if not (found > 0 and gap > near and gap < way_length[n, e]):
        return
    moved = local(MOVED)
    way = local(WAY)
    for i in range(9):
        moved[i], moved[9 + i] = rotation[a, i, e], rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
        way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
        way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
        way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
    begin_way(way, moved)
    bent = bend(way, half_a, half_b)
    acting = acts(way, spots, found, rest[a, e] + rest[b, e] + near + bent)
    clear = gap
    t = 0.0
    look = 0
    while look < LOOKS:
        step = stretch(t, gap, bent)
        move_pair(way, t + step, moved)
        later = primitive_gap(
            moved, CAPSULE, 0.0, half_a, 0.0, CAPSULE, 0.0, half_b, 0.0,
            spots[first + 3], spots[first + 4], spots[first + 5],
        )  # fmt: skip
        later -= radius_a + radius_b + apart
        t += step * safe_part(gap, later, bent, step)
        look += 1
        if t < 1.0:
            move_pair(way, t, moved)
            found = touch_capsules(
                moved[18], moved[19], moved[20], moved[2], moved[5], moved[8], moved[11], moved[14], moved[17],
                half_a, half_b, radius_a, radius_b, math.inf, spots,
            )  # fmt: skip
            first = SPOT * least_gap(spots, found)
            gap = spots[first + 6] - apart
            clear = min(clear, gap)
            if not gap > near or look == LOOKS - 1:
                found = before_impact(way, moved, t, spots, found, reach[n, e])
                count[n, e] = found
                for p in range(found):
                    slot = n * (slots // candidates) + p
                    for k in range(3):
                        position[slot, k, e] = spots[SPOT * p + k]
                        normal[slot, k, e] = spots[SPOT * p + 3 + k]
                    separation[slot, e] = spots[SPOT * p + 6]
                for i in range(3):
                    between[n, i, e] = moved[18 + i]
                look += LOOKS
        else:
            passed[n, e] = count[n, e] if acting else 0
            clearance[n, e] = clear
            look += LOOKS
