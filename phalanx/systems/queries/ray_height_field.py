"""Rays against height fields: the cells under the ray, in its order."""

import math

from phalanx.ecs import function, local, real
from phalanx.systems.collision.mesh_contact.grid import grid_normal, put_sample
from phalanx.systems.queries.box_path import box_path, inverse
from phalanx.systems.queries.grid_path import cell_range, column_path
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.ray_triangle import main_axis, ray_triangle, turned


@function
def put_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners):
    """Corners of a triangle of cell (i, j) about the point c; see :func:`~.grid.gather_grid_triangle`."""
    for k in range(3):
        right = 1 if k == 1 or (k == 2 and upper == 0) else 0
        up = 1 if k == 2 or (k == 1 and upper == 1) else 0
        put_sample(heights, base, nx, ny, dx, dy, i + right, j + up, cx, cy, cz, corners, k)


@function
def ray_height_field(heights, base, nx, ny, dx, dy, lowest, highest, both, o, d, limit, normal):
    """The first triangle of a height field that a ray hits: distance (or inf) and its number (or -1).

    Args:
        heights, base, nx, ny, dx, dy: the field, see :mod:`phalanx.systems.collision.mesh_contact.grid`.
        lowest, highest: of its heights.
        both: 1: triangles are hit from below, too.
        o, d: origin and direction in the field's frame, 3 numbers each.
        limit: hits farther away do not matter, m.
        normal: result, 3 numbers, up.
    """
    c = local(9)
    p = local(3)
    hx = 0.5 * real(nx - 1) * dx
    hy = 0.5 * real(ny - 1) * dy
    pad = 1e-5 * (hx + hy + highest - lowest)
    start, past = box_path(
        -hx - pad, -hy - pad, lowest - pad, hx + pad, hy + pad, highest + pad,
        o[0], o[1], o[2], inverse(d[0]), inverse(d[1]), inverse(d[2]),
    )  # fmt: skip
    if not start <= limit:
        return INF, -1
    for i in range(3):
        p[i] = o[i] + start * d[i]
    axis = main_axis(d[0], d[1], d[2])
    sx, sy, sz = turned(axis, d[0], d[1], d[2])
    sx = sx / sz
    sy = sy / sz
    sz = 1.0 / sz
    best = limit - start
    end = min(best, past - start)
    found = -1
    by_x = math.fabs(d[0]) * dy >= math.fabs(d[1]) * dx
    u = 0 if by_x else 1
    v = 1 - u
    du = dx if by_x else dy
    dv = dy if by_x else dx
    nu = nx if by_x else ny
    nv = ny if by_x else nx
    first, last = cell_range(du, nu, 0.0, p[u], d[u], 0.0, end)
    for k in range(last - first + 1):
        column = first + k if d[u] >= 0.0 else last - k
        low, high = column_path(column, du, nu, 0.0, p[u], d[u], 0.0, end)
        if low > best:
            break
        bottom, top = cell_range(dv, nv, 0.0, p[v], d[v], low, max(low, high))
        for row in range(bottom, top + 1):
            i = column if by_x else row
            j = row if by_x else column
            for upper in range(2):
                put_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, p[0], p[1], p[2], c)
                at = ray_triangle(c, axis, sx, sy, sz)
                if at + start >= 0.0 and at <= best and (found < 0 or at < best):
                    mx, my, mz = grid_normal(c)
                    if both == 1 or mx * d[0] + my * d[1] + mz * d[2] < 0.0:
                        best = at
                        found = 2 * (i * (ny - 1) + j) + upper
                        normal[0] = mx
                        normal[1] = my
                        normal[2] = mz
    return best + start if found >= 0 else INF, found
