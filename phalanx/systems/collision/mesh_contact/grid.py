"""The triangles of a height field, computed where they are needed; see :mod:`phalanx.models.meshes.height_fields`.

In the kernels a field is ``first`` (its first height), ``nx`` and ``ny`` (numbers of heights), ``dx`` and ``dy``
(spacing).
"""

import math

from phalanx.ecs import function, real
from phalanx.systems.collision.mesh_contact.regions import ASK, COUNTS, NOT, judge_neighbour, judge_normal


@function
def cell_of(place, spacing, samples):
    """The cell that a coordinate falls in, the nearest one if it is outside (the first one if it is no number)."""
    cell = place / spacing + 0.5 * real(samples - 1)
    last = real(samples - 2)
    if not cell >= 0.0:
        cell = 0.0
    if cell > last:
        cell = last
    return int(cell)


@function
def beside(low, high, spacing, samples):
    """Whether a range of coordinates lies beside the grid."""
    half = 0.5 * spacing * real(samples - 1)
    return not (low <= half and high >= -half)


@function
def put_sample(heights, first, nx, ny, dx, dy, i, j, cx, cy, cz, to, k):
    """Write the place of sample (i, j), about the point c, into the k-th three numbers of ``to``."""
    to[3 * k] = 0.5 * real(2 * i - nx + 1) * dx - cx
    to[3 * k + 1] = 0.5 * real(2 * j - ny + 1) * dy - cy
    to[3 * k + 2] = heights[first + i * ny + j, 0] - cz


@function
def gather_grid_triangle(heights, first, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners, across):
    """Corners of a triangle of cell (i, j) and its neighbours' third corners, about the point c.

    ``upper`` is 0 for the triangle (i, j), (i + 1, j), (i + 1, j + 1), 1 for (i, j), (i + 1, j + 1), (i, j + 1).

    Returns:
        bits of the edges that have no neighbour.
    """
    bordered = 0
    for k in range(3):
        # Steps from (i, j) to corner k, and to the third corner of the neighbour over the edge from k to k + 1.
        right = 1 if k == 1 or (k == 2 and upper == 0) else 0
        up = 1 if k == 2 or (k == 1 and upper == 1) else 0
        put_sample(heights, first, nx, ny, dx, dy, i + right, j + up, cx, cy, cz, corners, k)
        if upper == 0:
            p = i + (0 if k != 1 else 2)
            q = j + (-1 if k == 0 else 1)
        else:
            p = i + (-1 if k == 2 else 1)
            q = j + (2 if k == 1 else 0)
        if p < 0 or q < 0 or p >= nx or q >= ny:
            bordered += 1 << k
            p = i
            q = j
        put_sample(heights, first, nx, ny, dx, dy, p, q, cx, cy, cz, across, k)
    return bordered


@function
def grid_normal(corners):
    """Unit normal of a triangle whose corners run counter-clockwise seen from above."""
    ex, ey, ez = corners[3] - corners[0], corners[4] - corners[1], corners[5] - corners[2]
    fx, fy, fz = corners[6] - corners[0], corners[7] - corners[1], corners[8] - corners[2]
    x, y, z = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


@function
def judge_grid_normal(corners, across, bordered, heights, first, nx, ny, dx, dy, i, j, upper, px, py, pz, mx, my, mz):
    """COUNTS, FACE, NOT or BEYOND for a normal p that comes from a triangle of cell (i, j) with normal m."""
    answer = judge_normal(corners, across, bordered, px, py, pz, mx, my, mz)
    if answer >= ASK:
        k = answer - ASK
        p = i + (1 if k == 1 or (k == 2 and upper == 0) else 0)
        q = j + (1 if k == 2 or (k == 1 and upper == 1) else 0)
        answer = judge_grid_vertex(heights, first, nx, ny, dx, dy, p, q, px, py, pz, mx, my, mz)
    return answer


@function
def judge_grid_vertex(heights, first, nx, ny, dx, dy, i, j, px, py, pz, mx, my, mz):
    """COUNTS if the six neighbours of sample (i, j) lie below the plane through it with normal p; NOT or BEYOND."""
    answer = COUNTS
    height = heights[first + i * ny + j, 0]
    for k in range(6):
        right = 1 if k < 2 else (-1 if k < 4 else 0)
        up = 1 if k == 0 or k == 4 else (-1 if k == 2 or k == 5 else 0)
        if i + right >= 0 and i + right < nx and j + up >= 0 and j + up < ny:
            x = real(right) * dx
            y = real(up) * dy
            z = heights[first + (i + right) * ny + j + up, 0] - height
            answer = judge_neighbour(x, y, z, px, py, pz, mx, my, mz, answer)
            if answer == NOT:
                return NOT
    return answer
