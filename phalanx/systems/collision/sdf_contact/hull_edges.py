"""Edges of convex hulls, looked up in a mesh's distance field."""

import math

from phalanx.ecs import function, local
from phalanx.systems.collision.sdf_contact.bins import add_to_bins
from phalanx.systems.collision.sdf_contact.field import clip_to_grid
from phalanx.systems.collision.sdf_contact.solids import SPOT, slide_down

_OUT = 0.1
"""Least cosine of the normal of a face beside an edge with what a contact at the edge pushes against."""


@function
def hull_edges_in_field(
    forms, place, reach, distances, dims, grid, normals, first_corners, end_corners, corner_vertices, vertices, bins
):  # fmt: skip
    """Look up the edges of a hull, each from its middle near the field on; normals are towards the hull.

    Args:
        forms, place: of the hull, see :mod:`phalanx.systems.collision.sdf_contact.solids`.
        normals, first_corners, end_corners: HullFacePlane.normal, .first_corner, .end_corner.
        corner_vertices, vertices: HullCornerVertex.vertex, HullVertexPosition.position.
    """
    spot = local(SPOT)
    ends = local(6)
    for f in range(forms[3], forms[4]):
        before = end_corners[f, 0] - 1
        for c in range(first_corners[f, 0], end_corners[f, 0]):
            a = corner_vertices[before, 0]
            b = corner_vertices[c, 0]
            before = c
            low = 1.0
            high = 0.0
            if a < b:  # the neighbour runs through it the other way
                for n in range(2):
                    v = a if n == 0 else b
                    x = vertices[v, 0, 0]
                    y = vertices[v, 1, 0]
                    z = vertices[v, 2, 0]
                    for k in range(3):
                        ends[3 * n + k] = place[9 + k] + place[k] * x + place[3 + k] * y + place[6 + k] * z
                low, high = clip_to_grid(dims, grid, reach, ends[0], ends[1], ends[2], ends[3], ends[4], ends[5])
            if low < high:
                length = 0.0
                for k in range(3):
                    length += (ends[3 + k] - ends[k]) * (ends[3 + k] - ends[k])
                length = math.sqrt(length)
                share = 0.5 * (low + high)
                for k in range(SPOT):
                    spot[k] = 0.0
                for k in range(3):
                    spot[k] = ends[k] + share * (ends[3 + k] - ends[k])
                    spot[7 + k] = (ends[3 + k] - ends[k]) / length
                spot[11] = (low - share) * length
                spot[12] = (high - share) * length
                distance, nx, ny, nz = slide_down(distances, dims, grid, 0.0, spot)
                out = 0.0
                for k in range(3):
                    out -= normals[f, k, 0] * (place[3 * k] * nx + place[3 * k + 1] * ny + place[3 * k + 2] * nz)
                if distance <= reach and out >= _OUT:
                    half = 0.5 * distance
                    add_to_bins(
                        bins, spot[0] - half * nx, spot[1] - half * ny, spot[2] - half * nz, nx, ny, nz, distance
                    )  # fmt: skip
