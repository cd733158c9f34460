"""Where shapes are, their bounds, and which allowed pairs are near."""

import math

from phalanx.components import (
    AllowedPair,
    Candidate,
    CandidateCount,
    CandidatePair,
    Coordinate,
    DofMotion,
    DofState,
    LinkInertia,
    LinkPose,
    LinkTopology,
    Manifold,
    PairState,
    PairTopology,
    Settings,
    Shape,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    Status,
)
from phalanx.components.link import FREE
from phalanx.components.shape import CAPSULE, PLANE, SPHERE, is_primitive
from phalanx.ecs import read, rows, system, update, write
from phalanx.maths.kernels import cross, quaternion_product, rotate, rotation_matrix
from phalanx.systems.collision.narrow.ball import FAST, inner_radius

AT_ONCE = 16
"""Pairs whose flags are looked at together."""


@system(over=Shape, phase="collide")
def shape_poses(
    s,
    e,
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    position=read(ShapeGeometry.position),
    turn=read(ShapeGeometry.orientation),
    offset=read(LinkPose.offset),
    orientation=read(LinkPose.orientation),
    place=write(ShapePose.offset),
    rotation=write(ShapePose.rotation),
):
    """Pose of the shape = pose of its link * its frame in the link."""
    if kind[s, e] == PLANE:
        return
    i = link[s, e]
    w, x, y, z = orientation[i, 0, e], orientation[i, 1, e], orientation[i, 2, e], orientation[i, 3, e]
    px, py, pz = rotate(w, x, y, z, position[s, 0, e], position[s, 1, e], position[s, 2, e])
    place[s, 0, e], place[s, 1, e], place[s, 2, e] = px + offset[i, 0, e], py + offset[i, 1, e], pz + offset[i, 2, e]
    w, x, y, z = quaternion_product(w, x, y, z, turn[s, 0, e], turn[s, 1, e], turn[s, 2, e], turn[s, 3, e])
    a, b, c, d, f, g, h, m, n = rotation_matrix(w, x, y, z)
    rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e] = a, b, c
    rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e] = d, f, g
    rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e] = h, m, n


@system(over=Shape, phase="collide")
def shape_bounds(
    s,
    e,
    h=read(Settings.timestep),
    gravity=read(Settings.gravity),
    speculative=read(Settings.speculative),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    joint_type=read(LinkTopology.joint_type),
    first_dof=read(LinkTopology.first_dof),
    q=read(Coordinate.value),
    link_offset=read(LinkPose.offset),
    link_rotation=read(LinkPose.rotation),
    com=read(LinkInertia.com),
    motion=read(DofMotion.velocity),
    acceleration=read(DofState.acceleration),
    size=read(ShapeGeometry.size),
    least=read(ShapeGeometry.low),
    greatest=read(ShapeGeometry.high),
    margin=read(ShapeGeometry.contact_offset),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    low=write(ShapeBounds.low),
    high=write(ShapeBounds.high),
    travel=write(ShapeBounds.travel),
    turned=write(ShapeMotion.turn),
    centre=write(ShapeMotion.centre),
    slow=write(ShapeMotion.slow),
):
    """Axis-aligned bounds: grown by the contact offset, and along the way that the shape goes in this substep.

    What was accelerated evenly is expected to go on so: a body in the air falls, one that slides is held by what it
    slides on. More than twice gravity's acceleration was a blow, which says nothing about what comes.
    """
    k = kind[s, e]
    if k == PLANE:
        return
    i = link[s, e]
    c = coord[root[i, e], e]
    x, y, z = q[c, e] + offset[s, 0, e], q[c + 1, e] + offset[s, 1, e], q[c + 2, e] + offset[s, 2, e]
    r0, r1, r2 = rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e]
    r3, r4, r5 = rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e]
    r6, r7, r8 = rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e]
    if k == SPHERE or k == CAPSULE:
        radius = size[s, 0, e]
        length = size[s, 1, e] if k == CAPSULE else 0.0
        mx, my, mz = 0.0, 0.0, 0.0
        hx, hy, hz = radius + math.fabs(r2) * length, radius + math.fabs(r5) * length, radius + math.fabs(r8) * length
        far = radius + length
    else:
        ax, ay, az = least[s, 0, e], least[s, 1, e], least[s, 2, e]
        bx, by, bz = greatest[s, 0, e], greatest[s, 1, e], greatest[s, 2, e]
        ux, uy, uz = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
        vx, vy, vz = 0.5 * (bx - ax), 0.5 * (by - ay), 0.5 * (bz - az)
        mx, my, mz = r0 * ux + r1 * uy + r2 * uz, r3 * ux + r4 * uy + r5 * uz, r6 * ux + r7 * uy + r8 * uz
        hx = math.fabs(r0) * vx + math.fabs(r1) * vy + math.fabs(r2) * vz
        hy = math.fabs(r3) * vx + math.fabs(r4) * vy + math.fabs(r5) * vz
        hz = math.fabs(r6) * vx + math.fabs(r7) * vy + math.fabs(r8) * vz
        far = math.sqrt(ux * ux + uy * uy + uz * uz) + math.sqrt(vx * vx + vy * vy + vz * vz)
    d = dof[s, e]
    sx, sy, sz = 0.0, 0.0, 0.0
    tx, ty, tz = 0.0, 0.0, 0.0
    ux, uy, uz = 0.0, 0.0, 0.0
    arc = 0.0
    if d >= 0:
        ux = link_offset[i, 0, e] - offset[s, 0, e]
        uy = link_offset[i, 1, e] - offset[s, 1, e]
        uz = link_offset[i, 2, e] - offset[s, 2, e]
        tx, ty, tz = h[0, e] * motion[d, 0, e], h[0, e] * motion[d, 1, e], h[0, e] * motion[d, 2, e]
        sx, sy, sz = cross(ux, uy, uz, tx, ty, tz)
        sx, sy, sz = sx + h[0, e] * motion[d, 3, e], sy + h[0, e] * motion[d, 4, e], sz + h[0, e] * motion[d, 5, e]
        arc = far * math.sqrt(tx * tx + ty * ty + tz * tz)
        if joint_type[root[i, e], e] == FREE:
            f = first_dof[root[i, e], e]
            gx, gy, gz = gravity[0, 0, e], gravity[0, 1, e], gravity[0, 2, e]
            bx, by, bz = acceleration[f, e], acceleration[f + 1, e], acceleration[f + 2, e]
            even = bx * bx + by * by + bz * bz <= 4.0 * (gx * gx + gy * gy + gz * gz)
            scale = h[0, e] * h[0, e] if even else 0.0
            sx, sy, sz = sx + scale * bx, sy + scale * by, sz + scale * bz
        if joint_type[i, e] == FREE:
            cx, cy, cz = com[i, 0, e], com[i, 1, e], com[i, 2, e]
            ux += link_rotation[i, 0, e] * cx + link_rotation[i, 1, e] * cy + link_rotation[i, 2, e] * cz
            uy += link_rotation[i, 3, e] * cx + link_rotation[i, 4, e] * cy + link_rotation[i, 5, e] * cz
            uz += link_rotation[i, 6, e] * cx + link_rotation[i, 7, e] * cy + link_rotation[i, 8, e] * cz
    ahead = speculative[0, e] != 0
    grow = margin[s, e] + (min(arc, far) if ahead else 0.0)
    x, y, z = x + mx, y + my, z + mz
    low[s, 0, e] = x - hx - grow + (min(sx, 0.0) if ahead else 0.0)
    low[s, 1, e] = y - hy - grow + (min(sy, 0.0) if ahead else 0.0)
    low[s, 2, e] = z - hz - grow + (min(sz, 0.0) if ahead else 0.0)
    high[s, 0, e] = x + hx + grow + (max(sx, 0.0) if ahead else 0.0)
    high[s, 1, e] = y + hy + grow + (max(sy, 0.0) if ahead else 0.0)
    high[s, 2, e] = z + hz + grow + (max(sz, 0.0) if ahead else 0.0)
    travel[s, 0, e], travel[s, 1, e], travel[s, 2, e] = sx, sy, sz
    travel[s, 3, e], travel[s, 4, e] = min(arc, far), arc
    turned[s, 0, e], turned[s, 1, e], turned[s, 2, e] = tx, ty, tz
    centre[s, 0, e], centre[s, 1, e], centre[s, 2, e] = ux, uy, uz
    left = 0.0  # of hulls all are looked at
    if is_primitive(k):
        left = inner_radius(k, size[s, 0, e], size[s, 1, e], size[s, 2, e]) - math.sqrt(ux * ux + uy * uy + uz * uz)
        left = left if left > 0.0 and k != SPHERE else math.inf
    slow[s, e] = FAST * left if d >= 0 else math.inf


@system(over=AllowedPair, phase="collide")
def near_pairs(
    p,
    e,
    a=read(PairTopology.a),
    b=read(PairTopology.b),
    low=read(ShapeBounds.low),
    high=read(ShapeBounds.high),
    near=write(PairState.near),
):
    """Whether the bounds of a pair overlap."""
    i, j = a[p, e], b[p, e]
    x = low[i, 0, e] <= high[j, 0, e] and low[j, 0, e] <= high[i, 0, e]
    y = low[i, 1, e] <= high[j, 1, e] and low[j, 1, e] <= high[i, 1, e]
    z = low[i, 2, e] <= high[j, 2, e] and low[j, 2, e] <= high[i, 2, e]
    near[p, e] = 1 if x and y and z else 0


@system(phase="collide")
def list_candidates(
    lanes,
    pairs=rows(AllowedPair),
    slots=rows(Candidate),
    near=read(PairState.near),
    shape_a=read(PairTopology.a),
    shape_b=read(PairTopology.b),
    count=write(CandidateCount.current),
    a=write(CandidatePair.a),
    b=write(CandidatePair.b),
    key=write(CandidatePair.key),
    dropped=update(Status.candidates_dropped),
):
    """Near pairs in the order of pairs."""
    for e in lanes:
        filled = 0
        missing = 0
        for first in range(0, pairs, AT_ONCE):
            bits = 0
            for k in range(AT_ONCE):  # loads that do not wait for each other
                bits |= (near[min(first + k, pairs - 1), e] if first + k < pairs else 0) << k
            for k in range(AT_ONCE if bits != 0 else 0):
                p = first + k
                if (bits >> k) & 1 == 1:
                    if filled < slots:
                        a[filled, e] = shape_a[p, 0]
                        b[filled, e] = shape_b[p, 0]
                        key[filled, e] = p
                        filled += 1
                    else:
                        missing += 1
        count[0, e] = filled
        dropped[0, e] = max(dropped[0, e], missing)


@system(over=Candidate, phase="collide", used="count")
def relate_candidates(
    n,
    e,
    speculative=read(Settings.speculative),
    count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    link=read(ShapeTopology.link),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(ShapePose.offset),
    margin=read(ShapeGeometry.contact_offset),
    travel=read(ShapeBounds.travel),
    slow=read(ShapeMotion.slow),
    between=write(CandidatePair.between),
    reach=write(CandidatePair.reach),
    way=write(CandidatePair.way),
    fast=write(CandidatePair.fast),
    points=write(Manifold.count),
    passed=write(Manifold.passed),
    dropped=write(Manifold.dropped),
):
    """From shape to shape, and how near contact points must be to matter: roots first, so that no digits are lost."""
    if n >= count[0, e]:
        return
    points[n, e] = 0
    passed[n, e] = 0
    dropped[n, e] = 0
    a, b = shape_a[n, e], shape_b[n, e]
    i, j = root[link[a, e], e], root[link[b, e], e]
    c, d = coord[i, e], coord[j, e]
    for k in range(3):
        between[n, k, e] = (q[d + k, e] - q[c + k, e]) + (offset[b, k, e] - offset[a, k, e])
    x = travel[a, 0, e] - travel[b, 0, e]
    y = travel[a, 1, e] - travel[b, 1, e]
    z = travel[a, 2, e] - travel[b, 2, e]
    straight = math.sqrt(x * x + y * y + z * z)
    nearer = straight + travel[a, 4, e] + travel[b, 4, e]
    way[n, e] = nearer
    fast[n, e] = 1 if nearer > min(slow[a, e], slow[b, e]) else 0
    ahead = straight + travel[a, 3, e] + travel[b, 3, e] if speculative[0, e] != 0 else 0.0
    reach[n, e] = margin[a, e] + margin[b, e] + ahead
