"""Spheres, capsules, boxes, cylinders and cones as distance functions, by formula."""

import math

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER
from phalanx.ecs import function
from phalanx.systems.collision.narrow.vectors import direction


@function
def outside_of_box(x, y, z, sx, sy, sz):
    """Outward unit normal of a box (half lengths s) nearest to a point, and the point's signed distance.

    Inside, that of the nearest face, of equals the later axis.
    """
    ex = math.fabs(x) - sx
    ey = math.fabs(y) - sy
    ez = math.fabs(z) - sz
    inside = ex <= 0.0 and ey <= 0.0 and ez <= 0.0
    by_z = inside and ez >= ex and ez >= ey
    by_y = inside and not by_z and ey >= ex
    by_x = inside and not by_z and not by_y
    nx, ny, nz, length = direction(max(ex, 0.0), max(ey, 0.0), max(ez, 0.0))
    nx = (1.0 if by_x else 0.0) if inside else nx
    ny = (1.0 if by_y else 0.0) if inside else ny
    nz = (1.0 if by_z else 0.0) if inside else nz
    distance = max(ex, max(ey, ez)) if inside else length
    return nx if x >= 0.0 else -nx, ny if y >= 0.0 else -ny, nz if z >= 0.0 else -nz, distance


@function
def outside_of_capsule(x, y, z, radius, half):
    """Outward unit normal of a capsule (a sphere if ``half`` is 0) nearest to a point, and its signed distance."""
    nx, ny, nz, length = direction(x, y, z - min(max(z, -half), half))
    return nx, ny, nz, length - radius


@function
def outside_of_cylinder(rho, z, radius, half):
    """Radial and axial part of a cylinder's outward unit normal nearest to a point, and its signed distance.

    ``rho``, m, is the distance from the axis. Inside, the normal of the nearest face; of equals that of the end.
    """
    er = rho - radius
    ez = math.fabs(z) - half
    inside = er <= 0.0 and ez <= 0.0
    by_wall = inside and er > ez
    nr, _, nz, length = direction(max(er, 0.0), 0.0, max(ez, 0.0))
    nr = (1.0 if by_wall else 0.0) if inside else nr
    nz = (0.0 if by_wall else 1.0) if inside else nz
    return nr, nz if z >= 0.0 else -nz, max(er, ez) if inside else length


@function
def outside_of_cone(rho, z, radius, half):
    """As :func:`outside_of_cylinder`, of a cone with its apex at z = ``half``."""
    cr, _, cz, slant = direction(2.0 * half, 0.0, radius)  # the wall's normal, its length from apex to rim
    wall = rho * cr + (z - half) * cz
    below = -half - z
    down = rho * cz - (z - half) * cr  # along the wall from the apex
    inside = wall <= 0.0 and below <= 0.0
    base = (below > 0.0 and rho <= radius) or (inside and below >= wall)
    rim = not base and (below > 0.0 or (wall > 0.0 and down >= slant))
    apex = not base and not rim and wall > 0.0 and down <= 0.0
    corner_r = radius if rim else 0.0
    corner_z = -half if rim else half
    nr, _, nz, length = direction(rho - corner_r, 0.0, z - corner_z)
    to_corner = rim or apex
    nr = nr if to_corner else (0.0 if base else cr)
    nz = nz if to_corner else (-1.0 if base else cz)
    return nr, nz, length if to_corner else (below if base else wall)


@function
def outside_of(kind, sx, sy, sz, x, y, z):
    """Outward unit normal of a solid's surface nearest to a point in its frame, and the signed distance of the point.

    The signed distance of a point inside is minus its distance from the nearest surface. Where all directions are as
    good (the centre of a sphere, the axis of a capsule or cylinder) the normal is the x axis.

    Args:
        kind: sphere, capsule, box, cylinder or cone.
        sx, sy, sz: ShapeGeometry.size.
    """
    if kind == BOX:
        return outside_of_box(x, y, z, sx, sy, sz)
    if kind == CYLINDER or kind == CONE:
        ux, uy, _, rho = direction(x, y, 0.0)
        rc, zc, distance_c = outside_of_cylinder(rho, z, sx, sy)
        rk, zk, distance_k = outside_of_cone(rho, z, sx, sy)
        radial = rc if kind == CYLINDER else rk
        return (
            ux * radial,
            uy * radial,
            zc if kind == CYLINDER else zk,
            distance_c if kind == CYLINDER else distance_k,
        )
    return outside_of_capsule(x, y, z, sx, sy if kind == CAPSULE else 0.0)


@function
def hull_outside(first, end, normals, offsets, x, y, z):
    """Outward normal of the face of a hull that a point is farthest above (or least below), and how far."""
    nx = 1.0
    ny = 0.0
    nz = 0.0
    most = -math.inf
    for f in range(first, end):
        height = normals[f, 0, 0] * x + normals[f, 1, 0] * y + normals[f, 2, 0] * z - offsets[f, 0]
        if height > most:
            most = height
            nx = normals[f, 0, 0]
            ny = normals[f, 1, 0]
            nz = normals[f, 2, 0]
    return nx, ny, nz, most
