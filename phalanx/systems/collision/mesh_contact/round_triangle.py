"""Spheres and capsules against one triangle: exact.

A capsule is a segment with a radius, a sphere a segment without length. Over the triangle's face the points are the
ends of the part of the segment that lies between the three planes upright on the edges; beyond it, the points of the
segment nearest to each edge.
"""

import math

from phalanx.ecs import function

SEAM = 1e-6
"""A place this far outside an edge, as part of the lengths in question, is still over the face: what rolls exactly
along a seam must not be lost to rounding between the two triangles.
"""

ROUND = 56
"""Numbers in the scratch array of points: x, y, z, normal, separation of each of eight, two over the face and two over
each edge.
"""


@function
def round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points):
    """Contact points of a capsule about the origin with a triangle; separations are those of surfaces.

    Args:
        corners: of the triangle, 9 numbers.
        mx, my, mz: the triangle's unit normal on the side of the origin.
        ux, uy, uz, half: direction and half length of the segment; any direction and 0 for a sphere.
        reach: points farther apart are left out.
        points: result, ``ROUND`` numbers; the points over the face come first.

    Returns:
        number of points.
    """
    low = -half
    high = half
    side = -1.0 if turned(corners, mx, my, mz) else 1.0
    for k in range(3):
        j = 3 * ((k + 1) % 3)
        ex = corners[j] - corners[3 * k]
        ey = corners[j + 1] - corners[3 * k + 1]
        ez = corners[j + 2] - corners[3 * k + 2]
        qx = side * (ey * mz - ez * my)
        qy = side * (ez * mx - ex * mz)
        qz = side * (ex * my - ey * mx)
        out = -(qx * corners[3 * k] + qy * corners[3 * k + 1] + qz * corners[3 * k + 2])
        slope = qx * ux + qy * uy + qz * uz
        length = math.sqrt(ex * ex + ey * ey + ez * ez)
        out -= SEAM * length * (length + radius + half)
        # out + t * slope <= 0 inside
        if math.fabs(slope) * half > 1e-7 * (math.fabs(out) + math.fabs(slope) * half):
            t = -out / slope
            if slope > 0.0:
                high = min(high, t)
            else:
                low = max(low, t)
        elif out > 0.0:
            high = -math.inf
    count = 0
    level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
    rise = mx * ux + my * uy + mz * uz
    for end in range(2):
        t = low if (end == 0) == (rise >= 0.0) else high  # the lower end first
        height = level + t * rise
        wanted = low <= high and (end == 0 or high - low > 1e-3 * (radius + half))
        if wanted and height - radius <= reach:
            count = put_point(points, count, t * ux, t * uy, t * uz, mx, my, mz, height, radius)
    for k in range(3):
        count = edge_points(corners, k, ux, uy, uz, half, radius, reach, points, count)
    return count


@function
def turned(corners, mx, my, mz):
    """Whether the corners run clockwise seen from the side of m."""
    ex, ey, ez = corners[3] - corners[0], corners[4] - corners[1], corners[5] - corners[2]
    fx, fy, fz = corners[6] - corners[0], corners[7] - corners[1], corners[8] - corners[2]
    return mx * (ey * fz - ez * fy) + my * (ez * fx - ex * fz) + mz * (ex * fy - ey * fx) < 0.0


@function
def put_point(points, count, px, py, pz, nx, ny, nz, distance, radius):
    """Write the point for the place p of the segment, which is at a distance along n from the triangle."""
    o = 7 * count
    shift = 0.5 * (distance + radius)
    points[o] = px - shift * nx
    points[o + 1] = py - shift * ny
    points[o + 2] = pz - shift * nz
    points[o + 3] = nx
    points[o + 4] = ny
    points[o + 5] = nz
    points[o + 6] = distance - radius
    return count + 1


@function
def edge_points(corners, k, ux, uy, uz, half, radius, reach, points, count):
    """Points over the edge from corner k to k + 1; those over the face's side of the edge are left out."""
    j = 3 * ((k + 1) % 3)
    third = 3 * ((k + 2) % 3)
    ax = corners[3 * k]
    ay = corners[3 * k + 1]
    az = corners[3 * k + 2]
    ex = corners[j] - ax
    ey = corners[j + 1] - ay
    ez = corners[j + 2] - az
    ee = ex * ex + ey * ey + ez * ez
    eu = ex * ux + ey * uy + ez * uz
    au = ax * ux + ay * uy + az * uz
    ae = ax * ex + ay * ey + az * ez
    # Segment t * u, |t| <= half; edge a + s * e, 0 <= s <= 1. The nearest points of the lines: t = au + s * eu, and
    # s * ee = t * eu - ae.
    sine2 = ee - eu * eu
    parallel = sine2 < 1e-4 * ee
    first = max(-half, min(half, min(au, au + eu)))
    last = max(-half, min(half, max(au, au + eu)))
    if not parallel:
        s = max(0.0, min(1.0, (au * eu - ae) / sine2))
        first = max(-half, min(half, au + s * eu))
    for side in range(2):
        t = first if side == 0 else last
        if side == 0 or (parallel and last - first > 1e-3 * (radius + half)):
            s = max(0.0, min(1.0, (t * eu - ae) / ee))
            if not parallel:
                t = max(-half, min(half, au + s * eu))
            dx = t * ux - ax - s * ex
            dy = t * uy - ay - s * ey
            dz = t * uz - az - s * ez
            distance = math.sqrt(dx * dx + dy * dy + dz * dz)
            inward = dx * (corners[third] - ax) + dy * (corners[third + 1] - ay) + dz * (corners[third + 2] - az)
            # perpendicular to the edge: what a vertex region leans along it does not count
            inward -= (
                (dx * ex + dy * ey + dz * ez)
                / ee
                * ((corners[third] - ax) * ex + (corners[third + 1] - ay) * ey + (corners[third + 2] - az) * ez)
            )
            if distance - radius <= reach and distance > 1e-6 * radius and inward <= 0.0:
                scale = 1.0 / distance
                count = put_point(
                    points, count, t * ux, t * uy, t * uz, dx * scale, dy * scale, dz * scale, distance, radius
                )
    return count
