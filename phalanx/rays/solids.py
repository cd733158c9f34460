"""Rays against the surfaces of spheres, capsules, boxes, cylinders and cones, from outside and from inside.

The formulas are those of scene queries (:mod:`phalanx.systems.queries.ray_solid`), for which a ray that starts inside
has hit already; what a sensor inside sees is where the ray leaves, and that is where the ray the other way enters.
"""

import math

from phalanx.ecs import function
from phalanx.systems.queries.ray_solid import solid_interval

INF = math.inf


@function
def ray_surface(kind, sx, sy, sz, ox, oy, oz, dx, dy, dz, sides):
    """Where a ray first meets a shape's surface: distance (or inf) and outward normal, in the shape's frame.

    Args:
        kind, sx, sy, sz: SPHERE, CAPSULE, BOX, CYLINDER or CONE, and its sizes (``ShapeGeometry.size``).
        o, d: origin and direction, a unit vector.
        sides: 1: from outside only.
    """
    near = -(ox * dx + oy * dy + oz * dz)
    px = ox + near * dx
    py = oy + near * dy
    pz = oz + near * dz
    t = INF
    nx = 0.0
    ny = 0.0
    nz = 0.0
    for turn in range(2):
        way = 1.0 if turn == 0 else -1.0
        if turn == 0 or t < 0.0:
            low, high, ax, ay, az = solid_interval(kind, sx, sy, sz, px, py, pz, way * dx, way * dy, way * dz)
            if low <= high:
                t = near + way * low
                nx = ax
                ny = ay
                nz = az
            else:
                t = INF
    if not t >= 0.0 or (sides == 1 and nx * dx + ny * dy + nz * dz > 0.0):
        t = INF
    return t, nx, ny, nz
