"""Spheres with spheres, capsules, boxes, cylinders and cones, by formula.

The distance of a solid from the sphere's centre is all that is needed: the contact point lies on the normal through
the centre.
"""

from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    SPHERE,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_primitive,
    is_round,
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
    if kind[a, e] != SPHERE or not is_primitive(kind[b, e]):
        return
    sx, sy, sz = size[b, 0, e], size[b, 1, e], size[b, 2, e]
    radius, radius_b = size[a, 0, e], sx if is_round(kind[b, e]) else 0.0
    r0, r1, r2, r3, r4 = rotation[b, 0, e], rotation[b, 1, e], rotation[b, 2, e], rotation[b, 3, e], rotation[b, 4, e]
    r5, r6, r7, r8 = rotation[b, 5, e], rotation[b, 6, e], rotation[b, 7, e], rotation[b, 8, e]
    x, y, z = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, -between[n, 0, e], -between[n, 1, e], -between[n, 2, e])
    ux, uy, uz, distance = outside_of(kind[b, e], sx, sy, sz, x, y, z)
    distance -= radius
    nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ux, uy, uz)
    if not (distance <= reach[n, e] and are_numbers(x, y, z)):
        count[n, e] = 0
        return
    slot = n * (slots // candidates)
    out = radius + 0.5 * distance
    count[n, e] = 1
    position[slot, 0, e], position[slot, 1, e], position[slot, 2, e] = -out * nx, -out * ny, -out * nz
    normal[slot, 0, e], normal[slot, 1, e], normal[slot, 2, e] = nx, ny, nz
    separation[slot, e] = distance
    apart = max(rest[a, e] + rest[b, e], 0.0)
    size_b = bounding_radius(kind[b, e], sx, sy, sz)
    near = touching(radius, size_b)
    gap = distance - apart
    if not (gap > near and gap < way_length[n, e]):
        return
    spots = local(SPOT)
    moved = local(MOVED)
    way = local(WAY)
    for i in range(9):
        moved[i], moved[9 + i] = rotation[a, i, e], rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
        way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
        way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
        way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
    begin_way(way, moved)
    spots[0], spots[1], spots[2] = -out * nx, -out * ny, -out * nz
    spots[3], spots[4], spots[5], spots[6] = nx, ny, nz, distance
    bent = bend(way, 0.0, size_b - radius_b)
    acting = acts(way, spots, 1, rest[a, e] + rest[b, e] + near)
    clear = gap
    t = 0.0
    look = 0
    while look < LOOKS:
        step = stretch(t, gap, bent)
        move_pair(way, t + step, moved)
        later = primitive_gap(moved, SPHERE, 0.0, 0.0, 0.0, kind[b, e], sx, sy, sz, nx, ny, nz)
        later -= radius + radius_b + apart
        t += step * safe_part(gap, later, bent, step)
        look += 1
        if t < 1.0:
            move_pair(way, t, moved)
            r0, r1, r2, r3, r4, r5 = moved[9], moved[10], moved[11], moved[12], moved[13], moved[14]
            r6, r7, r8 = moved[15], moved[16], moved[17]
            x, y, z = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, -moved[18], -moved[19], -moved[20])
            ux, uy, uz, distance = outside_of(kind[b, e], sx, sy, sz, x, y, z)
            distance -= radius
            nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ux, uy, uz)
            gap = distance - apart
            clear = min(clear, gap)
            if not gap > near or look == LOOKS - 1:
                out = radius + 0.5 * distance
                spots[0], spots[1], spots[2] = -out * nx, -out * ny, -out * nz
                spots[3], spots[4], spots[5], spots[6] = nx, ny, nz, distance
                count[n, e] = before_impact(way, moved, t, spots, 1, reach[n, e])
                for i in range(3):
                    between[n, i, e] = moved[18 + i]
                    position[slot, i, e] = spots[i]
                    normal[slot, i, e] = spots[3 + i]
                separation[slot, e] = spots[6]
                look += LOOKS
        else:
            passed[n, e] = 1 if acting else 0
            clearance[n, e] = clear
            look += LOOKS
