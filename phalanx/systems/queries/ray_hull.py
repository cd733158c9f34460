"""Rays against convex hulls: the planes of the faces cut the ray's line (Cyrus and Beck 1978)."""

from phalanx.ecs import function, local
from phalanx.systems.queries.limits import INF
from phalanx.systems.queries.ray_solid import enter
from phalanx.systems.queries.ray_triangle import main_axis, ray_triangle, turned


@function
def ray_hull(first, end, normals, offsets, first_corners, end_corners, corner_vertices, vertices, o, d):
    """Where a ray enters a hull with faces first..end: distance (or inf) and normal, hull's frame.

    Args:
        normals, offsets, first_corners, end_corners: HullFacePlane's fields.
        corner_vertices, vertices: HullCornerVertex.vertex, HullVertexPosition.position.
        o, d: origin and direction, 3 numbers each.
    """
    if end - first == 2:  # a polygon with two sides
        return ray_polygon(first, normals, first_corners, end_corners, corner_vertices, vertices, o, d)
    near = -(o[0] * d[0] + o[1] * d[1] + o[2] * d[2])
    px = o[0] + near * d[0]
    py = o[1] + near * d[1]
    pz = o[2] + near * d[2]
    low = -INF
    high = INF
    face = first
    for f in range(first, end):
        rise = normals[f, 0, 0] * d[0] + normals[f, 1, 0] * d[1] + normals[f, 2, 0] * d[2]
        below = offsets[f, 0] - (normals[f, 0, 0] * px + normals[f, 1, 0] * py + normals[f, 2, 0] * pz)
        if rise < 0.0:
            t = below / rise
            face = f if t > low else face
            low = t if t > low else low
        elif rise > 0.0:
            t = below / rise
            high = t if t < high else high
        elif below < 0.0:
            low = INF
            high = -INF
    return enter(
        low + near, high + near, normals[face, 0, 0], normals[face, 1, 0], normals[face, 2, 0], d[0], d[1], d[2]
    )


@function
def ray_polygon(face, normals, first_corners, end_corners, corner_vertices, vertices, o, d):
    """Where a ray hits a flat hull, from either side: distance (or inf) and normal, hull's frame."""
    c = local(9)
    axis = main_axis(d[0], d[1], d[2])
    sx, sy, sz = turned(axis, d[0], d[1], d[2])
    best = INF
    start = corner_vertices[first_corners[face, 0], 0]
    for corner in range(first_corners[face, 0] + 1, end_corners[face, 0] - 1):
        for i in range(3):
            c[i] = vertices[start, i, 0] - o[i]
            c[3 + i] = vertices[corner_vertices[corner, 0], i, 0] - o[i]
            c[6 + i] = vertices[corner_vertices[corner + 1, 0], i, 0] - o[i]
        t = ray_triangle(c, axis, sx / sz, sy / sz, 1.0 / sz)
        best = t if t >= 0.0 and t < best else best
    front = -1.0 if normals[face, 0, 0] * d[0] + normals[face, 1, 0] * d[1] + normals[face, 2, 0] * d[2] > 0.0 else 1.0
    return best, front * normals[face, 0, 0], front * normals[face, 1, 0], front * normals[face, 2, 0]
