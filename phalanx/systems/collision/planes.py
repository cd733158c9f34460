"""Contacts of spheres, capsules, boxes, cylinders, cones and hulls with planes.

Apart from other pairs, since a plane needs no search: a few probe points of a shape and one dot product each, which
vectorises over environments. Robots on a flat ground need nothing else.
"""

import math

from phalanx.components import (
    Contact,
    ContactCount,
    ContactImpulse,
    ContactPoint,
    Coordinate,
    DofMotion,
    GroundPlane,
    LinkPose,
    LinkTopology,
    PlanePair,
    PlanePairState,
    PlanePairTopology,
    PlanePoint,
    PointGeometry,
    PointState,
    PointTopology,
    PreviousContact,
    Scratch,
    Settings,
    ShapeGeometry,
    Status,
)
from phalanx.ecs import read, rows, system, update, write
from phalanx.maths.kernels import cross

MOST_POINTS = 4
"""Contact points per shape and plane."""

AT_ONCE = 8
"""Shapes whose numbers of points are looked at together."""

KEEP = 0.01
"""Points of a flat patch stay in it until another one is deeper by this share of the contact offset.

With points that lie equally deep, the ones to keep would else change with every rounding, and with them the impulses
that the solver starts from: a prism with eight corners never came to rest.
"""

FLAT = 0.1
"""And as long as they all lie within this share of it above the deepest."""

STEEP = 20.0
"""A point spans the patch by as much less as it lies above the deepest, times this: what is aloft carries nothing.

On faces tilted by up to 1 / STEEP the farthest points are still those of the face.
"""


@system(over=PlanePoint, phase="collide")
def point_distances(
    n,
    e,
    plane=read(PointTopology.plane),
    link=read(PointTopology.link),
    dof=read(PointTopology.dof),
    rim=read(PointTopology.rim),
    root=read(LinkTopology.root),
    centre=read(PointGeometry.position),
    half_axis=read(PointGeometry.axis),
    radius=read(PointGeometry.radius),
    normal=read(GroundPlane.normal),
    level=read(GroundPlane.offset),
    h=read(Settings.timestep),
    speculative=read(Settings.speculative),
    shape=read(PointTopology.shape),
    other=read(PointTopology.other),
    margin=read(ShapeGeometry.contact_offset),
    rest=read(ShapeGeometry.rest_offset),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(LinkPose.offset),
    rotation=read(LinkPose.rotation),
    motion=read(DofMotion.velocity),
    arm=write(PointState.arm),
    distance=write(PointState.distance),
    near=write(PointState.near),
):
    """Distance of each point from its plane; near if it is, or would come within this substep, below the margin."""
    i = link[n, e]
    s = plane[n, e]
    nx, ny, nz = normal[s, 0, e], normal[s, 1, e], normal[s, 2, e]
    r0, r1, r2 = rotation[i, 0, e], rotation[i, 1, e], rotation[i, 2, e]
    r3, r4, r5 = rotation[i, 3, e], rotation[i, 4, e], rotation[i, 5, e]
    r6, r7, r8 = rotation[i, 6, e], rotation[i, 7, e], rotation[i, 8, e]
    cx, cy, cz = centre[n, 0, e], centre[n, 1, e], centre[n, 2, e]
    x, y, z = r0 * cx + r1 * cy + r2 * cz, r3 * cx + r4 * cy + r5 * cz, r6 * cx + r7 * cy + r8 * cz
    size = radius[n, e]
    k = rim[n, e]
    if k < 0:
        x, y, z = x - size * nx, y - size * ny, z - size * nz
    else:
        # Rim points: 0 and 1 the lowest of each end; 2, 3, 4 the others of the lower end, a quarter turn apart. Of the
        # one end of a cone: 5 the lowest, 6, 7, 8 the others.
        ax, ay, az = half_axis[n, 0, e], half_axis[n, 1, e], half_axis[n, 2, e]
        ax, ay, az = r0 * ax + r1 * ay + r2 * az, r3 * ax + r4 * ay + r5 * az, r6 * ax + r7 * ay + r8 * az
        length2 = ax * ax + ay * ay + az * az
        along = (ax * nx + ay * ny + az * nz) / length2
        ux, uy, uz = along * ax - nx, along * ay - ny, along * az - nz
        u2 = ux * ux + uy * uy + uz * uz
        flat = u2 < 1e-8
        # Any direction will do for a cylinder that stands upright: the link's own x or y, off the axis.
        pick = r0 * ax + r3 * ay + r6 * az
        pick = pick * pick < 0.5 * length2
        gx = r0 if pick else r1
        gy = r3 if pick else r4
        gz = r6 if pick else r7
        g = (gx * ax + gy * ay + gz * az) / length2
        gx, gy, gz = gx - g * ax, gy - g * ay, gz - g * az
        ux = gx if flat else ux
        uy = gy if flat else uy
        uz = gz if flat else uz
        scale = size / math.sqrt(ux * ux + uy * uy + uz * uz)
        ux, uy, uz = ux * scale, uy * scale, uz * scale
        lower = 1.0 if along < 0.0 else -1.0
        if k == 0 or k == 1:
            lower = 1.0 if k == 0 else -1.0
        if k >= 5:
            lower = 1.0
        if k == 2 or k == 6:
            ux, uy, uz = -ux, -uy, -uz
        if k == 3 or k == 4 or k >= 7:
            ux, uy, uz = cross(ax, ay, az, ux, uy, uz)
            turn = (1.0 if k == 3 or k == 7 else -1.0) / math.sqrt(length2)
            ux, uy, uz = turn * ux, turn * uy, turn * uz
        x, y, z = x + lower * ax + ux, y + lower * ay + uy, z + lower * az + uz
    d = dof[n, e]
    vx, vy, vz = cross(motion[d, 0, e], motion[d, 1, e], motion[d, 2, e], x, y, z)
    x, y, z = x + offset[i, 0, e], y + offset[i, 1, e], z + offset[i, 2, e]
    c = coord[root[i, e], e]
    gap = (x + q[c, e]) * nx + (y + q[c + 1, e]) * ny + (z + q[c + 2, e]) * nz - level[s, e]
    gap = gap - (rest[shape[n, e], e] + rest[other[n, e], e])
    speed = (vx + motion[d, 3, e]) * nx + (vy + motion[d, 4, e]) * ny + (vz + motion[d, 5, e]) * nz
    arm[n, 0, e], arm[n, 1, e], arm[n, 2, e] = x, y, z
    distance[n, e] = gap
    ahead = h[0, e] * min(speed, 0.0) if speculative[0, e] != 0 else 0.0
    near[n, e] = 1 if gap + ahead < margin[shape[n, e], e] + margin[other[n, e], e] else 0


@system(over=PlanePair, phase="collide")
def pick_near_points(
    s,
    e,
    plane=read(PlanePairTopology.plane),
    shape_a=read(PlanePairTopology.a),
    shape_b=read(PlanePairTopology.b),
    first=read(PlanePairTopology.first_point),
    end=read(PlanePairTopology.end_point),
    tangent=read(GroundPlane.tangent),
    normal=read(GroundPlane.normal),
    near=update(PointState.near),
    distance=read(PointState.distance),
    margin=read(ShapeGeometry.contact_offset),
    point_arm=read(PointState.arm),
    before=read(Scratch.before),
    old_key=read(PreviousContact.key),
    found=write(PlanePairState.near),
):
    """Number of near points of each shape. Of more than four, four are kept that span the patch.

    They are the deepest, the one farthest from it, and the farthest to either side of the line between them, all less
    by height, see ``STEEP``; or those of the last substep, see ``KEEP``.
    """
    count = 0
    for n in range(first[s, e], end[s, e]):
        count += near[n, e]
    found[s, e] = count
    if count <= MOST_POINTS:
        return
    seen, high = 0, before[0, e]
    while seen < high:  # keys grow
        middle = (seen + high) >> 1
        if old_key[middle, e] < first[s, e]:
            seen = middle + 1
        else:
            high = middle
    p = plane[s, e]
    nx, ny, nz = normal[p, 0, e], normal[p, 1, e], normal[p, 2, e]
    tx, ty, tz = tangent[p, 0, e], tangent[p, 1, e], tangent[p, 2, e]
    bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
    kept = 0
    kept_depth, depth, shallow = 1.0e30, 1.0e30, -1.0e30
    old = seen
    for n in range(first[s, e], end[s, e]):
        while old < before[0, e] and old_key[old, e] < n:
            old += 1
        if near[n, e] == 1:
            depth = min(depth, distance[n, e])
            if old < before[0, e] and old_key[old, e] == n:
                kept += 1
                kept_depth = min(kept_depth, distance[n, e])
                shallow = max(shallow, distance[n, e])
    band = margin[shape_a[s, e], e] + margin[shape_b[s, e], e]
    stays = kept_depth <= depth + KEEP * band and shallow <= depth + FLAT * band
    if kept >= 3 and kept <= MOST_POINTS and stays:
        old = seen
        for n in range(first[s, e], end[s, e]):
            while old < before[0, e] and old_key[old, e] < n:
                old += 1
            known = old < before[0, e] and old_key[old, e] == n
            near[n, e] = near[n, e] if known else 0
        found[s, e] = kept
        return
    one = -1
    depth = 0.0
    for n in range(first[s, e], end[s, e]):
        if near[n, e] == 1 and (one < 0 or distance[n, e] < depth):
            one = n
            depth = distance[n, e]
    two = one
    best = -1.0e30
    ox = tx * point_arm[one, 0, e] + ty * point_arm[one, 1, e] + tz * point_arm[one, 2, e]
    oy = bx * point_arm[one, 0, e] + by * point_arm[one, 1, e] + bz * point_arm[one, 2, e]
    lx, ly = 0.0, 0.0
    for n in range(first[s, e], end[s, e]):
        if near[n, e] == 1 and n != one:
            x = tx * point_arm[n, 0, e] + ty * point_arm[n, 1, e] + tz * point_arm[n, 2, e] - ox
            y = bx * point_arm[n, 0, e] + by * point_arm[n, 1, e] + bz * point_arm[n, 2, e] - oy
            far = math.sqrt(x * x + y * y) - STEEP * (distance[n, e] - depth)
            if far > best:
                best = far
                two = n
                lx, ly = x, y
    steep = STEEP * math.sqrt(lx * lx + ly * ly)
    left = one
    right = one
    highest, lowest = -1.0e30, 1.0e30
    for n in range(first[s, e], end[s, e]):
        if near[n, e] == 1 and n != one and n != two:
            x = tx * point_arm[n, 0, e] + ty * point_arm[n, 1, e] + tz * point_arm[n, 2, e] - ox
            y = bx * point_arm[n, 0, e] + by * point_arm[n, 1, e] + bz * point_arm[n, 2, e] - oy
            side = lx * y - ly * x
            less = steep * (distance[n, e] - depth)
            if side >= 0.0 and side - less > highest:
                highest = side - less
                left = n
            if side <= 0.0 and side + less < lowest:
                lowest = side + less
                right = n
    for n in range(first[s, e], end[s, e]):
        near[n, e] = 1 if (n == one or n == two or n == left or n == right) else 0
    kept = 0
    for n in range(first[s, e], end[s, e]):
        kept += near[n, e]
    found[s, e] = kept


@system(phase="collide", needs=PlanePair)
def place_plane_contacts(
    lanes,
    pairs=rows(PlanePair),
    slots=rows(Contact),
    near=read(PlanePairState.near),
    first=write(PlanePairState.first_contact),
    count=update(ContactCount.current),
    dropped=update(Status.contacts_dropped),
):
    """Where in the list of contacts those of each shape come, in the order of points."""
    for e in lanes:
        filled = 0
        for start in range(0, pairs, AT_ONCE):
            numbers = 0
            for k in range(AT_ONCE):  # loads that do not wait for each other
                numbers |= (near[min(start + k, pairs - 1), e] if start + k < pairs else 0) << (4 * k)
            for k in range(AT_ONCE):
                if start + k < pairs:
                    first[start + k, e] = filled
                filled += (numbers >> (4 * k)) & 15
        count[0, e] = min(filled, slots)
        dropped[0, e] = max(dropped[0, e], filled - slots)


@system(over=PlanePair, phase="collide")
def plane_contacts(
    s,
    e,
    slots=rows(Contact),
    plane=read(PlanePairTopology.plane),
    shape_a=read(PlanePairTopology.a),
    shape_b=read(PlanePairTopology.b),
    first=read(PlanePairTopology.first_point),
    end=read(PlanePairTopology.end_point),
    pair_near=read(PlanePairState.near),
    first_contact=read(PlanePairState.first_contact),
    tangent=read(GroundPlane.tangent),
    normal=read(GroundPlane.normal),
    near=read(PointState.near),
    distance=read(PointState.distance),
    point_arm=read(PointState.arm),
    before=read(Scratch.before),
    key=write(ContactPoint.key),
    a=write(ContactPoint.a),
    b=write(ContactPoint.b),
    place=write(ContactPoint.place),
    arm_a=write(ContactPoint.arm_a),
    arm_b=write(ContactPoint.arm_b),
    out_normal=write(ContactPoint.normal),
    out_tangent=write(ContactPoint.tangent),
    separation=write(ContactPoint.separation),
    impulse=write(ContactImpulse.last),
    old_key=read(PreviousContact.key),
    push=read(PreviousContact.push),
    rub=read(PreviousContact.rub),
):
    """The points of a shape that are near and kept, as contacts; one that was there before keeps its impulse."""
    if pair_near[s, e] == 0:
        return
    filled = first_contact[s, e]
    seen, high = 0, before[0, e]
    while seen < high:  # keys grow
        middle = (seen + high) >> 1
        if old_key[middle, e] < first[s, e]:
            seen = middle + 1
        else:
            high = middle
    p = plane[s, e]
    nx, ny, nz = normal[p, 0, e], normal[p, 1, e], normal[p, 2, e]
    tx, ty, tz = tangent[p, 0, e], tangent[p, 1, e], tangent[p, 2, e]
    bx, by, bz = cross(nx, ny, nz, tx, ty, tz)
    for n in range(first[s, e], end[s, e]):
        if near[n, e] == 1 and filled < slots:
            while seen < before[0, e] and old_key[seen, e] < n:
                seen += 1
            known = seen < before[0, e] and old_key[min(seen, slots - 1), e] == n
            key[filled, e] = n
            a[filled, e] = shape_a[s, e]
            b[filled, e] = shape_b[s, e]
            separation[filled, e] = distance[n, e]
            out_normal[filled, 0, e], out_normal[filled, 1, e], out_normal[filled, 2, e] = nx, ny, nz
            out_tangent[filled, 0, e], out_tangent[filled, 1, e], out_tangent[filled, 2, e] = tx, ty, tz
            for k in range(3):
                place[filled, k, e] = 0.0
                arm_a[filled, k, e] = point_arm[n, k, e]
                arm_b[filled, k, e] = 0.0
            old = seen if known else 0
            x, y, z = rub[old, 0, e], rub[old, 1, e], rub[old, 2, e]
            impulse[filled, 0, e] = push[old, e] if known else 0.0
            impulse[filled, 1, e] = x * tx + y * ty + z * tz if known else 0.0
            impulse[filled, 2, e] = x * bx + y * by + z * bz if known else 0.0
            filled += 1
