"""Convex shapes as distance functions, and as corners, edges and rims to look up in a distance field.

A shape is ``solid`` (its size, 3 numbers), ``forms`` (kind, first and end vertex, first and end face) and ``place``
(row-major rotation from the field's axes to the shape's; the shape's origin in the field's frame, m).
"""

import math

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE
from phalanx.ecs import function, local, real
from phalanx.systems.collision.narrow.outside import outside_of
from phalanx.systems.collision.narrow.vectors import unit
from phalanx.systems.collision.sdf_contact.field import ball_in_field, clip_to_grid, field_at

PLACE = 12
"""Numbers in ``place``."""
SPOT = 16
"""Numbers in ``spot``, a point of a shape to look up in a field (frame of the field): its place; a direction out of the
shape there (0: any) and the least cosine of this with what a contact there pushes against; along what it may slide, if
anything: direction, radius of a rim (0: a line), how far back and forth (m), direction from the rim's centre."""

NOWHERE = 2.0
"""As a cosine in ``spot``: the point is nowhere near."""

_ALONG = 6
"""Points along a line."""
_AROUND = 8
"""Points of a rim."""
_CORNER = -0.018
"""Least cosine of a direction out of a box's corner with a contact normal there: 54.7 degrees and 0.6 rad; of an
edge, a corner of a hull:"""
_EDGE = 0.18
_ANY = -0.2
_SLIDES = 6
_SLOPE = 3e-3
"""Slope along an edge (rad) that is none."""


@function
def hull_distance(
    forms, x, y, z, near, normals, offsets, first_corners, end_corners, corner_vertices, vertices
):  # fmt: skip
    """Outward unit normal of a hull nearest to a point in its frame, and the signed distance.

    Of points farther away than ``near`` it may be less than that, but not less than ``near``.
    """
    most = -math.inf
    nx = 1.0
    ny = 0.0
    nz = 0.0
    for f in range(forms[3], forms[4]):
        height = normals[f, 0, 0] * x + normals[f, 1, 0] * y + normals[f, 2, 0] * z - offsets[f, 0]
        if height > most:
            most = height
            nx = normals[f, 0, 0]
            ny = normals[f, 1, 0]
            nz = normals[f, 2, 0]
    if not (most > 0.0 and most <= near):
        return nx, ny, nz, most
    least = math.inf
    for f in range(forms[3], forms[4]):
        mx = normals[f, 0, 0]
        my = normals[f, 1, 0]
        mz = normals[f, 2, 0]
        height = mx * x + my * y + mz * z - offsets[f, 0]
        if height > 0.0:
            over = True
            k = end_corners[f, 0] - 1
            for m in range(first_corners[f, 0], end_corners[f, 0]):
                a = corner_vertices[k, 0]
                b = corner_vertices[m, 0]
                k = m
                px = x - vertices[a, 0, 0]
                py = y - vertices[a, 1, 0]
                pz = z - vertices[a, 2, 0]
                ex = vertices[b, 0, 0] - vertices[a, 0, 0]
                ey = vertices[b, 1, 0] - vertices[a, 1, 0]
                ez = vertices[b, 2, 0] - vertices[a, 2, 0]
                if px * (ey * mz - ez * my) + py * (ez * mx - ex * mz) + pz * (ex * my - ey * mx) > 0.0:
                    over = False
                    share = (px * ex + py * ey + pz * ez) / (ex * ex + ey * ey + ez * ez)
                    share = min(max(share, 0.0), 1.0)
                    px -= share * ex
                    py -= share * ey
                    pz -= share * ez
                    square = px * px + py * py + pz * pz
                    if square < least:
                        least = square
                        nx = px
                        ny = py
                        nz = pz
            if over and height * height < least:
                least = height * height
                nx = mx * height
                ny = my * height
                nz = mz * height
    nx, ny, nz = unit(nx, ny, nz)
    return nx, ny, nz, math.sqrt(least)


@function
def solid_distance(
    forms, solid, place, x, y, z, near, normals, offsets, first_corners, end_corners, corner_vertices, vertices
):  # fmt: skip
    """Outward unit normal of a convex shape nearest to a point, all in the field's frame, and the signed distance.

    Of points farther away than ``near`` it may be less than it is, but not less than ``near``.
    """
    own = local(3)
    for i in range(3):
        own[i] = place[3 * i] * (x - place[9]) + place[3 * i + 1] * (y - place[10]) + place[3 * i + 2] * (z - place[11])
    if forms[0] == HULL:
        ux, uy, uz, distance = hull_distance(
            forms, own[0], own[1], own[2], near, normals, offsets, first_corners, end_corners, corner_vertices, vertices
        )
    else:
        ux, uy, uz, distance = outside_of(forms[0], solid[0], solid[1], solid[2], own[0], own[1], own[2])
    return (
        place[0] * ux + place[3] * uy + place[6] * uz,
        place[1] * ux + place[4] * uy + place[7] * uz,
        place[2] * ux + place[5] * uy + place[8] * uz,
        distance,
    )


@function
def count_features(forms):
    """How many points of a shape are looked up in a field."""
    kind = forms[0]
    if kind == HULL:
        return forms[2] - forms[1]
    if kind == BOX:
        return 8 + 12 * 3
    if kind == CYLINDER:
        return 2 * _AROUND + _ALONG
    if kind == CONE:
        return 1 + _AROUND + _ALONG
    return 1 if kind == SPHERE else _ALONG


@function
def outward_point(forms, solid, place, i, dims, grid, distances, vertices, reach, spot):
    """Put the i-th point of a shape to look up in a field into ``spot``."""
    kind = forms[0]
    p = local(9)  # a point or two ends of a line in the shape's axes, and the direction
    for k in range(9):
        p[k] = 0.0
    share = -1.0
    spot[6] = -2.0
    for k in range(7, SPOT):
        spot[k] = 0.0
    if kind == HULL:
        v = forms[1] + i
        length = 0.0
        for k in range(3):
            p[k] = vertices[v, k, 0]
            length += p[k] * p[k]
        length = math.sqrt(length)
        for k in range(3):
            p[6 + k] = p[k] / length if length > 0.0 else 0.0
        spot[6] = _ANY
    elif kind == BOX:
        if i < 8:
            for k in range(3):
                sign = 1.0 if (i >> k) & 1 == 1 else -1.0
                p[k] = sign * solid[k]
                p[6 + k] = sign * 0.5773502691896258
            spot[6] = _CORNER
        else:
            edge = (i - 8) // 3
            share = (real((i - 8) % 3) + 0.5) / 3.0
            axis = edge // 4
            for k in range(3):
                bit = edge & 1 if k == (axis + 1) % 3 else (edge >> 1) & 1
                sign = 1.0 if bit == 1 else -1.0
                p[k] = -solid[k] if k == axis else sign * solid[k]
                p[3 + k] = solid[k] if k == axis else sign * solid[k]
                p[6 + k] = 0.0 if k == axis else sign * 0.7071067811865476
            spot[6] = _EDGE
    elif kind == CAPSULE:
        p[2] = -solid[1]
        p[5] = solid[1]
        share = real(i) / real(_ALONG - 1)
    elif kind != SPHERE:
        rims = 2 * _AROUND if kind == CYLINDER else _AROUND
        if i < rims:
            # Eighths of a turn: a square's corners, then those of one turned by half a right angle.
            x = 1.0 if i & 1 == 1 else -1.0
            y = 1.0 if i & 2 == 2 else -1.0
            if i & 4 == 4:
                p[6] = 0.5 * (x + y)
                p[7] = 0.5 * (y - x)
            else:
                p[6] = 0.7071067811865476 * x
                p[7] = 0.7071067811865476 * y
            p[8] = 1.0 if i >= _AROUND else -1.0
            p[0] = solid[0] * p[6]
            p[1] = solid[0] * p[7]
            p[2] = solid[1] * p[8]
            arc = 0.41421356 * solid[0]  # to half way to the next
            spot[10] = solid[0]
            spot[11] = -arc
            spot[12] = arc
            for k in range(3):
                spot[7 + k] = place[k] * -p[7] + place[3 + k] * p[6]
                spot[13 + k] = place[k] * p[6] + place[3 + k] * p[7]
            for k in range(3):
                p[6 + k] *= 0.7071067811865476
            spot[6] = _ANY
        elif kind == CONE and i == rims:
            p[2] = solid[1]
            p[8] = 1.0
            spot[6] = _ANY
        else:
            p[2] = -solid[1]
            p[5] = solid[1]
            share = real(i - (rims if kind == CYLINDER else rims + 1)) / real(_ALONG - 1)
    for n in range(3):
        first = 3 * n
        x = p[first]
        y = p[first + 1]
        z = p[first + 2]
        for k in range(3):
            p[first + k] = (0.0 if n == 2 else place[9 + k]) + place[k] * x + place[3 + k] * y + place[6 + k] * z
    if share >= 0.0:
        slack = reach + (solid[0] if kind != BOX else 0.0)
        low, high = clip_to_grid(dims, grid, slack, p[0], p[1], p[2], p[3], p[4], p[5])
        share = low + share * (high - low)
        length = 0.0
        for k in range(3):
            p[3 + k] -= p[k]
            p[k] += share * p[3 + k]
            length += p[3 + k] * p[3 + k]
        length = math.sqrt(length)
        if low > high:  # nowhere near
            spot[6] = NOWHERE
        elif kind == BOX:
            spot[11] = (low - share) * length
            spot[12] = (high - share) * length
            for k in range(3):
                spot[7 + k] = p[3 + k] / length
        elif kind == CYLINDER or kind == CONE:
            radius = solid[0] * (1.0 if kind == CYLINDER else 1.0 - share)
            _, gx, gy, gz = field_at(distances, dims, grid, p[0], p[1], p[2])
            along = gx * place[6] + gy * place[7] + gz * place[8]
            gx -= along * place[6]
            gy -= along * place[7]
            gz -= along * place[8]
            length = math.sqrt(gx * gx + gy * gy + gz * gz)
            if length > 0.01:
                p[6] = -gx / length
                p[7] = -gy / length
                p[8] = -gz / length
                for k in range(3):
                    p[k] += radius * p[6 + k]
                spot[6] = _EDGE
            else:
                spot[6] = NOWHERE
    for k in range(3):
        spot[k] = p[k]
        spot[3 + k] = p[6 + k]


@function
def slide_down(distances, dims, grid, radius, spot):
    """Slide a point along its edge or rim to where that is deepest in a field.

    By secants of the slope, within what is left of the range. Where the slope is none the point stays: what lies flat
    keeps its points.

    Args:
        radius: of a ball about the point, m.

    Returns:
        the ball's signed distance there, and the unit normal; the place is in ``spot``.
    """
    px = spot[0]
    py = spot[1]
    pz = spot[2]
    low = spot[11]
    high = spot[12]
    back = 1.0 / spot[10] if spot[10] > 0.0 else 0.0
    t = 0.0
    before = 0.0
    slope_before = 0.0
    best = math.inf
    nx = 0.0
    ny = 0.0
    nz = 0.0
    for n in range(_SLIDES):
        # About the centre of the rim by the rational half-angle formulas: t is twice its tangent times the radius.
        half = 0.5 * t * back
        scale = 1.0 / (1.0 + half * half)
        along = t * scale
        inward = along * half
        x = px + along * spot[7] - inward * spot[13]
        y = py + along * spot[8] - inward * spot[14]
        z = pz + along * spot[9] - inward * spot[15]
        distance, gx, gy, gz = ball_in_field(distances, dims, grid, x, y, z, radius)
        if distance < best:
            best = distance
            nx = gx
            ny = gy
            nz = gz
            spot[0] = x
            spot[1] = y
            spot[2] = z
        ahead = (1.0 - half * half) * scale
        inward = 2.0 * half * scale
        slope = ahead * (gx * spot[7] + gy * spot[8] + gz * spot[9])
        slope -= inward * (gx * spot[13] + gy * spot[14] + gz * spot[15])
        if not (math.fabs(slope) > _SLOPE and high > low):
            break
        low = t if slope < 0.0 else low
        high = t if slope > 0.0 else high
        change = slope - slope_before
        guess = t - slope * (t - before) / change if n > 0 and math.fabs(change) > 1e-6 else high + 1.0
        before = t
        slope_before = slope
        t = guess if guess > low and guess < high else 0.5 * (low + high)
    return best, nx, ny, nz
