"""Spheres with spheres, capsules, boxes, cylinders and cones, by formula.

The distance of a solid from the sphere's centre is all that is needed: the contact point lies on the normal through
the centre.
"""

import math

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, SPHERE, ShapeGeometry, ShapePose, ShapeTopology
from phalanx.ecs import function, read, rows, system, update
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.collision.narrow.vectors import are_numbers, direction


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


@system(over=Candidate, phase="collide", used="used")
def collide_spheres(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    reach=read(CandidatePair.reach),
    kind=read(ShapeTopology.kind),
    size=read(ShapeGeometry.size),
    rotation=read(ShapePose.rotation),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres with spheres, capsules, boxes, cylinders and cones: one point."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != SPHERE or kind[b, e] > CONE:
        return
    r0, r1, r2 = rotation[b, 0, e], rotation[b, 1, e], rotation[b, 2, e]
    r3, r4, r5 = rotation[b, 3, e], rotation[b, 4, e], rotation[b, 5, e]
    r6, r7, r8 = rotation[b, 6, e], rotation[b, 7, e], rotation[b, 8, e]
    x, y, z = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, -between[n, 0, e], -between[n, 1, e], -between[n, 2, e])
    ux, uy, uz, distance = outside_of(kind[b, e], size[b, 0, e], size[b, 1, e], size[b, 2, e], x, y, z)
    gap = distance - size[a, 0, e]
    found = gap <= reach[n, e] and are_numbers(x, y, z)
    count[n, e] = 1 if found else 0
    if found:
        nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ux, uy, uz)
        slot = n * (slots // candidates)
        out = size[a, 0, e] + 0.5 * gap
        position[slot, 0, e] = -out * nx
        position[slot, 1, e] = -out * ny
        position[slot, 2, e] = -out * nz
        normal[slot, 0, e] = nx
        normal[slot, 1, e] = ny
        normal[slot, 2, e] = nz
        separation[slot, e] = gap
