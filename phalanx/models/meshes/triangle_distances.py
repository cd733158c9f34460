"""Compiled loops over triangles and the nodes of a grid, for signed distance fields; imported where they are run."""

from __future__ import annotations

import math

import numba
import numpy as np

from phalanx.ecs.cache.kernels import kept


@kept(error_model="numpy")
def _side(ax, ay, bx, by, px, py):
    """On which side of the line from a to b the point p lies; exactly the opposite for the line from b to a."""
    if ax < bx or (ax == bx and ay < by):
        return (bx - ax) * (py - ay) - (by - ay) * (px - ax)
    return -((ax - bx) * (py - by) - (ay - by) * (px - bx))


@kept(error_model="numpy")
def count_crossings(corners, corner, cell, winding):
    """Add, where rays along z first get behind a triangle, the turns by which they are more inside: 1 or -1."""
    nx, ny, nz = winding.shape
    for t in range(len(corners)):
        a, b, c = corners[t, 0], corners[t, 1], corners[t, 2]
        first_x = max(0, math.floor((min(a[0], b[0], c[0]) - corner[0]) / cell))
        last_x = min(nx - 1, math.ceil((max(a[0], b[0], c[0]) - corner[0]) / cell))
        first_y = max(0, math.floor((min(a[1], b[1], c[1]) - corner[1]) / cell))
        last_y = min(ny - 1, math.ceil((max(a[1], b[1], c[1]) - corner[1]) / cell))
        for i in range(first_x, last_x + 1):
            x = corner[0] + cell * i
            for j in range(first_y, last_y + 1):
                y = corner[1] + cell * j
                u = _side(b[0], b[1], c[0], c[1], x, y)
                v = _side(c[0], c[1], a[0], a[1], x, y)
                w = _side(a[0], a[1], b[0], b[1], x, y)
                up = u > 0.0 and v > 0.0 and w > 0.0
                if up or (u < 0.0 and v < 0.0 and w < 0.0):
                    z = (u * a[2] + v * b[2] + w * c[2]) / (u + v + w)
                    k = max(0, math.ceil((z - corner[2]) / cell))
                    if k < nz:
                        winding[i, j, k] += -1 if up else 1  # a front that looks up is where the ray leaves


@kept(error_model="numpy", fastmath={"contract"})
def _square_to(a, b, c, x, y, z):
    """Squared distance of a point from a triangle (Ericson, Real-Time Collision Detection, 2005, section 5.1.5)."""
    abx, aby, abz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    acx, acy, acz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    px, py, pz = x - a[0], y - a[1], z - a[2]
    d1, d2 = abx * px + aby * py + abz * pz, acx * px + acy * py + acz * pz
    v, w = 0.0, 0.0
    if d1 > 0.0 or d2 > 0.0:
        qx, qy, qz = x - b[0], y - b[1], z - b[2]
        d3, d4 = abx * qx + aby * qy + abz * qz, acx * qx + acy * qy + acz * qz
        rx, ry, rz = x - c[0], y - c[1], z - c[2]
        d5, d6 = abx * rx + aby * ry + abz * rz, acx * rx + acy * ry + acz * rz
        vc, vb, va = d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4
        if d3 >= 0.0 and d4 <= d3:
            v = 1.0
        elif d6 >= 0.0 and d5 <= d6:
            w = 1.0
        elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            v = d1 / (d1 - d3)
        elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            w = d2 / (d2 - d6)
        elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
            w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
            v = 1.0 - w
        else:
            v, w = vb / (va + vb + vc), vc / (va + vb + vc)
    ex, ey, ez = px - v * abx - w * acx, py - v * aby - w * acy, pz - v * abz - w * acz
    return ex * ex + ey * ey + ez * ez


@kept(error_model="numpy", fastmath={"contract"})
def _square_to_box(low, high, x, y, z):
    dx = max(low[0] - x, 0.0, x - high[0])
    dy = max(low[1] - y, 0.0, y - high[1])
    dz = max(low[2] - z, 0.0, z - high[2])
    return dx * dx + dy * dy + dz * dz


@kept(parallel=True, error_model="numpy")
def unsigned(corners, lows, highs, firsts, counts, corner, cell, nx, ny, nz):
    """Distances (nx, ny, nz) from the nearest of the triangles (m, 3, 3), which are in the order of the tree."""
    out = np.empty((nx, ny, nz))
    for i in numba.prange(nx):
        pending = np.empty(64, np.int64)
        x = corner[0] + cell * i
        near = 0
        for j in range(ny):
            y = corner[1] + cell * j
            for k in range(nz):
                z = corner[2] + cell * k
                # The triangle that was nearest to the node before is a good one to begin with.
                best = _square_to(corners[near, 0], corners[near, 1], corners[near, 2], x, y, z)
                pending[0] = 0
                top = 1
                while top > 0:
                    top -= 1
                    node = pending[top]
                    if _square_to_box(lows[node], highs[node], x, y, z) >= best:
                        continue
                    first = firsts[node]
                    if counts[node] > 0:
                        for t in range(first, first + counts[node]):
                            square = _square_to(corners[t, 0], corners[t, 1], corners[t, 2], x, y, z)
                            if square < best:
                                best = square
                                near = t
                    else:
                        one = _square_to_box(lows[first], highs[first], x, y, z)
                        other = _square_to_box(lows[first + 1], highs[first + 1], x, y, z)
                        nearer = 0 if one <= other else 1
                        pending[top] = first + 1 - nearer
                        pending[top + 1] = first + nearer
                        top += 2
                out[i, j, k] = math.sqrt(best)
    return out
