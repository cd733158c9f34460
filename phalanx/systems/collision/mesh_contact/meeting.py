"""When a shape meets a triangle on its way through the substep; see :mod:`phalanx.systems.collision.narrow.impact`.

Each triangle is a convex shape of its own here: the times at which a shape meets them differ, and most of those that
are near are never met. ``way`` and ``moved`` are the motion of the pair and where it is at a time; places about the
shape's origin then, in the mesh's axes.
"""

import math

from phalanx.ecs import function, local
from phalanx.maths.kernels import cross
from phalanx.systems.collision.mesh_contact.patch import MOST, add_point, thin_patch
from phalanx.systems.collision.mesh_contact.round_triangle import round_triangle
from phalanx.systems.collision.narrow.ball import ball_radius
from phalanx.systems.collision.narrow.distance import signed_distance
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    SAME,
    SPOT,
    approach,
    bend,
    least_gap,
    move_pair,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.support import core_radius, separation_along

MOTION = 8
"""Numbers in ``motion``, m: sum of rest offsets; distance at which shapes meet; what is nearer to that touches; what
is farther from that will not meet; results: least distance to triangles that are passed although points of theirs would
act, and to the last triangle that was passed; how far the motion would go on after something is met; radius of the ball
that guards a fast shape (:mod:`phalanx.systems.collision.narrow.guard`), 0 if there is none.
"""

RIM = 0.01
"""A ball guards at triangles that it meets inside, or outside by less than this part of its radius."""

PASSES = 2.0
"""In place of a time: the shape does not meet the triangle."""


@function
def begin_motion(motion, way, rest, size, inner, way_length):
    """Fill ``motion``.

    Args:
        size, inner: of the shape, and radius of the largest ball about its origin that lies within it, m.
        way_length: what the pair may come nearer in the substep, m.
    """
    motion[0] = rest
    motion[1] = max(rest, 0.0)
    motion[2] = touching(size, size)
    motion[3] = way_length
    motion[4] = math.inf
    motion[5] = math.inf
    motion[6] = 0.0
    motion[7] = ball_radius(way[3], way[4], way[5], inner, way_length)


@function
def in_mesh(moved, x, y, z):
    """A vector in world axes, in those of the mesh."""
    return (
        moved[9] * x + moved[12] * y + moved[15] * z,
        moved[10] * x + moved[13] * y + moved[16] * z,
        moved[11] * x + moved[14] * y + moved[17] * z,
    )


@function
def out_of_mesh(moved, x, y, z):
    """A vector in the mesh's axes, in world axes."""
    return (
        moved[9] * x + moved[10] * y + moved[11] * z,
        moved[12] * x + moved[13] * y + moved[14] * z,
        moved[15] * x + moved[16] * y + moved[17] * z,
    )


@function
def shift_corners(moved, corners, cx, cy, cz, to):
    """Corners about the shape's origin, which was at c in the mesh's frame, about where it is at the time of ``moved``.

    Returns:
        where that is.
    """
    x, y, z = in_mesh(moved, -moved[18], -moved[19], -moved[20])
    for k in range(0, 9, 3):
        to[k] = corners[k] + (cx - x)
        to[k + 1] = corners[k + 1] + (cy - y)
        to[k + 2] = corners[k + 2] + (cz - z)
    return x, y, z


@function
def top_along(corners, x, y, z):
    """How far a triangle reaches along a direction."""
    return max(
        corners[0] * x + corners[1] * y + corners[2] * z,
        max(
            corners[3] * x + corners[4] * y + corners[5] * z,
            corners[6] * x + corners[7] * y + corners[8] * z,
        ),
    )


@function
def corner_distance(corners, cx, cy, cz):
    """Distance of a triangle's farthest corner from the mesh's origin, which the shape's is at c from."""
    most = 0.0
    for k in range(0, 9, 3):
        x = corners[k] + cx
        y = corners[k + 1] + cy
        z = corners[k + 2] + cz
        most = max(most, x * x + y * y + z * z)
    return math.sqrt(most)


@function
def round_meeting(way, moved, motion, corners, cx, cy, cz, mx, my, mz, half, radius, points, count):
    """When a sphere or capsule meets a triangle that it is apart from.

    Args:
        corners: at the start, about the shape's origin, which is then at c; about where it is when they meet.
        mx, my, mz: normal of the triangle on the side of the shape.
        half, radius, points, count: see :func:`~.round_triangle.round_triangle`; ``points`` are those at the start,
            then those where they meet.

    Returns:
        the time, or ``PASSES``; and the number of points.
    """
    at = local(9)
    apart = motion[1]
    clear = math.inf
    move_pair(way, 0.0, moved)
    bent = bend(way, half, corner_distance(corners, cx, cy, cz))
    t = 0.0
    for look in range(LOOKS):
        o = SPOT * least_gap(points, count)
        gap = points[o + 6] - apart
        clear = min(clear, gap)
        motion[5] = clear
        if look > 0 and (gap <= motion[2] or look == LOOKS - 1):
            if not mx * at[0] + my * at[1] + mz * at[2] <= 0.0:
                return PASSES, 0
            for k in range(9):
                corners[k] = at[k]
            return t, count
        x, y, z = out_of_mesh(moved, points[o + 3], points[o + 4], points[o + 5])
        step = stretch(t, gap, bent)
        move_pair(way, t + step, moved)
        nx, ny, nz = in_mesh(moved, x, y, z)
        ux, uy, uz = in_mesh(moved, moved[2], moved[5], moved[8])
        shift_corners(moved, corners, cx, cy, cz, at)
        later = -half * math.fabs(nx * ux + ny * uy + nz * uz) - top_along(at, nx, ny, nz) - radius - apart
        t += step * safe_part(gap, later, bent, step)
        if t >= 1.0:
            return PASSES, 0
        move_pair(way, t, moved)
        ux, uy, uz = in_mesh(moved, moved[2], moved[5], moved[8])
        shift_corners(moved, corners, cx, cy, cz, at)
        count = round_triangle(at, mx, my, mz, ux, uy, uz, half, radius, math.inf, points)
        if count == 0:
            return PASSES, 0
    return PASSES, 0


@function
def origin_in_mesh(moved, cx, cy, cz, t):
    """Where the shape's origin is in the mesh's frame at time t: at c, unless it moves until then."""
    x, y, z = in_mesh(moved, -moved[18], -moved[19], -moved[20])
    still = t == 0.0 or t == PASSES
    return cx if still else x, cy if still else y, cz if still else z


@function
def meet_round(
    way, moved, motion, corners, cx, cy, cz, mx, my, mz, ux, uy, uz, half, radius, reach, points, count
):  # fmt: skip
    """The time to look at a triangle (0: the start, or ``PASSES``), with corners and points of that time."""
    gap = points[SPOT * least_gap(points, count) + 6] - motion[1]
    t = 0.0
    if gap > motion[2] and gap < motion[3]:
        t, met = round_meeting(way, moved, motion, corners, cx, cy, cz, mx, my, mz, half, radius, points, count)
        if t == PASSES:
            move_pair(way, 0.0, moved)
            met = round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points)
        count = met
    return t, count


@function
def meet_convex(
    way, moved, motion, corners, cx, cy, cz, mx, my, mz, pair, forms, vertices, start_turn, turn, simplex, point,
    found, reach, radius,
):  # fmt: skip
    """The time to look at a triangle (0: the start, or ``PASSES``) and the signed distance then.

    Corners, ``pair``, ``found`` and ``turn`` are those of that time; see :func:`convex_meeting`.
    """
    before = local(7)
    for k in range(9):
        turn[k] = start_turn[k]
    t, distance = convex_meeting(
        way, moved, motion, corners, cx, cy, cz, mx, my, mz, pair, forms, vertices, turn, simplex, point, found,
        before, reach, radius,
    )  # fmt: skip
    if t == PASSES:
        move_pair(way, 0.0, moved)
        for k in range(9):
            turn[k] = start_turn[k]
        place_triangle(pair, turn, corners)
        for k in range(6):
            found[k] = before[k]
        distance = before[6]
    return t, distance


@function
def turn_to_shape(moved, turn):
    """Row-major rotation from the mesh's axes to the shape's."""
    for i in range(3):
        for j in range(3):
            turn[3 * i + j] = moved[i] * moved[9 + j] + moved[3 + i] * moved[12 + j] + moved[6 + i] * moved[15 + j]


@function
def shape_box(turn, half, middle, reach, box):
    """Middle and half lengths of a shape's bounding box in the surface's axes, about the shape's origin, with a margin.

    Args:
        turn: row-major rotation from the surface's axes to the shape's.
        half, middle: half lengths and middle of the shape's bounding box along its own axes.

    Returns:
        length of the shape, and a bound on how far it reaches from its origin, m.
    """
    for i in range(3):
        box[i] = 0.0
        box[3 + i] = reach
        for j in range(3):
            box[i] += turn[3 * j + i] * middle[j]
            box[3 + i] += math.fabs(turn[3 * j + i]) * half[j]
    size = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    return size, size + math.sqrt(middle[0] * middle[0] + middle[1] * middle[1] + middle[2] * middle[2])


@function
def place_triangle(pair, turn, corners):
    """A triangle, about the shape's origin in the mesh's axes, as shape b of a pair."""
    for i in range(3):
        pair[9 + i] = 0.0
        for k in range(3):
            along = 0.0
            for j in range(3):
                along += turn[3 * i + j] * corners[3 * k + j]
            pair[18 + 3 * k + i] = along
            pair[9 + i] += 0.3333333333333333 * along
        for k in range(3):  # about the triangle's middle
            pair[18 + 3 * k + i] -= pair[9 + i]


@function
def convex_meeting(
    way, moved, motion, corners, cx, cy, cz, mx, my, mz, pair, forms, vertices, turn, simplex, point, found, before,
    reach, radius,
):  # fmt: skip
    """When a convex shape meets a triangle that it is apart from; 0 if it touches, or need not be moved.

    Args:
        corners: at the start, about the shape's origin, which is then at c; about where it is when they meet.
        mx, my, mz: normal of the triangle on the side of the shape.
        pair, forms, vertices, simplex, point, found: see
            :func:`phalanx.systems.collision.narrow.distance.signed_distance`; those where they meet.
        turn: row-major rotation from the mesh's axes to the shape's, at the start, then when they meet.
        before: result, 7 numbers: ``found`` and signed distance at the start.
        reach: larger distances (m) at the start need not be known.
        radius: bound on how far the shape reaches from its origin, m.

    Returns:
        the time, or ``PASSES``; and the signed distance.
    """
    at = local(9)
    apart = motion[1]
    clear = math.inf
    rounding = core_radius(forms[0], pair[12])
    bent = 0.0
    x = 0.0
    y = 0.0
    z = 0.0
    t = 0.0
    distance = math.inf
    for k in range(9):
        at[k] = corners[k]
    for look in range(LOOKS):
        if look > 0:
            turn_to_shape(moved, turn)
            shift_corners(moved, corners, cx, cy, cz, at)
        place_triangle(pair, turn, at)
        # One call, for the start as well: this is most of the kernel's code.
        distance = signed_distance(pair, forms, vertices, simplex, point, reach if look == 0 else math.inf, found)
        if look == 0:
            gap = distance - apart
            if not (distance <= reach and gap > motion[2] and gap < motion[3]):
                return t, distance
            for k in range(6):
                before[k] = found[k]
            before[6] = distance
            move_pair(way, 0.0, moved)
            bent = bend(way, radius, corner_distance(corners, cx, cy, cz))
        clear = min(clear, distance - apart)
        motion[5] = clear
        if look > 0 and (distance - apart <= motion[2] or look == LOOKS - 1):
            if not mx * at[0] + my * at[1] + mz * at[2] <= 0.0:
                return PASSES, distance
            for k in range(9):
                corners[k] = at[k]
            # Touching, the direction of the last look may be as good.
            nx = moved[0] * x + moved[3] * y + moved[6] * z
            ny = moved[1] * x + moved[4] * y + moved[7] * z
            nz = moved[2] * x + moved[5] * y + moved[8] * z
            along = separation_along(pair, forms, vertices, point, nx, ny, nz) - rounding
            if along >= distance - SAME * motion[2]:
                found[0] = nx
                found[1] = ny
                found[2] = nz
                for k in range(3, 6):
                    found[k] = point[k]
                distance = along
            return t, distance
        x = moved[0] * found[0] + moved[1] * found[1] + moved[2] * found[2]
        y = moved[3] * found[0] + moved[4] * found[1] + moved[5] * found[2]
        z = moved[6] * found[0] + moved[7] * found[1] + moved[8] * found[2]
        step = stretch(t, distance - apart, bent)
        move_pair(way, t + step, moved)
        turn_to_shape(moved, turn)
        shift_corners(moved, corners, cx, cy, cz, at)
        place_triangle(pair, turn, at)
        later = separation_along(
            pair, forms, vertices, point,
            moved[0] * x + moved[3] * y + moved[6] * z,
            moved[1] * x + moved[4] * y + moved[7] * z,
            moved[2] * x + moved[5] * y + moved[8] * z,
        )  # fmt: skip
        t += step * safe_part(distance - apart, later - rounding - apart, bent, step)
        if t >= 1.0:
            return PASSES, distance
        move_pair(way, t, moved)
    return PASSES, distance


@function
def from_start(way, moved, t, side, x, y, z, nx, ny, nz, gap):
    """A contact point at time t as seen from the start, see
    :func:`~phalanx.systems.collision.narrow.impact.before_impact`.

    Args:
        side: axes of the point and its normal: 0 of the shape, 1 of the mesh; at time t, then at the start.
        x, y, z: from the shape's origin.

    Returns:
        place, normal, what it is apart, and what it comes nearer in the substep (negative), m.
    """
    o = 9 * side
    px = moved[o] * x + moved[o + 1] * y + moved[o + 2] * z + moved[21]
    py = moved[o + 3] * x + moved[o + 4] * y + moved[o + 5] * z + moved[22]
    pz = moved[o + 6] * x + moved[o + 7] * y + moved[o + 8] * z + moved[23]
    qx = moved[o] * nx + moved[o + 1] * ny + moved[o + 2] * nz
    qy = moved[o + 3] * nx + moved[o + 4] * ny + moved[o + 5] * nz
    qz = moved[o + 6] * nx + moved[o + 7] * ny + moved[o + 8] * nz
    bx = way[36] + t * (way[15] - way[6])
    by = way[37] + t * (way[16] - way[7])
    bz = way[38] + t * (way[17] - way[8])
    nearer = approach(way, px, py, pz, bx, by, bz, qx, qy, qz)
    half = -0.5 * max(gap, 0.0)  # to where it is on the shape
    gap = max(gap - t * nearer, 0.0) if t > 0.0 else gap
    half = half + 0.5 * gap if t > 0.0 else 0.0
    px -= half * qx
    py -= half * qy
    pz -= half * qz
    o += 18
    return (
        way[o] * px + way[o + 3] * py + way[o + 6] * pz,
        way[o + 1] * px + way[o + 4] * py + way[o + 7] * pz,
        way[o + 2] * px + way[o + 5] * py + way[o + 8] * pz,
        way[o] * qx + way[o + 3] * qy + way[o + 6] * qz,
        way[o + 1] * qx + way[o + 4] * qy + way[o + 7] * qz,
        way[o + 2] * qx + way[o + 5] * qy + way[o + 8] * qz,
        gap,
        nearer,
    )


@function
def row_from_start(way, moved, motion, t, side, x, y, z, nx, ny, nz, gap, size):
    """A contact point of a triangle as seen from the start.

    Args:
        t: when the shape meets the triangle, 0: it is as it is, ``PASSES``: it does not. If not 0, ``moved`` is where
            the shapes are at that time, or at the start if they pass.
        side, x to gap: see :func:`from_start`.
        size: see :func:`~.patch.add_point`.

    Returns:
        place, normal, what it is apart, that with the substep's motion, and whether it would act although the triangle
        is passed.
    """
    acts = False
    level = gap
    if t != 0.0 or motion[7] > 0.0:
        if t == 0.0:
            move_pair(way, 0.0, moved)
        x, y, z, nx, ny, nz, gap, nearer = from_start(
            way, moved, 0.0 if t == PASSES else t, side, x, y, z, nx, ny, nz, gap
        )
        # The solver's motion is another one by as much as a spin changes in the substep.
        spin = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) * size
        acts = t == PASSES and gap + nearer < motion[0] + motion[2] + spin
        motion[6] = max(motion[6], -max(gap, 0.0) - nearer) if t != PASSES else motion[6]
        level = gap + min(nearer, 0.0)
    return x, y, z, nx, ny, nz, gap, level, acts


@function
def insert_row(x, y, z, nx, ny, nz, gap, level, acts, clear, motion, patch, passed, counts, size):
    """Put what :func:`row_from_start` gives into a patch: what would act although it is passed into ``passed``.

    Args:
        clear: least distance to the triangle on the way, m.
        counts: numbers of points in ``patch`` and in ``passed``.
    """
    if acts:
        motion[4] = min(motion[4], clear)
        counts[1] = add_point(passed, counts[1], x, y, z, nx, ny, nz, gap, level, size)
    else:
        counts[0] = add_point(patch, counts[0], x, y, z, nx, ny, nz, gap, level, size)


@function
def add_row(way, moved, motion, t, side, x, y, z, nx, ny, nz, gap, patch, passed, counts, size):
    """Put a contact point of a triangle into a patch; see :func:`row_from_start` and :func:`insert_row`."""
    x, y, z, nx, ny, nz, gap, level, acts = row_from_start(way, moved, motion, t, side, x, y, z, nx, ny, nz, gap, size)
    insert_row(x, y, z, nx, ny, nz, gap, level, acts, motion[5], motion, patch, passed, counts, size)


@function
def guard_triangle(way, motion, corners, mx, my, mz, guards, counts):
    """Put where the ball of a fast shape meets a triangle into the patch ``guards``; see :func:`guard_of`.

    Args:
        guards, counts: points about the shape's origin in the mesh's axes, and in ``counts[2]`` how many.
    """
    guarded, x, y, z, gap = guard_of(way, motion, corners, mx, my, mz)
    if guarded:
        counts[2] = add_point(guards, counts[2], x, y, z, mx, my, mz, gap, gap, motion[7])


@function
def guard_of(way, motion, corners, mx, my, mz):
    """Where the ball of a fast shape meets the front of a triangle.

    Args:
        corners: of the triangle, about the shape's origin at the start, in the mesh's axes.
        mx, my, mz: its normal on the side of the shape.

    Returns:
        whether it does, where, about the shape's origin in the mesh's axes, and what it is apart.
    """
    over = False
    radius = motion[7]
    x = way[27] * way[3] + way[30] * way[4] + way[33] * way[5]
    y = way[28] * way[3] + way[31] * way[4] + way[34] * way[5]
    z = way[29] * way[3] + way[32] * way[4] + way[35] * way[5]
    dx = way[6] - way[15]
    dy = way[7] - way[16]
    dz = way[8] - way[17]
    level = mx * (x - corners[0]) + my * (y - corners[1]) + mz * (z - corners[2])
    ux = way[27] * dx + way[30] * dy + way[33] * dz
    uy = way[28] * dx + way[31] * dy + way[34] * dz
    uz = way[29] * dx + way[32] * dy + way[35] * dz
    nearer = mx * ux + my * uy + mz * uz
    gap = max(level - radius - motion[1], 0.0)
    if level > 0.0 and gap + nearer < 0.0:
        t = -gap / nearer
        px = x + t * ux - radius * mx
        py = y + t * uy - radius * my
        pz = z + t * uz - radius * mz
        rim = RIM * radius
        over = True
        for k in range(0, 9, 3):
            j = (k + 3) % 9
            o = (k + 6) % 9
            ex = corners[j] - corners[k]
            ey = corners[j + 1] - corners[k + 1]
            ez = corners[j + 2] - corners[k + 2]
            qx, qy, qz = cross(ex, ey, ez, mx, my, mz)  # across the edge
            side = qx * (corners[o] - corners[k]) + qy * (corners[o + 1] - corners[k + 1])
            side += qz * (corners[o + 2] - corners[k + 2])
            out = qx * (px - corners[k]) + qy * (py - corners[k + 1]) + qz * (pz - corners[k + 2])
            out = -out if side > 0.0 else out
            over = over and (out <= 0.0 or out * out <= rim * rim * (ex * ex + ey * ey + ez * ez))
        lever = radius + 0.5 * (gap + motion[1])
        x -= lever * mx
        y -= lever * my
        z -= lever * mz
    return over, x, y, z, gap + motion[1]


@function
def turn_guards(turn, guards, count):
    """Turn points that guard from the surface's axes to the shape's."""
    for o in range(0, 8 * count, 8):
        for i in range(0, 6, 3):
            x = guards[o + i]
            y = guards[o + i + 1]
            z = guards[o + i + 2]
            guards[o + i] = turn[0] * x + turn[1] * y + turn[2] * z
            guards[o + i + 1] = turn[3] * x + turn[4] * y + turn[5] * z
            guards[o + i + 2] = turn[6] * x + turn[7] * y + turn[8] * z


@function
def finish_patches(motion, patch, passed, guards, counts, size):
    """Thin patches; append to ``patch`` what is passed and what guards; a fast shape has nothing but the latter.

    Args:
        counts: numbers of points in ``patch``, ``passed`` and ``guards``, then those in ``patch`` that are not passed,
            and that are.
        size: of the shape, m.
    """
    guarding = min(counts[2], 2)
    if guarding > 0 and motion[6] > size:
        counts[0] = 0
        counts[1] = 0
    counts[0] = thin_patch(patch, counts[0], size)
    kept = min(counts[0], MOST - guarding)
    for k in range(8 * guarding):
        patch[8 * kept + k] = guards[k]
    counts[0] = kept + guarding
    counts[1] = min(thin_patch(passed, counts[1], size), MOST - counts[0])
    for k in range(8 * counts[1]):
        patch[8 * counts[0] + k] = passed[k]
