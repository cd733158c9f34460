"""Probes against height fields: each is a surface, and the probe meets its triangles one by one."""

import math

from phalanx.components.query import DEPTH, SWEEP
from phalanx.ecs import function, local, real
from phalanx.systems.collision.mesh_contact.grid import gather_grid_triangle, grid_normal, judge_grid_normal
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.queries.box_path import box_path, inverse
from phalanx.systems.queries.grid_path import cell_range, column_path
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.probe_triangle import own_depth, probe_triangle
from phalanx.systems.queries.touch import FOUND


@function
def probe_height_field(
    task, heights, base, nx, ny, dx, dy, lowest, highest, both, o, d, middle, half, limit, turn, pair, forms, vertices,
    out,
):  # fmt: skip
    """The triangle met first (of DEPTH: overlapped most): answer as of ``touch``, and its number (or -1).

    Args:
        heights, base, nx, ny, dx, dy: the field, see :mod:`phalanx.systems.collision.mesh_contact.grid`.
        lowest, highest: of its heights.
        both, o, d, middle, half, limit, turn, pair, forms, out: as for
            :func:`~phalanx.systems.queries.probe_mesh.probe_mesh`.
    """
    c = local(9)
    across = local(9)
    m = local(3)
    p = local(3)
    point = local(6)
    found = local(FOUND)
    simplex = local(SIMPLEX)
    hx = 0.5 * real(nx - 1) * dx
    hy = 0.5 * real(ny - 1) * dy
    pad = 1e-5 * (hx + hy + highest - lowest)
    start, past = box_path(
        -hx - pad - half[0], -hy - pad - half[1], lowest - pad - half[2],
        hx + pad + half[0], hy + pad + half[1], highest + pad + half[2],
        o[0] + middle[0], o[1] + middle[1], o[2] + middle[2], inverse(d[0]), inverse(d[1]), inverse(d[2]),
    )  # fmt: skip
    if not start <= limit:
        return INF, -1
    start = max(0.0, start - (half[0] + half[1] + half[2]))
    for i in range(3):
        p[i] = o[i] + start * d[i]
    best = INF
    way = limit - start
    end = min(way, past - start)
    triangle = -1
    by_x = math.fabs(d[0]) * dy >= math.fabs(d[1]) * dx
    u = 0 if by_x else 1
    v = 1 - u
    du = dx if by_x else dy
    dv = dy if by_x else dx
    nu = nx if by_x else ny
    nv = ny if by_x else nx
    first, last = cell_range(du, nu, half[u], p[u] + middle[u], d[u], 0.0, end)
    for k in range(last - first + 1):
        column = first + k if d[u] >= 0.0 else last - k
        low, high = column_path(column, du, nu, half[u], p[u] + middle[u], d[u], 0.0, end)
        if low > way:
            break
        bottom, top = cell_range(dv, nv, half[v], p[v] + middle[v], d[v], low, max(low, high))
        least = middle[2] + min(low * d[2], high * d[2]) - half[2] - pad
        most = middle[2] + max(low * d[2], high * d[2]) + half[2] + pad
        for row in range(bottom, top + 1):
            i = column if by_x else row
            j = row if by_x else column
            for upper in range(2):
                bordered = gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, p[0], p[1], p[2], c, across)
                if max(c[2], max(c[5], c[8])) >= least and min(c[2], min(c[5], c[8])) <= most:
                    m[0], m[1], m[2] = grid_normal(c)
                    answer = probe_triangle(
                        task, both, pair, forms, vertices, turn, c, m, d, way, simplex, point, found
                    )
                    if task == DEPTH and answer <= 0.0 and both == 0:
                        verdict = judge_grid_normal(
                            c, across, bordered, heights, base, nx, ny, dx, dy, i, j, upper,
                            turn[0] * found[0] + turn[3] * found[1] + turn[6] * found[2],
                            turn[1] * found[0] + turn[4] * found[1] + turn[7] * found[2],
                            turn[2] * found[0] + turn[5] * found[1] + turn[8] * found[2], m[0], m[1], m[2],
                        )  # fmt: skip
                        answer = own_depth(pair, forms, vertices, turn, m, verdict, point, found)
                    if answer < best:
                        best = answer
                        triangle = 2 * (i * (ny - 1) + j) + upper
                        for n in range(FOUND):
                            out[n] = found[n]
                        if task == SWEEP:
                            way = min(way, answer)
    if task == DEPTH and triangle >= 0:
        best = out[6]
    return best + start, triangle
