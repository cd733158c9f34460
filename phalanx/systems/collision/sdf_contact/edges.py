"""Convex edges of triangles, looked up in a mesh's distance field."""

import math

from phalanx.ecs import function, real
from phalanx.systems.collision.sdf_contact.bins import add_to_bins
from phalanx.systems.collision.sdf_contact.field import clip_to_grid, field_at

_POINTS = 6
"""Points of the part of an edge that lies near the field, its ends among them."""
_FLAT = 0.02
"""Sine of the angle by which the surface must fall away behind an edge that counts."""
_RISE = 0.2
"""Sine of the angle by which the faces at an edge may rise over the plane across a contact normal."""


@function
def edges_in_field(corners, across, bordered, mx, my, mz, reach, distances, dims, grid, bins):
    """Look up a triangle's edges; all in the field's frame, normals from the triangle to the field's mesh.

    Of two triangles the edge between them belongs to one. Flat and hollow edges are left out: nothing can touch them
    without touching a face.

    Args:
        corners: the triangle's, 9 numbers.
        across: the neighbours' third corners, 9 numbers.
        bordered: bit k is set if the edge from corner k to k + 1 has no neighbour.
        mx, my, mz: the triangle's unit normal.
    """
    for k in range(3):
        i = 3 * k
        j = 3 * ((k + 1) % 3)
        o = 3 * ((k + 2) % 3)
        px = corners[i]
        py = corners[i + 1]
        pz = corners[i + 2]
        ex = corners[j] - px
        ey = corners[j + 1] - py
        ez = corners[j + 2] - pz
        border = (bordered >> k) & 1 == 1
        # From the edge, at right angles to it, to the third corners on either side.
        square = ex * ex + ey * ey + ez * ez
        tx = corners[o] - px
        ty = corners[o + 1] - py
        tz = corners[o + 2] - pz
        part = (tx * ex + ty * ey + tz * ez) / square
        tx -= part * ex
        ty -= part * ey
        tz -= part * ez
        wx = across[i] - px
        wy = across[i + 1] - py
        wz = across[i + 2] - pz
        part = (wx * ex + wy * ey + wz * ez) / square
        wx -= part * ex
        wy -= part * ey
        wz -= part * ez
        third = math.sqrt(tx * tx + ty * ty + tz * tz)
        other = math.sqrt(wx * wx + wy * wy + wz * wz)
        convex = border or mx * wx + my * wy + mz * wz < -_FLAT * other
        mine = border or ex > 0.0 or (ex == 0.0 and (ey > 0.0 or (ey == 0.0 and ez > 0.0)))
        low = 1.0
        high = 0.0
        if convex and mine:
            low, high = clip_to_grid(dims, grid, reach, px, py, pz, px + ex, py + ey, pz + ez)
        if low <= high:
            for s in range(_POINTS):
                share = low + (high - low) * real(s) / real(_POINTS - 1)
                x = px + share * ex
                y = py + share * ey
                z = pz + share * ez
                distance, nx, ny, nz = field_at(distances, dims, grid, x, y, z)
                fits = -(nx * tx + ny * ty + nz * tz) <= _RISE * third
                fits = fits and (border or -(nx * wx + ny * wy + nz * wz) <= _RISE * other)
                fits = fits and nx * mx + ny * my + nz * mz <= 0.0 if border else fits
                if distance <= reach and fits:
                    half = 0.5 * distance
                    add_to_bins(bins, x - half * nx, y - half * ny, z - half * nz, -nx, -ny, -nz, distance)
