"""Rays against spheres, capsules, boxes, cylinders and cones.

Each formula gives the interval of the ray's line that is inside the shape, and the normal where it enters. It is
computed about the point of the line nearest to the shape's origin, so that its numbers are of the shape's size however
far away the ray starts: for a ray that starts at distance L from a shape of size s, what is returned is the exact
answer for a ray displaced by less than 4 u (L + s), u being the unit roundoff (6e-8 in float32), plus the rounding of
the ray's direction, u L.
"""

import math

from phalanx.components.shape import BOX, CAPSULE, CYLINDER, SPHERE
from phalanx.ecs import function
from phalanx.systems.queries.limits import INF

PARALLEL = 1e-24
"""Square of the sine below which a ray is parallel to an axis."""


@function
def slab(p, d, half):
    """Interval in which |p + t d| <= half; (inf, -inf) if there is none."""
    inside = math.fabs(p) <= half
    low = -INF if inside else INF
    high = INF if inside else -INF
    if d != 0.0:
        a = (-half - p) / d
        b = (half - p) / d
        low = a if a < b else b
        high = b if a < b else a
    return low, high


@function
def ball(px, py, pz, dx, dy, dz, radius):
    """Interval in which p + t d, d a unit vector, is within a radius of the origin."""
    middle = -(px * dx + py * dy + pz * dz)
    ex = px + middle * dx
    ey = py + middle * dy
    ez = pz + middle * dz
    square = radius * radius - (ex * ex + ey * ey + ez * ez)
    half = math.sqrt(square) if square >= 0.0 else -INF
    return middle - half, middle + half


@function
def tube(px, py, dx, dy, radius):
    """Interval in which p + t d is within a radius of the z axis."""
    square = dx * dx + dy * dy
    inside = px * px + py * py <= radius * radius
    low = -INF if inside else INF
    high = INF if inside else -INF
    if square > PARALLEL:
        length = math.sqrt(square)
        ux = dx / length
        uy = dy / length
        beside = px * uy - py * ux
        rest = radius * radius - beside * beside
        half = math.sqrt(rest) if rest >= 0.0 else -INF
        along = px * ux + py * uy
        low = (-along - half) / length
        high = (-along + half) / length
    return low, high


@function
def funnel(px, py, pz, dx, dy, dz, radius, half):
    """Interval in which p + t d is within the cone's wall, extended below the base; its upper twin does not matter."""
    slope = radius / (2.0 * half)
    w = slope * (half - pz)
    dw = slope * dz
    a = dx * dx + dy * dy - dw * dw
    b = px * dx + py * dy + w * dw
    c = px * px + py * py - w * w
    square = b * b - a * c
    low = INF
    high = -INF
    if square >= 0.0 or a < 0.0:
        root = math.sqrt(square) if square > 0.0 else 0.0
        sum_ = -b - root if b >= 0.0 else root - b
        one = sum_ / a if a != 0.0 else (-INF if b >= 0.0 else INF)
        two = c / sum_ if sum_ != 0.0 else 0.0
        low = one if one < two else two
        high = two if one < two else one
        if a < 0.0:  # steeper than the wall: inside beyond one of them, that of the lower cone
            low = high if dz < 0.0 else -INF
            high = INF if dz < 0.0 else (one if one < two else two)
    return low, high


@function
def solid_interval(kind, sx, sy, sz, px, py, pz, dx, dy, dz):
    """Interval in which p + t d is inside a shape, in the shape's frame, and its outward normal at the lower end.

    Args:
        kind, sx, sy, sz: SPHERE, CAPSULE, BOX, CYLINDER or CONE, and ShapeGeometry.size.

    Returns:
        low, high (low > high: the line misses), normal x, y, z.
    """
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if kind == SPHERE:
        low, high = ball(px, py, pz, dx, dy, dz, sx)
        nx = (px + low * dx) / sx
        ny = (py + low * dy) / sx
        nz = (pz + low * dz) / sx
    elif kind == BOX:
        low, high = slab(px, dx, sx)
        ly, hy = slab(py, dy, sy)
        lz, hz = slab(pz, dz, sz)
        by_y = ly > low
        low = ly if by_y else low
        by_z = lz > low
        low = lz if by_z else low
        high = hy if hy < high else high
        high = hz if hz < high else high
        nx = 0.0 if by_y or by_z else (-1.0 if dx > 0.0 else 1.0)
        ny = 0.0 if by_z or not by_y else (-1.0 if dy > 0.0 else 1.0)
        nz = 0.0 if not by_z else (-1.0 if dz > 0.0 else 1.0)
    elif kind == CAPSULE:
        low, high = tube(px, py, dx, dy, sx)
        lz, hz = slab(pz, dz, sy)
        low = lz if lz > low else low
        high = hz if hz < high else high
        low = low if low <= high else INF
        high = high if low <= high else -INF
        la, ha = ball(px, py, pz - sy, dx, dy, dz, sx)
        lb, hb = ball(px, py, pz + sy, dx, dy, dz, sx)
        low = la if la < low else low
        low = lb if lb < low else low
        high = ha if ha > high else high
        high = hb if hb > high else high
        z = pz + low * dz
        nx = (px + low * dx) / sx
        ny = (py + low * dy) / sx
        nz = (z - (sy if z > sy else (-sy if z < -sy else z))) / sx
    else:
        lz, hz = slab(pz, dz, sy)
        if kind == CYLINDER:
            low, high = tube(px, py, dx, dy, sx)
        else:
            low, high = funnel(px, py, pz, dx, dy, dz, sx, sy)
        by_cap = lz > low
        low = lz if by_cap else low
        high = hz if hz < high else high
        nz = -1.0 if dz > 0.0 else 1.0
        if not by_cap:
            x = px + low * dx
            y = py + low * dy
            slope = 0.0 if kind == CYLINDER else sx / (2.0 * sy)
            z = slope * slope * (sy - (pz + low * dz))
            length = math.sqrt(x * x + y * y + z * z)
            nx = x / length if length > 0.0 else 0.0
            ny = y / length if length > 0.0 else 0.0
            nz = z / length if length > 0.0 else 1.0
    return low, high, nx, ny, nz


@function
def enter(low, high, nx, ny, nz, dx, dy, dz):
    """Where a ray enters a solid, given the interval inside: at its start, with a normal against it, if that is inside.

    Returns:
        distance, infinite if it misses, and the normal.
    """
    hit = low <= high and high >= 0.0
    inside = not low > 0.0
    t = 0.0 if inside else low
    return t if hit else INF, -dx if inside else nx, -dy if inside else ny, -dz if inside else nz


@function
def ray_solid(kind, sx, sy, sz, ox, oy, oz, dx, dy, dz):
    """Where a ray enters a sphere, capsule, box, cylinder or cone: distance (or inf) and normal, shape's frame."""
    near = -(ox * dx + oy * dy + oz * dz)
    low, high, nx, ny, nz = solid_interval(kind, sx, sy, sz, ox + near * dx, oy + near * dy, oz + near * dz, dx, dy, dz)
    return enter(low + near, high + near, nx, ny, nz, dx, dy, dz)


@function
def ray_plane(nx, ny, nz, level, ox, oy, oz, dx, dy, dz):
    """Where a ray enters the half-space below a plane: distance (or inf) and normal, world."""
    height = nx * ox + ny * oy + nz * oz - level
    fall = -(nx * dx + ny * dy + nz * dz)
    t = height / fall if fall > 0.0 else INF
    inside = height <= 0.0
    return 0.0 if inside else t, -dx if inside else nx, -dy if inside else ny, -dz if inside else nz
