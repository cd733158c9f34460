"""Nearest points of triangles and of edges."""

from phalanx.ecs import function


@function
def nearest_in_triangle(ax, ay, az, bx, by, bz, cx, cy, cz):
    """Weights of a, b, c in the point of a triangle that is nearest to the origin (Ericson, Real-time collision
    detection, 2005, 5.1.5).
    """
    ux, uy, uz, vx, vy, vz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
    d1, d2 = -(ux * ax + uy * ay + uz * az), -(vx * ax + vy * ay + vz * az)
    d3, d4 = -(ux * bx + uy * by + uz * bz), -(vx * bx + vy * by + vz * bz)
    d5, d6 = -(ux * cx + uy * cy + uz * cz), -(vx * cx + vy * cy + vz * cz)
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    p = d1 * d4 - d3 * d2
    if p <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        s = d1 / (d1 - d3)
        return 1.0 - s, s, 0.0
    q = d5 * d2 - d1 * d6
    if q <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        s = d2 / (d2 - d6)
        return 1.0 - s, 0.0, s
    r = d3 * d6 - d5 * d4
    if r <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        s = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - s, s
    whole = 1.0 / (p + q + r)
    return r * whole, q * whole, p * whole


@function
def nearest_on_line(ax, ay, az, bx, by, bz):
    """Weights of a, b in the point between them that is nearest to the origin."""
    ux, uy, uz = bx - ax, by - ay, bz - az
    s = -(ux * ax + uy * ay + uz * az) / (ux * ux + uy * uy + uz * uz)
    s = min(max(s, 0.0), 1.0)
    return 1.0 - s, s


@function
def nearest_on_edges(ux, uy, uz, vx, vy, vz, rx, ry, rz):
    """Shares s of u and t of v at which the points s u and r + t v are nearest, both from 0 to 1 (the same, 5.1.9)."""
    a, f = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    b = ux * vx + uy * vy + uz * vz
    c, g = -(ux * rx + uy * ry + uz * rz), -(vx * rx + vy * ry + vz * rz)
    whole = a * f - b * b
    s = min(max((b * g - c * f) / whole, 0.0), 1.0) if whole > 1e-6 * a * f else 0.0
    t = (b * s + g) / f
    if t < 0.0:
        t = 0.0
        s = min(max(-c / a, 0.0), 1.0)
    if t > 1.0:
        t = 1.0
        s = min(max((b - c) / a, 0.0), 1.0)
    return s, t
