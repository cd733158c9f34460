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
from phalanx.components.shape import (
    CAPSULE,
    CONE,
    SPHERE,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
)
from phalanx.ecs import local, read, rows, system, update
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SPOT,
    WAY,
    acts,
    before_impact,
    begin_way,
    bend,
    bounding_radius,
    move_pair,
    primitive_gap,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.outside import outside_of
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.collision.narrow.vectors import are_numbers


@system(over=Candidate, phase="collide", used="used")
def collide_spheres(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    reach=read(CandidatePair.reach),
    way_length=read(CandidatePair.way),
    kind=read(ShapeTopology.kind),
    size=read(ShapeGeometry.size),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    between=update(CandidatePair.between),
    count=update(Manifold.count),
    passed=update(Manifold.passed),
    clearance=update(Manifold.clearance),
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
    spots = local(SPOT)
    moved = local(MOVED)
    way = local(WAY)
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
    apart = max(rest[a, e] + rest[b, e], 0.0)
    sx, sy, sz = size[b, 0, e], size[b, 1, e], size[b, 2, e]
    radius, radius_b = size[a, 0, e], sx if kind[b, e] <= CAPSULE else 0.0
    size_b = bounding_radius(kind[b, e], sx, sy, sz)
    near = touching(radius, size_b)
    acting = False
    clear = math.inf
    bent = 0.0
    t = 0.0
    look = 0
    while look < LOOKS:
        r0, r1, r2, r3, r4, r5 = moved[9], moved[10], moved[11], moved[12], moved[13], moved[14]
        r6, r7, r8 = moved[15], moved[16], moved[17]
        x, y, z = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, -moved[18], -moved[19], -moved[20])
        ux, uy, uz, distance = outside_of(kind[b, e], sx, sy, sz, x, y, z)
        distance -= radius
        nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ux, uy, uz)
        out = radius + 0.5 * distance
        spots[0], spots[1], spots[2] = -out * nx, -out * ny, -out * nz
        spots[3], spots[4], spots[5], spots[6] = nx, ny, nz, distance
        found = 1 if (look > 0 or distance <= reach[n, e]) and are_numbers(x, y, z) else 0
        gap = distance - apart
        clear = min(clear, gap)
        goes_on = look < LOOKS - 1 and gap > near
        if look == 0 or not goes_on:
            if look > 0:
                found = before_impact(way, moved, t, spots, found, reach[n, e])
                for i in range(3):
                    between[n, i, e] = moved[18 + i]
            count[n, e] = found
            for p in range(found):
                slot = n * (slots // candidates) + p
                for i in range(3):
                    position[slot, i, e] = spots[SPOT * p + i]
                    normal[slot, i, e] = spots[SPOT * p + 3 + i]
                separation[slot, e] = spots[SPOT * p + 6]
            goes_on = goes_on and look == 0 and found > 0 and gap < way_length[n, e]
            if goes_on:
                for i in range(3):
                    way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
                    way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
                    way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
                begin_way(way, moved)
                acting = acts(way, spots, found, rest[a, e] + rest[b, e] + near)
                bent = bend(way, 0.0, size_b - radius_b)
        look += 1 if goes_on else LOOKS
        if goes_on:
            step = stretch(t, gap, bent)
            move_pair(way, t + step, moved)
            later = primitive_gap(moved, SPHERE, 0.0, 0.0, 0.0, kind[b, e], sx, sy, sz, nx, ny, nz)
            later -= radius + radius_b + apart
            t += step * safe_part(gap, later, bent, step)
            if t < 1.0:
                move_pair(way, t, moved)
            else:
                passed[n, e] = count[n, e] if acting else 0
                clearance[n, e] = clear
                look += LOOKS
