"""Supporting features: the face, edge or point of a shape that faces a direction, as a list of corners.

A disc is an octagon inscribed in it, fixed in the shape; a face of a hull with more corners than fit is given by as
many of them as fit. Capsules have the ends of their cores, or one if they stand on it.
"""

import math

from phalanx.components.shape import BOX, CONE, CYLINDER, HULL, SPHERE, TRIANGLE
from phalanx.ecs import function
from phalanx.systems.collision.narrow.vectors import unit

MOST_CORNERS = 16
FEATURE = 51
"""Numbers in the scratch array of a feature: up to 16 corners, and the outward normal (if it is a face) in 48..50."""

LYING = 0.2
"""Sine of the angle of a capsule and what it touches above which it stands on an end."""

_DIAGONAL = 0.70710678118654752


@function
def put(feature, corner, x, y, z):
    """Write a corner (or, as corner 16, the normal)."""
    feature[3 * corner] = x
    feature[3 * corner + 1] = y
    feature[3 * corner + 2] = z


@function
def box_face(feature, sx, sy, sz, dx, dy, dz):
    """The face of a box whose normal is nearest to d; of equals the later axis."""
    by_z = math.fabs(dz) >= math.fabs(dx) and math.fabs(dz) >= math.fabs(dy)
    by_y = not by_z and math.fabs(dy) >= math.fabs(dx)
    by_x = not by_z and not by_y
    along = dz if by_z else (dy if by_y else dx)
    sign = 1.0 if along >= 0.0 else -1.0
    for k in range(4):
        u = 1.0 if k == 0 or k == 3 else -1.0
        v = 1.0 if k < 2 else -1.0
        x = sign if by_x else u
        y = sign if by_y else (u if by_x else v)
        z = sign if by_z else v
        put(feature, k, x * sx, y * sy, z * sz)
    put(feature, 16, sign if by_x else 0.0, sign if by_y else 0.0, sign if by_z else 0.0)
    return 4


@function
def disc(feature, radius, z, sign):
    """The octagon in a disc perpendicular to the z axis."""
    for k in range(8):
        diagonal = _DIAGONAL if k % 2 == 1 else 1.0
        x = 0.0 if k == 2 or k == 6 else (diagonal if k < 2 or k > 6 else -diagonal)
        y = 0.0 if k == 0 or k == 4 else (diagonal if k < 4 else -diagonal)
        put(feature, k, radius * x, radius * y, z)
    put(feature, 16, 0.0, 0.0, sign)
    return 8


@function
def hull_face(feature, forms, at, normals, first_corners, end_corners, corner_vertices, vertices, dx, dy, dz):
    """The face of a hull whose normal is nearest to d; of equals the first."""
    best = forms[at + 3]
    most = -math.inf
    for f in range(forms[at + 3], forms[at + 4]):
        along = normals[f, 0, 0] * dx + normals[f, 1, 0] * dy + normals[f, 2, 0] * dz
        if along > most:
            most = along
            best = f
    put(feature, 16, normals[best, 0, 0], normals[best, 1, 0], normals[best, 2, 0])
    first = first_corners[best, 0]
    corners = end_corners[best, 0] - first
    taken = min(corners, MOST_CORNERS)
    for k in range(taken):
        v = corner_vertices[first + k * corners // taken, 0]
        put(feature, k, vertices[v, 0, 0], vertices[v, 1, 0], vertices[v, 2, 0])
    return taken


@function
def triangle_face(feature, pair, dx, dy, dz):
    """A triangle, with its normal on the side of d."""
    for k in range(9):
        feature[k] = pair[18 + k]
    ex = pair[21] - pair[18]
    ey = pair[22] - pair[19]
    ez = pair[23] - pair[20]
    fx = pair[24] - pair[18]
    fy = pair[25] - pair[19]
    fz = pair[26] - pair[20]
    x, y, z = unit(ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx)
    sign = 1.0 if x * dx + y * dy + z * dz >= 0.0 else -1.0
    put(feature, 16, sign * x, sign * y, sign * z)
    return 3


@function
def round_feature(feature, kind, radius, half, dx, dy, dz):
    """What a cylinder or cone turns to d: an end, or the line on its side."""
    across = math.sqrt(dx * dx + dy * dy)
    sloping = 0.0
    slope = half if kind == CYLINDER else math.sqrt(4.0 * half * half + radius * radius)
    if kind == CONE:
        sloping = radius / slope
    upright = 1.0 if kind == CYLINDER else 2.0 * half / slope
    side = across * upright + dz * sloping
    if (kind == CYLINDER and math.fabs(dz) >= side) or (kind == CONE and -dz >= side):
        sign = 1.0 if dz >= 0.0 else -1.0
        return disc(feature, radius, sign * half, sign)
    x = radius * dx / across if across > 0.0 else 0.0
    y = radius * dy / across if across > 0.0 else 0.0
    put(feature, 0, x, y, -half)
    put(feature, 1, x if kind == CYLINDER else 0.0, y if kind == CYLINDER else 0.0, half)
    return 2


@function
def find_feature(
    feature,
    forms,
    at,
    pair,
    size,
    normals,
    first_corners,
    end_corners,
    corner_vertices,
    vertices,
    dx,
    dy,
    dz,
):
    """The feature of one shape of a pair that faces the unit vector d, in the shape's frame.

    Args:
        feature: result, ``FEATURE`` numbers.
        at: where the shape's numbers start in ``forms``: 0 for a, 5 for b.
        size: where its size starts in ``pair``: 12 for a, 15 for b.
        normals, first_corners, end_corners, corner_vertices, vertices: the tables of hulls.

    Returns:
        number of corners: 1 point, 2 segment, 3 or more a face, in order around it.
    """
    kind = forms[at]
    sx = pair[size]
    sy = pair[size + 1]
    if kind == HULL:
        return hull_face(feature, forms, at, normals, first_corners, end_corners, corner_vertices, vertices, dx, dy, dz)
    if kind == BOX:
        return box_face(feature, sx, sy, pair[size + 2], dx, dy, dz)
    if kind == TRIANGLE:
        return triangle_face(feature, pair, dx, dy, dz)
    if kind == CYLINDER or kind == CONE:
        return round_feature(feature, kind, sx, sy, dx, dy, dz)
    upright = kind == SPHERE or math.fabs(dz) > LYING
    put(feature, 0, 0.0, 0.0, 0.0 if kind == SPHERE else (sy if upright and dz > 0.0 else -sy))
    put(feature, 1, 0.0, 0.0, sy)
    return 1 if upright else 2
