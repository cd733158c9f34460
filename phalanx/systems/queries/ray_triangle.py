"""Rays against triangles, without gaps between neighbours (Woop, Benthin and Wald 2013, "Watertight ray/triangle
intersection").

Corners are sheared so that the ray becomes the z axis; it then hits where the three edge functions have one sign. That
sign is taken by comparing two rounded products, which swap for the neighbour over the edge: both see the same,
however the compiler fuses a product with a difference. An edge that the ray meets exactly belongs to both.
"""

import math

from phalanx.ecs import function
from phalanx.systems.queries.limits import INF


@function
def main_axis(dx, dy, dz):
    """Number of the axis along which a direction is longest."""
    x = math.fabs(dx)
    y = math.fabs(dy)
    z = math.fabs(dz)
    return 0 if x >= y and x >= z else (1 if y >= z else 2)


@function
def turned(axis, x, y, z):
    """Coordinates in cyclic order so that ``axis`` comes last."""
    return (
        y if axis == 0 else (z if axis == 1 else x),
        z if axis == 0 else (x if axis == 1 else y),
        x if axis == 0 else (y if axis == 1 else z),
    )


@function
def ray_triangle(c, axis, sx, sy, sz):
    """Distance at which a ray from the origin hits a triangle, from either side, or inf.

    Args:
        c: corners about the ray's origin, 9 numbers.
        axis: :func:`main_axis` of the direction d.
        sx, sy, sz: with d :func:`turned`: dx / dz, dy / dz, 1 / dz.
    """
    ax, ay, az = turned(axis, c[0], c[1], c[2])
    bx, by, bz = turned(axis, c[3], c[4], c[5])
    cx, cy, cz = turned(axis, c[6], c[7], c[8])
    ax = ax - sx * az
    ay = ay - sy * az
    bx = bx - sx * bz
    by = by - sy * bz
    cx = cx - sx * cz
    cy = cy - sy * cz
    left = cx * by < cy * bx or ax * cy < ay * cx or bx * ay < by * ax
    right = cx * by > cy * bx or ax * cy > ay * cx or bx * ay > by * ax
    u = cx * by - cy * bx
    v = ax * cy - ay * cx
    w = bx * ay - by * ax
    total = u + v + w
    t = INF
    if not (left and right) and total != 0.0:
        t = sz * (u * az + v * bz + w * cz) / total
    return t
