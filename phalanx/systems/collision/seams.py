"""Contacts at seams: between tiles, which may be bodies or links of their own, and between pieces of one body.

A box that slides from one tile to the next is a hair lower than the next one's top, so it strikes its side; a ball
meets the tile's edge aslant. Neither could happen on one piece: the side is covered by the first tile. Therefore a
contact of a shape s with a piece o is left out if the contact of s with another piece c holds s off o as well:

* o lies below the plane of the contact with c, to within ``SEAM``; that plane is first turned into a face of o that it
  is ``ALIKE`` to. Since s lies above it (the normal is one along which s and c are apart), s and o are apart along it,
  too, or overlap by no more than s and c;
* c lies above the plane of the contact with o, so the pieces together have no such normal there. Two faces of a
  ridge, or of one plane, keep both contacts, also where s is tilted on it (``ALIKE``);
* the contact with c is no farther away than that with o, and a point of that is at c, or its normal another by more
  than 30 degrees: legs of a table stand on their own.

Points of what s only passes count like others, where they were kept: since s strikes something, which may be a seam,
or since it is held over it.

Pieces are two shapes of one link, or of several as long as in this substep c and o move no more than ``SEAM`` along
that normal against each other, where s is: tiles may turn on one turntable, or be links of a robot. Loose bodies are no
tiles to each other: each must be carried by what it lies on, whatever lies beside it. Nor are links of robots to what
cannot move: feet on uneven ground keep their contacts. A ground plane is a piece, too: it covers all that lies below
it, and has no other normal than its own. Worlds whose only flat shapes are loose bodies of one shape each go without
this system.
"""

import math
from dataclasses import replace
from functools import cache

from phalanx.components import (
    Candidate,
    CandidateChain,
    CandidateCount,
    CandidatePair,
    Coordinate,
    GroundPlane,
    HullFacePlane,
    HullVertexPosition,
    LinkTopology,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
    PlanePair,
    PlanePairState,
    PlanePairTopology,
    Shape,
    ShapeBounds,
    ShapeChain,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    TreeTopology,
)
from phalanx.components.shape import HULL, is_convex
from phalanx.ecs import System, function, local_int, read, rows, system, update, write
from phalanx.ecs.declare import renamed
from phalanx.ecs.sequences.stand_ins import Exchange
from phalanx.maths.kernels import cross
from phalanx.systems.collision.narrow.outside import hull_outside, outside_of
from phalanx.systems.collision.narrow.support import core_radius, farthest_vertex, primitive_support

SEAM = 0.01
"""Tiles whose tops differ by less than this part of the contact offset (0.2 mm by default) count as level."""

ASIDE = 0.85
"""Cosine of an angle between normals: what is struck farther aside is the side of a piece, wherever its points are."""

ALIKE = 0.99996
"""Cosine of an angle between normals, 0.5 degrees: below, the faces are one plane, met by a tilted shape."""

UPRIGHT = 0.9998
"""Cosine of an angle between a normal and that of a plane which covers the piece: below, it is not the plane's."""

CHUNK = 32
"""Candidates that share a shape, or on GPUs are looked through for those, before they are looked at."""

CHAINED = 1
"""Whether candidates that share a shape are found by its chain. On GPUs the threads that look through all of them do so
side by side, while chains are made one link after the other."""

AT_ONCE = 4
"""Candidates whose shapes are loaded together: a thread of a GPU waits at each branch for the loads that decide it."""


@function
def reach_along(kind, sx, sy, sz, lx, ly, lz, hx, hy, hz, first, end, vertices, x, y, z):
    """How far a shape reaches from its origin along a unit vector of its own frame, m; of meshes, at most.

    Args:
        sx, sy, sz: ShapeGeometry.size.
        lx to hz: ShapeGeometry.low and .high.
        first, end: rows of its vertices if it is a hull.
    """
    if kind == HULL:
        v = farthest_vertex(vertices, first, end, x, y, z)
        return vertices[v, 0, 0] * x + vertices[v, 1, 0] * y + vertices[v, 2, 0] * z
    if not is_convex(kind):
        return (hx if x > 0.0 else lx) * x + (hy if y > 0.0 else ly) * y + (hz if z > 0.0 else lz) * z
    px, py, pz = primitive_support(kind, sx, sy, sz, x, y, z)
    return px * x + py * y + pz * z + core_radius(kind, sx)


@function
def distance_from(
    kind, sx, sy, sz, lx, ly, lz, hx, hy, hz, first, end, normals, offsets, x, y, z
):  # fmt: skip
    """How far a point of a shape's own frame is from it, m, negative inside; of hulls and meshes, at least.

    Args:
        sx to hz: as for :func:`reach_along`.
        first, end: rows of its faces if it is a hull.
        normals, offsets: HullFacePlane.normal, .offset.
    """
    if kind == HULL:
        return hull_outside(first, end, normals, offsets, x, y, z)[3]
    if not is_convex(kind):
        return max(max(lx - x, x - hx), max(max(ly - y, y - hy), max(lz - z, z - hz)))
    return outside_of(kind, sx, sy, sz, x, y, z)[3]


@function
def along_axis(x, y, z):
    """The axis of a frame that a unit vector is ``ALIKE`` to, or else that vector."""
    px = 1.0 if x > ALIKE else (-1.0 if x < -ALIKE else 0.0)
    py = 1.0 if y > ALIKE else (-1.0 if y < -ALIKE else 0.0)
    pz = 1.0 if z > ALIKE else (-1.0 if z < -ALIKE else 0.0)
    some = px != 0.0 or py != 0.0 or pz != 0.0
    return px if some else x, py if some else y, pz if some else z


@function
def tilt(rx, ry, rz, x, y, z):
    """How far a rotation vector turns a unit vector, rad, and its length."""
    along = rx * x + ry * y + rz * z
    square = rx * rx + ry * ry + rz * rz
    return math.sqrt(max(square - along * along, 0.0)), math.sqrt(square)


@function
def approach_along(tx, ty, tz, rx, ry, rz, ax, ay, az, x, y, z):
    """How far a point goes along a unit vector, to first order: t of the origin, rotation vector r, point a from it."""
    ux, uy, uz = cross(rx, ry, rz, ax, ay, az)
    return (tx + ux) * x + (ty + uy) * y + (tz + uz) * z


@system(phase="collide")
def chain_candidates(
    lanes,
    shapes=rows(Shape),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    points=read(Manifold.count),
    passed=read(Manifold.passed),
    clearance=read(Manifold.clearance),
    separation=read(ManifoldPointState.separation),
    last=write(ShapeChain.last),
    before=write(CandidateChain.before),
    nearest=write(CandidateChain.nearest),
):
    """Chain the candidates with points of each shape, the last first."""
    width = manifold_points // candidates
    for e in lanes:
        for s in range(shapes):
            last[s, e] = -1
        for n in range(candidate_count[0, e]):
            left = points[n, e] - (passed[n, e] if clearance[n, e] >= 0.0 else 0)
            if left > 0:
                best = n * width
                for p in range(n * width + 1, n * width + left):
                    best = p if separation[p, e] < separation[best, e] else best
                nearest[n, e] = best
                a, b = shape_a[n, e], shape_b[n, e]
                before[n, 0, e] = last[a, e]
                last[a, e] = n
                before[n, 1, e] = last[b, e]
                last[b, e] = n


@system(over=Candidate, phase="collide", used="candidate_count")
def drop_seam_contacts(
    n,
    e,
    plane_pairs=rows(PlanePair),
    candidates=rows(Candidate),
    manifold_points=rows(ManifoldPoint),
    candidate_count=read(CandidateCount.current),
    shape_a=read(CandidatePair.a),
    shape_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    points=read(Manifold.count),
    passed=read(Manifold.passed),
    clearance=read(Manifold.clearance),
    position=read(ManifoldPointState.position),
    normal=read(ManifoldPointState.normal),
    separation=read(ManifoldPointState.separation),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    sole=read(ShapeTopology.sole),
    root=read(LinkTopology.root),
    tree=read(LinkTopology.tree),
    yields=read(TreeTopology.yields),
    is_free=read(TreeTopology.is_free),
    first_link=read(TreeTopology.first_link),
    end_link=read(TreeTopology.end_link),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    vertices=read(HullVertexPosition.position),
    face_normals=read(HullFacePlane.normal),
    face_offsets=read(HullFacePlane.offset),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    margin=read(ShapeGeometry.contact_offset),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turn=read(ShapeMotion.turn),
    plane=read(PlanePairTopology.plane),
    on_plane=read(PlanePairTopology.a),
    near_plane=read(PlanePairState.near),
    plane_normal=read(GroundPlane.normal),
    plane_offset=read(GroundPlane.offset),
    last=read(ShapeChain.last),
    before=read(CandidateChain.before),
    nearest=read(CandidateChain.nearest),
    dropped=update(Manifold.dropped),
):
    """Leave out contacts with what the neighbour on the same body covers; see ``Manifold.dropped``."""
    if n >= candidate_count[0, e] or points[n, e] - dropped[n, e] <= 0:
        return
    a, b = shape_a[n, e], shape_b[n, e]
    width = manifold_points // candidates
    found = points[n, e] - dropped[n, e]  # with what is passed, where it may act
    hidden = 0
    for w in range(plane_pairs):
        if near_plane[w, e] > 0 and (on_plane[w, e] == a or on_plane[w, e] == b):
            o = b if on_plane[w, e] == a else a
            k = plane[w, e]
            x, y, z = plane_normal[k, 0, e], plane_normal[k, 1, e], plane_normal[k, 2, e]
            level = SEAM * max(margin[a, e], margin[b, e])
            f = coord[root[link[o, e], e], e]
            top = reach_along(
                kind[o, e], size[o, 0, e], size[o, 1, e], size[o, 2, e], low[o, 0, e], low[o, 1, e], low[o, 2, e],
                high[o, 0, e], high[o, 1, e], high[o, 2, e], first_vertex[o, e], end_vertex[o, e], vertices,
                rotation[o, 0, e] * x + rotation[o, 3, e] * y + rotation[o, 6, e] * z,
                rotation[o, 1, e] * x + rotation[o, 4, e] * y + rotation[o, 7, e] * z,
                rotation[o, 2, e] * x + rotation[o, 5, e] * y + rotation[o, 8, e] * z,
            )  # fmt: skip
            top += (q[f, e] + offset[o, 0, e]) * x + (q[f + 1, e] + offset[o, 1, e]) * y
            top += (q[f + 2, e] + offset[o, 2, e]) * z - plane_offset[k, e]
            tilts, turns = tilt(turn[o, 0, e], turn[o, 1, e], turn[o, 2, e], x, y, z)
            rises = travel[o, 0, e] * x + travel[o, 1, e] * y + travel[o, 2, e] * z
            rises += travel[o, 4, e] * tilts / turns if turns > 0.0 else travel[o, 4, e]
            for p in range(found if top <= level and rises <= level else 0):
                r = n * width + p
                along = normal[r, 0, e] * x + normal[r, 1, e] * y + normal[r, 2, e] * z
                hidden |= 1 << p if (along if o == b else -along) < UPRIGHT else 0
    tiles = False  # whether a or b may be a piece beside another one: heaps have many pairs that are not
    for side in range(2):
        o = a if side == 0 else b
        t = tree[link[o, e], e]
        single = (is_free[t, e] == 1) & (end_link[t, e] - first_link[t, e] == 1)
        tiles = tiles | (sole[o, e] == 0) | (not single) | (dof[o, e] < 0) | (yields[t, e] == 0)
    many = candidate_count[0, e] if tiles else 0
    farthest = -math.inf
    for p in range(found if tiles else 0):
        farthest = max(farthest, separation[n * width + p, e])
    which = local_int(CHUNK)
    begin = 0
    ends = 0  # of chains, that of a and that of b
    follow = last[a, e] if CHAINED and tiles else -1
    more = many > 0
    while more:
        number = 0  # of those that share a shape with it
        if CHAINED:
            while number < CHUNK and ends < 2:
                if follow < 0:
                    ends += 1
                    follow = last[b, e]
                else:
                    which[number] = follow
                    number += 1 if follow != n else 0
                    follow = before[follow, 0 if shape_a[follow, e] == (a if ends == 0 else b) else 1, e]
            more = ends < 2
        else:
            for first in range(begin, min(begin + CHUNK, many), AT_ONCE):
                for k in range(AT_ONCE):
                    m = min(first + k, many - 1)
                    i, j = shape_a[m, e], shape_b[m, e]
                    shares = (i == a) | (i == b) | (j == a) | (j == b)
                    which[number] = m
                    number += 1 if shares & (m != n) & (first + k < many) else 0
            begin += CHUNK
            more = begin < many
        for one in range(number):
            m = which[one]
            i, j = shape_a[m, e], shape_b[m, e]
            best = nearest[m, e] if CHAINED else m * width
            if not CHAINED:
                left = points[m, e] - (passed[m, e] if clearance[m, e] >= 0.0 else 0)
                if left <= 0:
                    continue
                for p in range(m * width + 1, m * width + left):
                    best = p if separation[p, e] < separation[best, e] else best
            shared_a = i == a or j == a
            s = a if shared_a else b
            o = b if shared_a else a
            c = j if i == s else i
            level = SEAM * max(margin[s, e], margin[o, e])
            if separation[best, e] > farthest + level:
                continue  # it covers only what is not nearer
            of_one = link[o, e] == link[c, e]
            t, u, v = tree[link[o, e], e], tree[link[c, e], e], tree[link[s, e], e]
            fixed_o, fixed_c = dof[o, e] < 0 or yields[t, e] == 0, dof[c, e] < 0 or yields[u, e] == 0
            loose_o = not fixed_o and is_free[t, e] == 1 and end_link[t, e] - first_link[t, e] == 1
            loose_c = not fixed_c and is_free[u, e] == 1 and end_link[u, e] - first_link[u, e] == 1
            slides = dof[s, e] >= 0 and yields[v, e] == 1
            go_together = (fixed_o and fixed_c) or (slides and not loose_o and not loose_c)
            if (of_one or go_together) and o != c and link[s, e] != link[o, e]:
                # normals from the piece to s, and places from the origins of pieces
                sign = 1.0 if c == j else -1.0
                x, y, z = sign * normal[best, 0, e], sign * normal[best, 1, e], sign * normal[best, 2, e]
                cx, cy, cz = x, y, z
                half = 0.5 * separation[best, e]
                height = 0.0
                f, g = coord[root[link[c, e], e], e], coord[root[link[o, e], e], e]
                dx = (q[g, e] - q[f, e]) + (offset[o, 0, e] - offset[c, 0, e])
                dy = (q[g + 1, e] - q[f + 1, e]) + (offset[o, 1, e] - offset[c, 1, e])
                dz = (q[g + 2, e] - q[f + 2, e]) + (offset[o, 2, e] - offset[c, 2, e])
                own = 1.0 if o == b else -1.0
                below = True
                covered = 0
                adjacent = False
                p = -1
                while p < found and below:
                    # first o against the plane of c, turned into the face of o, then c against the planes of o
                    w = o if p < 0 else c
                    if p >= 0:
                        r = n * width + p
                        x, y, z = own * normal[r, 0, e], own * normal[r, 1, e], own * normal[r, 2, e]
                        half = 0.5 * separation[r, e]
                        px = position[r, 0, e] - (between[n, 0, e] if o == b else 0.0) - half * x
                        py = position[r, 1, e] - (between[n, 1, e] if o == b else 0.0) - half * y
                        pz = position[r, 2, e] - (between[n, 2, e] if o == b else 0.0) - half * z
                        height = px * x + py * y + pz * z
                        px, py, pz = px + dx, py + dy, pz + dz
                    ux = rotation[w, 0, e] * x + rotation[w, 3, e] * y + rotation[w, 6, e] * z
                    uy = rotation[w, 1, e] * x + rotation[w, 4, e] * y + rotation[w, 7, e] * z
                    uz = rotation[w, 2, e] * x + rotation[w, 5, e] * y + rotation[w, 8, e] * z
                    if p < 0:
                        ux, uy, uz = along_axis(ux, uy, uz)
                        x = rotation[w, 0, e] * ux + rotation[w, 1, e] * uy + rotation[w, 2, e] * uz
                        y = rotation[w, 3, e] * ux + rotation[w, 4, e] * uy + rotation[w, 5, e] * uz
                        z = rotation[w, 6, e] * ux + rotation[w, 7, e] * uy + rotation[w, 8, e] * uz
                        height = (position[best, 0, e] - (between[m, 0, e] if c == j else 0.0)) * x - half
                        height += (position[best, 1, e] - (between[m, 1, e] if c == j else 0.0)) * y
                        height += (position[best, 2, e] - (between[m, 2, e] if c == j else 0.0)) * z
                    top = reach_along(
                        kind[w, e], size[w, 0, e], size[w, 1, e], size[w, 2, e], low[w, 0, e], low[w, 1, e],
                        low[w, 2, e], high[w, 0, e], high[w, 1, e], high[w, 2, e], first_vertex[w, e],
                        end_vertex[w, e], vertices, ux, uy, uz,
                    )  # fmt: skip
                    along = dx * x + dy * y + dz * z
                    nearer = separation[best, e] <= separation[n * width + max(p, 0), e] + level
                    agree = cx * x + cy * y + cz * z
                    if p < 0:
                        below = top + along <= height + level
                        if below and not of_one:  # o against c at the contact with c, and about it as far as s reaches
                            ax = position[best, 0, e] - (between[m, 0, e] if c == j else 0.0)
                            ay = position[best, 1, e] - (between[m, 1, e] if c == j else 0.0)
                            az = position[best, 2, e] - (between[m, 2, e] if c == j else 0.0)
                            slips = approach_along(
                                travel[c, 0, e], travel[c, 1, e], travel[c, 2, e], turn[c, 0, e],
                                turn[c, 1, e], turn[c, 2, e],
                                ax, ay, az, cx, cy, cz,
                            )  # fmt: skip
                            slips -= approach_along(
                                travel[o, 0, e], travel[o, 1, e], travel[o, 2, e], turn[o, 0, e],
                                turn[o, 1, e], turn[o, 2, e],
                                ax - dx, ay - dy, az - dz, cx, cy, cz,
                            )  # fmt: skip
                            tilts, _ = tilt(
                                turn[o, 0, e] - turn[c, 0, e], turn[o, 1, e] - turn[c, 1, e],
                                turn[o, 2, e] - turn[c, 2, e],
                                cx, cy, cz,
                            )  # fmt: skip
                            reach = 0.0
                            for k in range(3):
                                reach += max(math.fabs(low[s, k, e]), math.fabs(high[s, k, e]))
                            slips = math.fabs(slips) + 2.0 * reach * tilts
                            below = slips <= level
                    elif top - along > height + level and nearer and agree < ALIKE:
                        covered |= 1 << p
                        adjacent = adjacent or agree < ASIDE
                        if not adjacent:
                            away = distance_from(
                                kind[c, e], size[c, 0, e], size[c, 1, e], size[c, 2, e], low[c, 0, e], low[c, 1, e],
                                low[c, 2, e], high[c, 0, e], high[c, 1, e], high[c, 2, e], first_face[c, e],
                                end_face[c, e], face_normals, face_offsets,
                                rotation[c, 0, e] * px + rotation[c, 3, e] * py + rotation[c, 6, e] * pz,
                                rotation[c, 1, e] * px + rotation[c, 4, e] * py + rotation[c, 7, e] * pz,
                                rotation[c, 2, e] * px + rotation[c, 5, e] * py + rotation[c, 8, e] * pz,
                            )  # fmt: skip
                            adjacent = away <= level
                    p += 1
                hidden |= covered if adjacent else 0
    if hidden != 0:
        some = 0
        for p in range(found):
            some += (hidden >> p) & 1
        dropped[n, e] = (hidden << 8) | (dropped[n, e] + some)


@cache
def without_chains() -> System:
    """:func:`drop_seam_contacts`, looking through all candidates."""
    function = renamed(drop_seam_contacts.function, "drop_seam_contacts_of_all", CHAINED=0)
    return replace(drop_seam_contacts, function=function)


EXCHANGE = Exchange(("chain_candidates", "drop_seam_contacts"), lambda rows: without_chains())
"""What stands in on GPUs: without chains."""
