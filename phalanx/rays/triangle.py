"""Rays against triangles, without gaps between neighbours (Woop, Benthin and Wald 2013, "Watertight ray/triangle
intersection").

A ray has a frame in which it is the z axis. A vertex has the same coordinates there, bit by bit, in all its triangles
(:func:`~.primitives.fma` sees to that), and the sign of an edge is exact, so it is the other for the neighbour over the
edge. An edge that the ray meets exactly belongs to both.
"""

import math

from phalanx.ecs import function
from phalanx.rays.primitives import fma, load_corners, load_floats

INF = math.inf


@function
def ray_shear(dx, dy, dz):
    """A ray's frame: slopes x and y, 1 / the longest of d, and which axis that is.

    In the frame direction d is (0, 0, 1): a shear of the coordinates in cyclic order, so that the longest comes last.
    """
    ax = math.fabs(dx)
    ay = math.fabs(dy)
    az = math.fabs(dz)
    by_x = ax >= ay and ax >= az
    by_y = not by_x and ay >= az
    inverse = 1.0 / (dx if by_x else (dy if by_y else dz))
    sx = -(dy if by_x else (dz if by_y else dx)) * inverse
    sy = -(dz if by_x else (dx if by_y else dy)) * inverse
    return sx, sy, inverse, 0 if by_x else (1 if by_y else 2)


@function
def in_order(axis, x, y, z):
    """Three numbers in cyclic order, that of an axis last."""
    by_x = axis == 0
    by_y = axis == 1
    return y if by_x else (z if by_y else x), z if by_x else (x if by_y else y), x if by_x else (y if by_y else z)


@function
def axes_of(axis):
    """Axes :func:`in_order`, for :func:`~.primitives.load_corners`."""
    kx, ky, kz = in_order(axis, 0, 1, 2)
    return 4 * kx | ky << 6 | kz << 10


@function
def frame_rows(sx, sy, inverse, axis):
    """Rows of a ray's frame, x, y and z, each of which has one or two zeros."""
    by_x = axis == 0
    by_y = axis == 1
    return (
        sx if by_x else (0.0 if by_y else 1.0),
        1.0 if by_x else (sx if by_y else 0.0),
        0.0 if by_x else (1.0 if by_y else sx),
        sy if by_x else (1.0 if by_y else 0.0),
        0.0 if by_x else (sy if by_y else 1.0),
        1.0 if by_x else (0.0 if by_y else sy),
        inverse if by_x else 0.0,
        inverse if by_y else 0.0,
        0.0 if by_x or by_y else inverse,
    )  # fmt: skip


@function
def ray_frame(dx, dy, dz):
    """Rows of a frame in which direction d is (0, 0, 1), right-handed if the third result's sign is positive."""
    sx, sy, inverse, axis = ray_shear(dx, dy, dz)
    return frame_rows(sx, sy, inverse, axis)


@function
def along(ax, ay, az, x, y, z):
    """Product of two vectors, in one order."""
    return fma(ax, x, fma(ay, y, az * z))


@function
def edge(a, b, c, d):
    """a b - c d with the right sign and to 1.5 units in the last place, by W. Kahan's method."""
    p = c * d
    return fma(a, b, -p) + fma(-c, d, p)


@function
def ray_corners(ax, ay, az, bx, by, bz, cx, cy, cz, x0, x1, x2, y0, y1, y2, z0, z1, z2):
    """Where a ray from the origin hits a triangle with corners a, b, c.

    Args:
        x0 .. z2: rows of its :func:`ray_frame`.

    Returns:
        distance in lengths of the direction, or inf; twice the area that the ray sees, in the frame: times the sign of
        z0 + z1 + z2 it is positive from the front.
    """
    return ray_seen(
        along(x0, x1, x2, ax, ay, az), along(y0, y1, y2, ax, ay, az), along(z0, z1, z2, ax, ay, az),
        along(x0, x1, x2, bx, by, bz), along(y0, y1, y2, bx, by, bz), along(z0, z1, z2, bx, by, bz),
        along(x0, x1, x2, cx, cy, cz), along(y0, y1, y2, cx, cy, cz), along(z0, z1, z2, cx, cy, cz),
        1.0,
    )  # fmt: skip


@function
def ray_seen(au, av, az, bu, bv, bz, cu, cv, cz, scale):
    """:func:`ray_corners` of corners in the ray's frame, whose z times ``scale`` is their distance."""
    u = edge(cu, bv, cv, bu)
    v = edge(au, cv, av, cu)
    w = edge(bu, av, bv, au)
    total = u + v + w
    at = INF
    # In one condition: each branch would cost a GPU as much as a few comparisons.
    if ((min(u, min(v, w)) >= 0.0) | (max(u, max(v, w)) <= 0.0)) & (total != 0.0):
        at = fma(u, az, fma(v, bz, w * cz)) * scale / total
    return at, total


@function
def corner_and_edges(triangles, t):
    """First corner of triangle t (12 numbers from 12 t on, corners first), and from there to the second and third."""
    ax, ay, az, bx = load_floats(triangles, 12 * t)
    by, bz, cx, cy = load_floats(triangles, 12 * t + 4)
    cz, _a, _b, _c = load_floats(triangles, 12 * t + 8)
    return ax, ay, az, bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az


@function
def ray_triangle_at(triangles, t, axes, qx, qy, qz, sx, sy, inverse):
    """:func:`ray_corners` for triangle t, whose coordinates are read in the order of the ray's frame.

    Args:
        axes: see :func:`axes_of`.
        q: the ray's origin, in that order.
        sx, sy, inverse: see :func:`ray_shear`.
    """
    ax, bx, cx, ay, by, cy, az, bz, cz = load_corners(triangles, t, axes)
    az = az - qz
    bz = bz - qz
    cz = cz - qz
    return ray_seen(
        fma(sx, az, ax - qx), fma(sy, az, ay - qy), az,
        fma(sx, bz, bx - qx), fma(sy, bz, by - qy), bz,
        fma(sx, cz, cx - qx), fma(sy, cz, cy - qy), cz,
        inverse,
    )  # fmt: skip


@function
def plane_depth(triangles, t, px, py, pz, dx, dy, dz, guess):
    """Distance at which a ray that hits triangle t meets its plane, in lengths of the direction.

    The search weighs the corners' distances by areas as the ray sees them, which are rounded by as much as corners lie
    off the ray; for a triangle that is long and thin that is much of its width. Edges are differences of corners.

    Args:
        guess: what the search found; the result where the ray lies in the plane.
    """
    ax, ay, az, ex, ey, ez, fx, fy, fz = corner_and_edges(triangles, t)
    nx = edge(ey, fz, ez, fy)
    ny = edge(ez, fx, ex, fz)
    nz = edge(ex, fy, ey, fx)
    ax -= px
    ay -= py
    az -= pz
    down = along(nx, ny, nz, dx, dy, dz)
    at = along(nx, ny, nz, ax, ay, az) / down if down != 0.0 else guess
    # within the depths of the corners, whatever becomes of a triangle with hardly any area
    scale = 1.0 / (dx * dx + dy * dy + dz * dz)
    a = (ax * dx + ay * dy + az * dz) * scale
    b = (ex * dx + ey * dy + ez * dz) * scale
    c = (fx * dx + fy * dy + fz * dz) * scale
    return max(min(at, a + max(max(b, c), 0.0)), a + min(min(b, c), 0.0))


@function
def triangle_normal(triangles, t):
    """Unit normal of triangle t, on the side from which its corners run counter-clockwise; zero if it has no area."""
    _ax, _ay, _az, ex, ey, ez, fx, fy, fz = corner_and_edges(triangles, t)
    return cross_of(ex, ey, ez, fx, fy, fz)


@function
def cross_of(ex, ey, ez, fx, fy, fz):
    """Unit vector along e x f; zero if that is."""
    x = ey * fz - ez * fy
    y = ez * fx - ex * fz
    z = ex * fy - ey * fx
    most = max(math.fabs(x), max(math.fabs(y), math.fabs(z)))
    scale = 1.0 / most if most > 0.0 else 0.0  # squares of small numbers vanish
    x = x * scale
    y = y * scale
    z = z * scale
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    return x * scale, y * scale, z * scale
