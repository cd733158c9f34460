"""Distances of points from signed distance fields and height fields, for nodes of deformable bodies."""

import math

from phalanx.ecs import function, local, local_int, real
from phalanx.systems.collision.mesh_contact.grid import cell_of
from phalanx.systems.collision.sdf_contact.field import DIMS, GRID, field_at


@function
def field_distance(distances, first, nx, ny, nz, cx, cy, cz, cell, x, y, z):
    """Outward unit normal of a distance field's surface, and the signed distance of a point in its frame.

    Args:
        distances, first, nx, ny, nz: of all fields; the field's first, and how many along each axis.
        cx, cy, cz, cell: place of the first distance, m from one to the next.
    """
    dims = local_int(DIMS)
    grid = local(GRID)
    dims[0], dims[1], dims[2], dims[3] = first, nx, ny, nz
    grid[0], grid[1], grid[2], grid[3] = cx, cy, cz, cell
    distance, ux, uy, uz = field_at(distances, dims, grid, x, y, z)
    return ux, uy, uz, distance


@function
def terrain_distance(heights, first, nx, ny, dx, dy, x, y, z):
    """Unit normal of the triangle of a height field that a point is above or below, and its distance from that plane.

    Beside the field the distance is infinite. See :mod:`~phalanx.systems.collision.mesh_contact.grid` for triangles.
    """
    i, j = cell_of(x, dx, nx), cell_of(y, dy, ny)
    u = x / dx + 0.5 * real(nx - 1) - real(i)
    v = y / dy + 0.5 * real(ny - 1) - real(j)
    s = first + i * ny + j
    low, high = heights[s, 0], heights[s + ny + 1, 0]
    aside = heights[s + ny, 0] if u >= v else heights[s + 1, 0]
    along = aside - low if u >= v else high - aside
    across = high - aside if u >= v else aside - low
    gx, gy = -along / dx, -across / dy
    scale = 1.0 / math.sqrt(1.0 + gx * gx + gy * gy)
    inside = u >= 0.0 and v >= 0.0 and u <= 1.0 and v <= 1.0
    distance = scale * (z - (low + u * along + v * across))
    return scale * gx, scale * gy, scale, distance if inside else math.inf
