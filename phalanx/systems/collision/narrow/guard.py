"""What keeps fast shapes from turning through what they strike.

A rod that strikes a wall with its end at 100 m/s turns on at thousands of radians a second. Contacts are linear in the
motion of a substep, so one at its end lets it turn through the wall, about that end. Therefore a fast shape that moves
has a ball of its own: the largest one about its centre of mass that lies within it, which no rotation moves. Where that
ball meets the other shape there is a contact more. What would go on by more than its own size after it strikes has one
contact alone, which stops its centre of mass when it strikes: how it would tumble in the rest of the substep, no
contact can tell.
"""

import math

from phalanx.components.dof import Coordinate
from phalanx.components.link import LinkTopology
from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    HULL,
    SPHERE,
    HullFacePlane,
    HullVertexPosition,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_convex,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.narrow.ball import ball_radius, convex_inner_radius
from phalanx.systems.collision.narrow.impact import (
    LOOKS,
    MOVED,
    SPOT,
    WAY,
    approach,
    begin_way,
    bend,
    move_pair,
    safe_part,
    stretch,
    touching,
)
from phalanx.systems.collision.narrow.outside import hull_outside, outside_of
from phalanx.systems.collision.narrow.support import core_radius, farthest_vertex, primitive_support

FLAT = 0.1
"""Contacts are of one face if their separations differ by less than this part of the ball's radius."""


@function
def place_ball(way, moved, side, t):
    """Move the pair to time t; where the ball's centre is then, from the other shape's origin and in its frame."""
    move_pair(way, t, moved)
    o = 9 * side
    sign = 1.0 if side == 1 else -1.0
    x = sign * moved[18]
    y = sign * moved[19]
    z = sign * moved[20]
    for k in range(3):  # from the origin to the centre of mass, which has turned
        along = way[18 + o + k] * way[o + 3] + way[21 + o + k] * way[o + 4] + way[24 + o + k] * way[o + 5]
        x += moved[o + k] * along
        y += moved[o + 3 + k] * along
        z += moved[o + 6 + k] * along
    q = 9 - o
    return (
        moved[q] * x + moved[q + 3] * y + moved[q + 6] * z,
        moved[q + 1] * x + moved[q + 4] * y + moved[q + 7] * z,
        moved[q + 2] * x + moved[q + 5] * y + moved[q + 8] * z,
    )


@function
def ball_contact(way, moved, side, t, radius, x, y, z, gap, spot):
    """The contact of a ball at time t, as seen from the start; ``moved`` is where the shapes are then.

    Args:
        x, y, z: outward normal of the other shape, in its frame.
        gap: what the ball is apart from it, m.
        spot: result, ``SPOT`` numbers; the place is from the origin of the ball's shape.
    """
    q = 9 - 9 * side
    sign = -1.0 if side == 1 else 1.0
    nx = sign * (moved[q] * x + moved[q + 1] * y + moved[q + 2] * z)
    ny = sign * (moved[q + 3] * x + moved[q + 4] * y + moved[q + 5] * z)
    nz = sign * (moved[q + 6] * x + moved[q + 7] * y + moved[q + 8] * z)
    bx = way[36] + t * (way[15] - way[6])
    by = way[37] + t * (way[16] - way[7])
    bz = way[38] + t * (way[17] - way[8])
    px = (bx + way[12] if side == 1 else way[3]) - sign * radius * nx
    py = (by + way[13] if side == 1 else way[4]) - sign * radius * ny
    pz = (bz + way[14] if side == 1 else way[5]) - sign * radius * nz
    gap = max(gap - t * approach(way, px, py, pz, bx, by, bz, nx, ny, nz), 0.0)
    spot[3] = nx
    spot[4] = ny
    spot[5] = nz
    spot[6] = gap
    spot[0] = (way[12] if side == 1 else way[3]) - sign * (radius + 0.5 * gap) * nx
    spot[1] = (way[13] if side == 1 else way[4]) - sign * (radius + 0.5 * gap) * ny
    spot[2] = (way[14] if side == 1 else way[5]) - sign * (radius + 0.5 * gap) * nz


@function
def ball_meets(
    way, moved, side, radius, forms, solid, size, apart, near, normals, offsets, vertices, spot
):  # fmt: skip
    """Whether the ball of shape a (``side`` 0) or b (1) meets the other shape; the contact goes to ``spot``.

    Args:
        forms, solid: of the other shape: kind, first and end vertex, first and end face; ShapeGeometry.size.
        size: bound on how far it reaches from its origin, m.
        apart, near: distance at which they meet, m, and what is nearer to it than which they touch.
        normals, offsets, vertices: HullFacePlane.normal, .offset, HullVertexPosition.position.
    """
    bent = bend(way, 0.0 if side == 0 else size, size if side == 0 else 0.0)
    q = 9 - 9 * side
    t = 0.0
    for look in range(LOOKS):
        x, y, z = place_ball(way, moved, side, t)
        if forms[0] == HULL:
            nx, ny, nz, distance = hull_outside(forms[3], forms[4], normals, offsets, x, y, z)
        else:
            nx, ny, nz, distance = outside_of(forms[0], solid[0], solid[1], solid[2], x, y, z)
        gap = distance - radius - apart
        if gap <= near or look == LOOKS - 1:
            ball_contact(way, moved, side, t, radius, nx, ny, nz, gap + apart, spot)
            return True
        ux = moved[q] * nx + moved[q + 1] * ny + moved[q + 2] * nz
        uy = moved[q + 3] * nx + moved[q + 4] * ny + moved[q + 5] * nz
        uz = moved[q + 6] * nx + moved[q + 7] * ny + moved[q + 8] * nz
        step = stretch(t, gap, bent)
        x, y, z = place_ball(way, moved, side, t + step)
        nx = moved[q] * ux + moved[q + 3] * uy + moved[q + 6] * uz
        ny = moved[q + 1] * ux + moved[q + 4] * uy + moved[q + 7] * uz
        nz = moved[q + 2] * ux + moved[q + 5] * uy + moved[q + 8] * uz
        if forms[0] == HULL:
            v = farthest_vertex(vertices, forms[1], forms[2], nx, ny, nz)
            px, py, pz = vertices[v, 0, 0], vertices[v, 1, 0], vertices[v, 2, 0]
        else:
            px, py, pz = primitive_support(forms[0], solid[0], solid[1], solid[2], nx, ny, nz)
        later = (x - px) * nx + (y - py) * ny + (z - pz) * nz - core_radius(forms[0], solid[0]) - radius - apart
        t += step * safe_part(gap, later, bent, step)
        if t >= 1.0:
            return False
    return False


@system(over=Candidate, phase="collide", used="used", registers=64)
def guard_fast_shapes(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    way_length=read(CandidatePair.way),
    fast=read(CandidatePair.fast),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    dof=read(ShapeTopology.dof),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    rest=read(ShapeGeometry.rest_offset),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    passed=read(Manifold.passed),
    vertices=read(HullVertexPosition.position),
    normals=read(HullFacePlane.normal),
    offsets=read(HullFacePlane.offset),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """A contact more where the ball of a fast shape meets the other one, for convex shapes not face to face."""
    if fast[n, e] == 0 or n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    width = slots // candidates
    found = count[n, e]
    if found == 0 or passed[n, e] > 0 or not is_convex(kind[b, e]) or way_length[n, e] == 0.0:
        return
    balls = local(2)
    for side in range(2):
        s = a if side == 0 else b
        balls[side] = 0.0
        if kind[s, e] != SPHERE and dof[s, e] >= 0:
            inner = convex_inner_radius(
                kind[s, e], size[s, 0, e], size[s, 1, e], size[s, 2, e], first_face[s, e], end_face[s, e], offsets
            )
            balls[side] = ball_radius(centre[s, 0, e], centre[s, 1, e], centre[s, 2, e], inner, way_length[n, e])
    if balls[0] == 0.0 and balls[1] == 0.0:
        return
    way = local(WAY)
    moved = local(MOVED)
    solid = local(3)
    spot = local(SPOT)
    forms = local_int(5)
    c, d = coord[root[link[a, e], e], e], coord[root[link[b, e], e], e]
    for k in range(3):
        way[k], way[9 + k] = turned[a, k, e], turned[b, k, e]
        way[3 + k], way[12 + k] = centre[a, k, e], centre[b, k, e]
        way[6 + k], way[15 + k] = travel[a, k, e], travel[b, k, e]
        moved[18 + k] = (q[d + k, e] - q[c + k, e]) + (offset[b, k, e] - offset[a, k, e])
    for k in range(9):
        moved[k] = rotation[a, k, e]
        moved[9 + k] = rotation[b, k, e]
    begin_way(way, moved)
    first = n * width
    time = 1.0
    for p in range(first, first + found):  # which contact acts first, and when
        nearer = -approach(
            way, position[p, 0, e], position[p, 1, e], position[p, 2, e],
            between[n, 0, e], between[n, 1, e], between[n, 2, e], normal[p, 0, e], normal[p, 1, e], normal[p, 2, e],
        )  # fmt: skip
        gap = max(separation[p, e], 0.0)
        if gap < time * nearer:
            first = p
            time = gap / nearer
    alone = False
    nx, ny, nz = normal[first, 0, e], normal[first, 1, e], normal[first, 2, e]
    for side in range(2):
        s = a if side == 0 else b
        own = 0.0
        for k in range(3):
            most = max(math.fabs(low[s, k, e]), math.fabs(high[s, k, e]))
            own += most * most
        own = math.sqrt(own)
        if balls[side] > 0.0 and time < 1.0 and not alone:
            lever = balls[side] if side == 0 else -balls[side]
            x = way[9 * side + 3] + (between[n, 0, e] if side == 1 else 0.0) - lever * nx
            y = way[9 * side + 4] + (between[n, 1, e] if side == 1 else 0.0) - lever * ny
            z = way[9 * side + 5] + (between[n, 2, e] if side == 1 else 0.0) - lever * nz
            nearer = -approach(way, x, y, z, between[n, 0, e], between[n, 1, e], between[n, 2, e], nx, ny, nz)
            gap = time * nearer
            if nearer - gap > own:
                half = 0.5 * gap if side == 0 else -0.5 * gap
                slot = n * width
                position[slot, 0, e] = x - half * nx
                position[slot, 1, e] = y - half * ny
                position[slot, 2, e] = z - half * nz
                normal[slot, 0, e], normal[slot, 1, e], normal[slot, 2, e] = nx, ny, nz
                separation[slot, e] = gap
                count[n, e] = 1
                alone = True
    if alone:
        return
    apart = max(rest[a, e] + rest[b, e], 0.0)
    for side in range(2):
        s = a if side == 0 else b
        o = b if side == 0 else a
        radius = balls[side]
        if radius > 0.0:
            reach = 0.0
            for k in range(3):
                solid[k] = size[o, k, e]
                most = max(math.fabs(low[o, k, e]), math.fabs(high[o, k, e]))
                reach += most * most
            reach = math.sqrt(reach)
            forms[0] = kind[o, e]
            forms[1] = first_vertex[o, e]
            forms[2] = end_vertex[o, e]
            forms[3] = first_face[o, e]
            forms[4] = end_face[o, e]
            near = touching(radius, reach)
            if ball_meets(
                way, moved, side, radius, forms, solid, reach, apart, near, normals, offsets, vertices, spot
            ):  # fmt: skip
                slot = n * width + found
                if found == width:  # instead of the contact that is farthest away, if not all are of one face
                    slot = n * width
                    least = separation[slot, e]
                    for p in range(slot + 1, slot + width):
                        least = min(least, separation[p, e])
                        slot = p if separation[p, e] > separation[slot, e] else slot
                    slot = slot if separation[slot, e] - least > FLAT * radius else -1
                if slot >= 0:
                    for k in range(3):
                        position[slot, k, e] = spot[k] + (between[n, k, e] if side == 1 else 0.0)
                        normal[slot, k, e] = spot[3 + k]
                    separation[slot, e] = spot[6]
                    found = min(found + 1, width)
    count[n, e] = found
