"""Signed distance and normal at a point, from a grid of distances.

In the kernels a field is two scratch arrays: ``dims`` (first row of ``DistanceSample``, numbers of distances along x,
y, z) and ``grid`` (place of the first distance, cell; m).
"""

import math

from phalanx.ecs import function, local, local_int, real

DIMS = 4
"""Numbers in ``dims``."""
GRID = 4
"""Numbers in ``grid``."""

_SEARCH = 5
"""Each step halves the angle by which the deepest point of a ball is off."""

_FAINT = 0.05
"""Where the gradient is shorter than this, two sides are equally near and none of them is a way out."""


@function
def field_at(distances, dims, grid, x, y, z):
    """Signed distance of a point from the surface, and the unit normal out of it.

    Within the grid by trilinear interpolation and its derivative; beyond it by the distance from the surface point that
    is nearest to the grid's nearest place, if the surface there is as flat as it seems. Infinite if there is no normal.
    """
    index = local_int(3)
    share = local(3)
    beyond = local(3)
    beyond[0] = x
    beyond[1] = y
    beyond[2] = z
    for k in range(3):
        place = (beyond[k] - grid[k]) / grid[3]
        last = real(dims[1 + k] - 1)
        inner = place
        if not inner >= 0.0:  # nor is a NaN
            inner = 0.0
        if inner > last:
            inner = last
        i = min(int(inner), dims[1 + k] - 2)
        index[k] = i
        share[k] = inner - real(i)
        beyond[k] = (place - inner) * grid[3]
    s = dims[0] + (index[0] * dims[2] + index[1]) * dims[3] + index[2]
    t = s + dims[2] * dims[3]
    u, v, w = share[0], share[1], share[2]
    a00 = distances[s, 0] + u * (distances[t, 0] - distances[s, 0])
    a01 = distances[s + 1, 0] + u * (distances[t + 1, 0] - distances[s + 1, 0])
    b00 = distances[s + 1, 0] - distances[s, 0]
    b01 = distances[t + 1, 0] - distances[t, 0]
    dx00 = distances[t, 0] - distances[s, 0]
    dx01 = distances[t + 1, 0] - distances[s + 1, 0]
    s += dims[3]
    t += dims[3]
    a10 = distances[s, 0] + u * (distances[t, 0] - distances[s, 0])
    a11 = distances[s + 1, 0] + u * (distances[t + 1, 0] - distances[s + 1, 0])
    b10 = distances[s + 1, 0] - distances[s, 0]
    b11 = distances[t + 1, 0] - distances[t, 0]
    dx10 = distances[t, 0] - distances[s, 0]
    dx11 = distances[t + 1, 0] - distances[s + 1, 0]
    c0 = a00 + v * (a10 - a00)
    c1 = a01 + v * (a11 - a01)
    distance = c0 + w * (c1 - c0)
    gx0 = dx00 + v * (dx10 - dx00)
    gx = gx0 + w * (dx01 + v * (dx11 - dx01) - gx0)
    gy = (a10 - a00) + w * ((a11 - a01) - (a10 - a00))
    gz0 = b00 + u * (b01 - b00)
    gz = gz0 + v * (b10 + u * (b11 - b10) - gz0)
    length = math.sqrt(gx * gx + gy * gy + gz * gz)
    if not length > _FAINT * grid[3]:
        return math.inf, 0.0, 0.0, 0.0
    gx = gx / length
    gy = gy / length
    gz = gz / length
    if beyond[0] != 0.0 or beyond[1] != 0.0 or beyond[2] != 0.0:
        gx = beyond[0] + distance * gx
        gy = beyond[1] + distance * gy
        gz = beyond[2] + distance * gz
        distance = math.sqrt(gx * gx + gy * gy + gz * gz)
        if not distance > 0.0:
            return math.inf, 0.0, 0.0, 0.0
        gx = gx / distance
        gy = gy / distance
        gz = gz / distance
    return distance, gx, gy, gz


@function
def ball_in_field(distances, dims, grid, x, y, z, radius):
    """Signed distance of a ball from the surface, and the unit normal out of it; for radius 0 as :func:`field_at`.

    A centre beyond the grid is too far away for its own distance to be exact: there the point of the ball that is
    deepest in the field is looked for, from where that distance comes from on.
    """
    distance, nx, ny, nz = field_at(distances, dims, grid, x, y, z)
    gap = distance - radius
    px = math.fabs(x) + grid[0]  # the grid's middle is the origin
    py = math.fabs(y) + grid[1]
    pz = math.fabs(z) + grid[2]
    if radius > 0.0 and distance < math.inf and (px > 0.0 or py > 0.0 or pz > 0.0):
        for _ in range(_SEARCH):
            level, gx, gy, gz = field_at(distances, dims, grid, x - radius * nx, y - radius * ny, z - radius * nz)
            if not level < math.inf:
                break
            gap = level
            gx += nx
            gy += ny
            gz += nz
            length = math.sqrt(gx * gx + gy * gy + gz * gz)
            if not length > 0.1:
                break
            nx = gx / length
            ny = gy / length
            nz = gz / length
    return gap, nx, ny, nz


@function
def field_bound(distances, dims, grid, x, y, z):
    """A lower bound of the signed distance of a point: distances change by no more than the way that one goes."""
    beyond = local(3)
    beyond[0] = x
    beyond[1] = y
    beyond[2] = z
    s = 0
    to_node = 0.0
    outside = 0.0
    for k in range(3):
        place = (beyond[k] - grid[k]) / grid[3]
        last = real(dims[1 + k] - 1)
        inner = place
        if not inner >= 0.0:
            inner = 0.0
        if inner > last:
            inner = last
        node = int(inner + 0.5)
        s = s * dims[1 + k] + node
        away = (place - real(node)) * grid[3]
        to_node += away * away
        away = (place - inner) * grid[3]
        outside += away * away
    return max(distances[dims[0] + s, 0] - math.sqrt(to_node), math.sqrt(outside) if outside > 0.0 else -math.inf)


@function
def clip_to_grid(dims, grid, slack, px, py, pz, qx, qy, qz):
    """Which part of the line from p to q lies within ``slack`` (m) of a grid, from 0 to 1; empty: 1 and 0."""
    start = local(3)
    way = local(3)
    start[0] = px
    start[1] = py
    start[2] = pz
    way[0] = qx - px
    way[1] = qy - py
    way[2] = qz - pz
    low = 0.0
    high = 1.0
    for k in range(3):
        first = grid[k] - slack - start[k]
        last = first + real(dims[1 + k] - 1) * grid[3] + 2.0 * slack
        if math.fabs(way[k]) > 1e-9 * grid[3]:
            one = first / way[k]
            other = last / way[k]
            low = max(low, min(one, other))
            high = min(high, max(one, other))
        elif first > 0.0 or last < 0.0:
            high = -1.0
    if not low <= high:
        return 1.0, 0.0
    return low, high
