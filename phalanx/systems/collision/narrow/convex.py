"""Contacts of pairs of convex shapes."""

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
    BOX,
    CAPSULE,
    SPHERE,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_convex,
    is_primitive,
    is_round,
)
from phalanx.ecs import local, local_int, read, rows, system, update
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SAME,
    SPOT,
    WAY,
    acts,
    before_impact,
    begin_way,
    bend,
    least_gap,
    move_pair,
    pair_of,
    points_out_of_a,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.manifold import OUT, collide_convex_pair
from phalanx.systems.collision.narrow.support import FORMS, PAIR, core_radius, separation_along

SPOTS = 28


@system(over=Candidate, phase="collide", used="used")
def collide_convex(
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
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    vertices=read(HullVertexPosition.position),
    normals=read(HullFacePlane.normal),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    corner_vertices=read(HullCornerVertex.vertex),
    between=update(CandidatePair.between),
    count=update(Manifold.count),
    passed=update(Manifold.passed),
    clearance=update(Manifold.clearance),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres, capsules, boxes, cylinders, cones and hulls with each other, but for pairs that have their own systems.

    Those are spheres with all but hulls, and capsules and boxes.
    """
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    own = (kind[a, e] == SPHERE and is_primitive(kind[b, e])) or is_round(kind[b, e]) or kind[b, e] == BOX
    if own or not is_convex(kind[b, e]):
        return
    pair = local(PAIR)
    forms = local_int(FORMS)
    out = local(OUT)
    direct = local(6)
    point = local(6)
    spots = local(SPOTS)
    moved = local(MOVED)
    way = local(WAY)
    size_a, size_b = 0.0, 0.0
    for i in range(3):
        pair[12 + i] = size[a, i, e]
        pair[15 + i] = size[b, i, e]
        most = max(math.fabs(low[a, i, e]), math.fabs(high[a, i, e]))
        size_a += most * most
        most = max(math.fabs(low[b, i, e]), math.fabs(high[b, i, e]))
        size_b += most * most
    size_a, size_b = math.sqrt(size_a), math.sqrt(size_b)
    forms[0] = kind[a, e]
    forms[1] = first_vertex[a, e]
    forms[2] = end_vertex[a, e]
    forms[3] = first_face[a, e]
    forms[4] = end_face[a, e]
    forms[5] = kind[b, e]
    forms[6] = first_vertex[b, e]
    forms[7] = end_vertex[b, e]
    forms[8] = first_face[b, e]
    forms[9] = end_face[b, e]
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    for i in range(3):
        moved[18 + i] = between[n, i, e]
    apart = max(rest[a, e] + rest[b, e], 0.0)
    near = touching(size_a, size_b)
    radii = core_radius(forms[0], pair[12]) + core_radius(forms[5], pair[15])
    core_a = 0.0 if kind[a, e] == SPHERE else (pair[13] if kind[a, e] == CAPSULE else size_a)
    acting = False
    clear = math.inf
    bent = 0.0
    t = 0.0
    along = -math.inf
    known = False
    x, y, z = 0.0, 0.0, 0.0
    look = 0
    while look < LOOKS:
        pair_of(moved, pair)
        found = collide_convex_pair(
            pair, forms, reach[n, e] if look == 0 else math.inf, known, direct,
            normals, first_corners, end_corners, corner_vertices, vertices, out,
        )  # fmt: skip
        found = min(found, slots // candidates)
        points_out_of_a(moved, out, found, spots)
        first = SPOT * least_gap(spots, found)
        gap = spots[first + 6] - apart
        clear = min(clear, gap)
        goes_on = look < LOOKS - 1 and gap > near and not known
        again = not (goes_on or known) and along >= gap - SAME * near
        if again:  # touching, and the direction of the last look is as good as any
            known = True
            for i in range(3):
                direct[i] = moved[i] * x + moved[3 + i] * y + moved[6 + i] * z
        elif look == 0 or not goes_on:
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
                bent = bend(way, core_a, size_b)
                acting = acts(way, spots, found, rest[a, e] + rest[b, e] + near + bent)
        look += 1 if goes_on or again else LOOKS
        if goes_on:
            step = stretch(t, gap, bent)
            move_pair(way, t + step, moved)
            x, y, z = spots[first + 3], spots[first + 4], spots[first + 5]
            for i in range(3):
                direct[i] = moved[i] * x + moved[3 + i] * y + moved[6 + i] * z
            pair_of(moved, pair)
            later = separation_along(pair, forms, vertices, point, direct[0], direct[1], direct[2]) - radii
            t += step * safe_part(gap, later - apart, bent, step)
            move_pair(way, t, moved)
            for i in range(3):
                direct[i] = moved[i] * x + moved[3 + i] * y + moved[6 + i] * z
            pair_of(moved, pair)
            along = -apart + separation_along(pair, forms, vertices, point, direct[0], direct[1], direct[2]) - radii
            if t >= 1.0:
                passed[n, e] = count[n, e] if acting else 0
                clearance[n, e] = clear
                look += LOOKS
