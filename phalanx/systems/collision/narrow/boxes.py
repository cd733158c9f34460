"""Boxes with boxes: separating axes (Gottschalk, Lin, Manocha 1996), and features clipped along the best.

Of boxes that overlap, the least overlap along the normals of the faces and the products of edges is the shortest way
out. Of boxes that are apart it is no more than a lower bound of the distance where the nearest features are a corner
and a corner or edge; then the edges are measured.
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
from phalanx.components.shape import BOX, ShapeBounds, ShapeGeometry, ShapeMotion, ShapePose, ShapeTopology
from phalanx.ecs import function, local, read, rows, system, update
from phalanx.systems.collision.narrow.contact_points import clip_manifold, feature_out_of_b
from phalanx.systems.collision.narrow.features import FEATURE, box_face
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SAME,
    SPOT,
    WAY,
    acts,
    before_impact,
    begin_way,
    bend,
    least_gap,
    move_pair,
    pair_of,
    points_out_of_a,
    primitive_gap,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.segments import clamp, excess, nearest_to_box
from phalanx.systems.collision.narrow.support import into_b, out_of_b, precision
from phalanx.systems.collision.narrow.vectors import direction

PAIR = 18
"""Numbers in ``pair``: relative pose and sizes as in :mod:`phalanx.systems.collision.narrow.support`."""
OUT = 19
SPOTS = 28

PREFERENCE = 3e-5
"""By so much of the smaller one's size must b's axis be better than a's, and an edge's better than both, to be taken:
where faces rest on each other the normal is always the same one's."""


@function
def same_depth(pair):
    """Separations that differ by less (m) are the same."""
    of_a = pair[12] + pair[13] + pair[14]
    of_b = pair[15] + pair[16] + pair[17]
    return PREFERENCE * min(of_a, of_b) + precision() * (of_a + of_b)


@function
def gap_along(pair, x, y, z):
    """How far the boxes are apart along a unit vector or its opposite, m, whichever is more; frame of a."""
    gap = math.fabs(pair[9] * x + pair[10] * y + pair[11] * z)
    gap -= pair[12] * math.fabs(x) + pair[13] * math.fabs(y) + pair[14] * math.fabs(z)
    ux, uy, uz = into_b(pair, x, y, z)
    return gap - (pair[15] * math.fabs(ux) + pair[16] * math.fabs(uy) + pair[17] * math.fabs(uz))


@function
def best_axis(pair, found):
    """The axis along which two boxes overlap least, or are farthest apart.

    Args:
        found: result, 6 numbers: unit normal from b to a; a point of a that is then nearest to b; frame of a.

    Returns:
        separation along the normal, m, a lower bound of the signed distance.
    """
    best = -math.inf
    chosen = 0
    tolerance = same_depth(pair)
    for k in range(15):
        i = k % 3
        j = k // 3 - 2
        x = 1.0 if i == 0 else 0.0
        y = 1.0 if i == 1 else 0.0
        z = 1.0 if i == 2 else 0.0
        if k >= 3:
            of_b = i if k < 6 else j
            rx = pair[of_b]
            ry = pair[3 + of_b]
            rz = pair[6 + of_b]
            edges = k >= 6
            x, y, z, sine = direction(
                y * rz - z * ry if edges else rx, z * rx - x * rz if edges else ry, x * ry - y * rx if edges else rz
            )
            if edges and not sine > 100.0 * precision():
                continue
        along = pair[9] * x + pair[10] * y + pair[11] * z
        gap = gap_along(pair, x, y, z)
        other_sort = (k >= 3 and chosen < 3) or (k >= 6 and chosen < 6)
        if gap > best + (tolerance if other_sort else 0.0):
            best = gap
            chosen = k
            sign = -1.0 if along > 0.0 else 1.0
            found[0] = sign * x
            found[1] = sign * y
            found[2] = sign * z
    axis_witness(pair, chosen, best, found)
    return best


@function
def axis_witness(pair, chosen, gap, found):
    """Into ``found[3:6]`` a point of a that is nearest to b along the normal ``found[0:3]`` of axis ``chosen``."""
    nx = found[0]
    ny = found[1]
    nz = found[2]
    ux, uy, uz = into_b(pair, nx, ny, nz)
    ax = pair[12] if nx < 0.0 else -pair[12]
    ay = pair[13] if ny < 0.0 else -pair[13]
    az = pair[14] if nz < 0.0 else -pair[14]
    bx, by, bz = out_of_b(
        pair,
        pair[15] if ux >= 0.0 else -pair[15],
        pair[16] if uy >= 0.0 else -pair[16],
        pair[17] if uz >= 0.0 else -pair[17],
    )
    if chosen >= 6:  # along a's edge to where b's passes
        i = chosen % 3
        j = chosen // 3 - 2
        vx = pair[j]
        vy = pair[3 + j]
        vz = pair[6 + j]
        ex = 0.0 if i == 0 else vx
        ey = 0.0 if i == 1 else vy
        ez = 0.0 if i == 2 else vz
        dx = ax - bx
        dy = ay - by
        dz = az - bz
        t = (dx * ex + dy * ey + dz * ez) / (ex * ex + ey * ey + ez * ez)
        ax = clamp(bx + t * vx, pair[12]) if i == 0 else ax
        ay = clamp(by + t * vy, pair[13]) if i == 1 else ay
        az = clamp(bz + t * vz, pair[14]) if i == 2 else az
    of_a = chosen < 3
    found[3] = bx + gap * nx if of_a else ax
    found[4] = by + gap * ny if of_a else ay
    found[5] = bz + gap * nz if of_a else az


@function
def distance_apart(pair, found):
    """Distance of two boxes that are apart, from the edges of b and the corners of a; ``found`` as of ``best_axis``."""
    best = math.inf
    for k in range(20):
        edge = k < 12
        j = k // 4
        p = 1.0 if k % 2 == 0 else -1.0
        q = 1.0 if k % 4 < 2 else -1.0
        r = 1.0 if k < 16 else -1.0
        if edge:
            x, y, z = out_of_b(
                pair,
                0.0 if j == 0 else p * pair[15],
                0.0 if j == 1 else (q if j == 2 else p) * pair[16],
                0.0 if j == 2 else q * pair[17],
            )
        else:
            x, y, z = into_b(pair, p * pair[12] - pair[9], q * pair[13] - pair[10], r * pair[14] - pair[11])
        at = 12 if edge else 15
        ux = pair[j] if edge else 1.0
        uy = pair[3 + j] if edge else 0.0
        uz = pair[6 + j] if edge else 0.0
        half = pair[15 + j] if edge else 0.0
        t = nearest_to_box(x, y, z, ux, uy, uz, half, pair[at], pair[at + 1], pair[at + 2])
        x += t * ux
        y += t * uy
        z += t * uz
        dx, dy, dz, distance = direction(excess(x, pair[at]), excess(y, pair[at + 1]), excess(z, pair[at + 2]))
        if distance < best:
            best = distance
            wx = pair[0] * dx + pair[1] * dy + pair[2] * dz
            wy = pair[3] * dx + pair[4] * dy + pair[5] * dz
            wz = pair[6] * dx + pair[7] * dy + pair[8] * dz
            found[0] = -dx if edge else wx
            found[1] = -dy if edge else wy
            found[2] = -dz if edge else wz
            found[3] = x - distance * dx if edge else p * pair[12]
            found[4] = y - distance * dy if edge else q * pair[13]
            found[5] = z - distance * dz if edge else r * pair[14]
    return best


@function
def touch_boxes(pair, reach, known, found, out):
    """Contact points of two boxes.

    Args:
        pair: ``PAIR`` numbers.
        reach: points farther apart (m) are left out.
        known: whether ``found[0:3]`` is the normal to take; else it becomes that.
        found: scratch of 6 numbers.
        out: result, ``OUT`` numbers: normal, then x, y, z and separation of each point, frame of a.

    Returns:
        number of points.
    """
    feature_a = local(FEATURE)
    feature_b = local(FEATURE)
    distance = gap_along(pair, found[0], found[1], found[2]) if known else best_axis(pair, found)
    if known:
        axis_witness(pair, 0, distance, found)
    if not (distance <= reach and distance > -math.inf):
        return 0
    near = same_depth(pair)
    count = 0
    for attempt in range(2):
        nx = found[0]
        ny = found[1]
        nz = found[2]
        box_face(feature_a, pair[12], pair[13], pair[14], -nx, -ny, -nz)
        dx, dy, dz = into_b(pair, nx, ny, nz)
        box_face(feature_b, pair[15], pair[16], pair[17], dx, dy, dz)
        feature_out_of_b(pair, feature_b, 4)
        count, closest = clip_manifold(
            feature_a, 4, feature_b, 4, nx, ny, nz, found[3], found[4], found[5], 0.0, 0.0, distance, distance, reach,
            near, 4, out,
        )  # fmt: skip
        if attempt > 0 or known or distance <= near or closest <= distance + 0.1 * near:
            break
        bound = distance
        distance = distance_apart(pair, found)
        if not distance <= reach:
            return 0
        if distance <= bound + 0.1 * near:
            break
    return count


@system(over=Candidate, phase="collide", used="used")
def collide_boxes(
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
    """Boxes with boxes: up to four points."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != BOX or kind[b, e] != BOX:
        return
    pair = local(PAIR)
    out = local(OUT)
    direct = local(6)
    spots = local(SPOTS)
    moved = local(MOVED)
    way = local(WAY)
    for i in range(3):
        pair[12 + i] = size[a, i, e]
        pair[15 + i] = size[b, i, e]
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
    apart = max(rest[a, e] + rest[b, e], 0.0)
    size_a = math.sqrt(pair[12] * pair[12] + pair[13] * pair[13] + pair[14] * pair[14])
    size_b = math.sqrt(pair[15] * pair[15] + pair[16] * pair[16] + pair[17] * pair[17])
    near = touching(size_a, size_b)
    acting = False
    clear = math.inf
    bent = 0.0
    t = 0.0
    along = -math.inf
    known = False
    x, y, z = 0.0, 0.0, 0.0
    look = 0
    while look < LOOKS:
        pair_of(moved, pair)
        found = touch_boxes(pair, reach[n, e] if look == 0 else math.inf, known, direct, out)
        points_out_of_a(moved, out, found, spots)
        first = SPOT * least_gap(spots, found)
        gap = spots[first + 6] - apart
        clear = min(clear, gap)
        goes_on = look < LOOKS - 1 and gap > near and not known
        again = not (goes_on or known) and along >= gap - SAME * near
        if again:  # touching, and the direction of the last look is as good as any
            known = True
            for i in range(3):
                direct[i] = moved[i] * x + moved[3 + i] * y + moved[6 + i] * z
        elif look == 0 or not goes_on:
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
                bent = bend(way, size_a, size_b)
                acting = acts(way, spots, found, rest[a, e] + rest[b, e] + near + bent)
        look += 1 if goes_on or again else LOOKS
        if goes_on:
            step = stretch(t, gap, bent)
            move_pair(way, t + step, moved)
            x, y, z = spots[first + 3], spots[first + 4], spots[first + 5]
            later = primitive_gap(
                moved, BOX, pair[12], pair[13], pair[14], BOX, pair[15], pair[16], pair[17], x, y, z
            )  # fmt: skip
            t += step * safe_part(gap, later - apart, bent, step)
            move_pair(way, t, moved)
            along = -apart + primitive_gap(
                moved, BOX, pair[12], pair[13], pair[14], BOX, pair[15], pair[16], pair[17], x, y, z
            )  # fmt: skip
            if t >= 1.0:
                passed[n, e] = count[n, e] if acting else 0
                clearance[n, e] = clear
                look += LOOKS
