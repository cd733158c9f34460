"""A ray against the instances of its environment and those that all environments share."""

import math

from phalanx.components.shape import HEIGHT_FIELD, MESH, PLANE, is_primitive
from phalanx.ecs import function
from phalanx.rays.directions import SLACK, enter_box, inverse_of
from phalanx.rays.field_search import search_field
from phalanx.rays.mesh_hits import search_mesh
from phalanx.rays.mesh_octants import TOGETHER
from phalanx.rays.primitives import (
    as_int,
    in_step,
    lane_number,
    load_floats,
    narrow,
    narrow_signed,
    put_aside,
    split,
    taken_back,
    warp_cells,
)
from phalanx.rays.solids import ray_surface
from phalanx.rays.triangle import cross_of, plane_depth, triangle_normal

INF = math.inf

SOLIDS = 1
"""1 where a scene has primitives, and so on: kernels are made without what a scene has not."""
MESHES = 1
FIELDS = 1
PLANES = 1

DEPTH = 48
"""Levels of nodes that trees have, at most: 8, or as many as there may be."""

ASIDE = 4
"""The first row of cells for what is put aside while a mesh is searched."""

SOFT = 0
"""1 where meshes have trees of their own in each environment (:mod:`~.soft_mesh`)."""

GROUPED = 1
"""1 where an environment has so many instances that the bounds of groups are looked at first."""

ALONE = 0
"""1 where there is one instance, a mesh that all environments share: nothing is kept for others."""

TRANSPARENT = 0
"""1 where rays go on behind what they hit."""

GROUP = 8
"""Instances in a group: neighbours in the order in which they were added."""

ENTRIES = 8
"""Numbers of an instance in its tables: (kind, root or first sample, samples along x, y, object, bits of groups, its
number for the user, its body), (size x, y, z, ...)."""

FARTHEST = 1e18
"""m: nothing is farther; the squares of such numbers are numbers."""

UNIT = 6e-7
"""The square of a length differs from 1 by no more: that of a unit vector turned in float32, but for one in 3,000."""

FRAME, BOUNDS = 12, 8
"""Numbers of a placed instance: rows of the matrix and the offset that bring the world to its frame; its bounds, and
by how much the root of its tree is farther on than its table says, as the bits of an int32."""


@function
def to_local(frames, f, x, y, z):
    """A place in the world, in the frame of placed instance f."""
    a0, a1, a2, ax = load_floats(frames, FRAME * f)
    b0, b1, b2, ay = load_floats(frames, FRAME * f + 4)
    c0, c1, c2, az = load_floats(frames, FRAME * f + 8)
    return a0 * x + a1 * y + a2 * z + ax, b0 * x + b1 * y + b2 * z + ay, c0 * x + c1 * y + c2 * z + az


@function
def turned_to_local(frames, f, x, y, z):
    """A direction in the world, in the frame of placed instance f."""
    a0, a1, a2, _a = load_floats(frames, FRAME * f)
    b0, b1, b2, _b = load_floats(frames, FRAME * f + 4)
    c0, c1, c2, _c = load_floats(frames, FRAME * f + 8)
    return a0 * x + a1 * y + a2 * z, b0 * x + b1 * y + b2 * z, c0 * x + c1 * y + c2 * z


@function
def normal_to_world(frames, f, x, y, z):
    """A normal in the frame of placed instance f, as a unit vector in the world; zero stays zero."""
    a0, a1, a2, _a = load_floats(frames, FRAME * f)
    b0, b1, b2, _b = load_floats(frames, FRAME * f + 4)
    c0, c1, c2, _c = load_floats(frames, FRAME * f + 8)
    wx = a0 * x + b0 * y + c0 * z
    wy = a1 * x + b1 * y + c1 * z
    wz = a2 * x + b2 * y + c2 * z
    length = math.sqrt(wx * wx + wy * wy + wz * wz)
    scale = 1.0 / length if length > 0.0 else 0.0
    return wx * scale, wy * scale, wz * scale


@function
def field_normal(samples, base, nx, ny, dx, dy, triangle):
    """Unit normal of a height field's triangle, up."""
    cell = triangle >> 1
    i, j = split(cell, ny - 1)
    corner = base + i * ny + j
    low = samples[corner]
    high = samples[corner + ny + 1]
    along = samples[corner + ny] if triangle & 1 == 0 else samples[corner + 1]
    x = along - low if triangle & 1 == 0 else high - along
    y = high - along if triangle & 1 == 0 else along - low
    return cross_of(dx, 0.0, x, 0.0, dy, y)


@function
def cast_one(
    table, sizes, frames, boxes, bounds, nodes, triangles, samples,
    shared, own, place, first_group, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, limit, left, other, beyond,
):  # fmt: skip
    """The nearest hit of a ray.

    Args:
        table, sizes: of instances, :data:`ENTRIES` each, shared ones first.
        frames, boxes: of placed instances, :data:`FRAME` and :data:`BOUNDS` each: shared ones, then, from ``place`` on,
            this environment's.
        bounds: of groups of this environment's instances, :data:`BOUNDS` each, from ``first_group`` on.
        nodes, triangles, samples: of all meshes and height fields.
        groups: bits of the groups that are seen.
        sides, any_hit: see :func:`~.mesh_search.search_by_distance`.
        o, d, limit: origin, direction (a unit vector) and reach, all finite.
        left, other, beyond: instances that are not met nearer than that, since the ray is leaving them, or -1. Kernels
            that are not TRANSPARENT pass over them.

    Returns:
        distance (inf if there is none), instance, face, normal x, y, z: in the frame of a primitive.
    """
    cells = warp_cells()
    lane = lane_number()
    best = limit
    hit = -1
    face = -1
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if ALONE:
        best, hit, face = cast_alone(
            table, frames, boxes, nodes, triangles, cells, lane, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, limit
        )
        return best, hit, face, nx, ny, nz
    ix = inverse_of(dx)
    iy = inverse_of(dy)
    iz = inverse_of(dz)
    # Threads that go through the same instances at the same time share their loads and branches, so those of a group
    # are one loop, which none leaves for the next group before the others.
    g = -1
    first = 0
    past_last = shared if GROUPED else shared + own
    groups_left = (own + GROUP - 1) // GROUP if GROUPED else 0
    while g < groups_left:
        k = narrow(first)
        while k < past_last:
            f = narrow(k if k < shared else place + k - shared)
            lx, ly, lz, hx = load_floats(boxes, BOUNDS * f)
            hy, hz, ahead, _two = load_floats(boxes, BOUNDS * f + 4)
            start, past = enter_box(lx, ly, lz, hx, hy, hz, ox, oy, oz, ix, iy, iz)
            if start <= best and (table[ENTRIES * k + 5] & groups) != 0 and not (any_hit == 1 and hit >= 0):
                kind = table[ENTRIES * k]
                root = table[ENTRIES * k + 1]
                if SOFT:
                    root = root + as_int(ahead)
                sx, sy, sz, _three = load_floats(sizes, ENTRIES * k)
                ux, uy, uz = turned_to_local(frames, f, dx, dy, dz)
                t = INF
                triangle = -1
                leaving = k == left
                if k == other:
                    leaving = True
                qx = ox
                qy = oy
                qz = oz
                if TRANSPARENT and leaving:
                    qx = ox + beyond * dx
                    qy = oy + beyond * dy
                    qz = oz + beyond * dz
                    start = max(start, beyond)
                if SOLIDS and is_primitive(kind):
                    px, py, pz = to_local(frames, f, qx, qy, qz)
                    t, ax, ay, az = ray_surface(kind, sx, sy, sz, px, py, pz, ux, uy, uz, sides)
                    if TRANSPARENT and leaving:
                        t = t + beyond
                    if t <= best and (hit < 0 or t < best):
                        nx = ax
                        ny = ay
                        nz = az
                elif PLANES and kind == PLANE:
                    px, py, pz = to_local(frames, f, qx, qy, qz)
                    t = -pz / uz if uz != 0.0 and not (sides == 1 and uz > 0.0) else INF
                    t = t if t >= 0.0 else INF
                    if TRANSPARENT and leaving:
                        t = t + beyond
                else:
                    # From where the ray enters the box, so that rounding is of the box's size.
                    px, py, pz = to_local(frames, f, ox + start * dx, oy + start * dy, oz + start * dz)
                    if MESHES and kind == MESH:
                        put_aside(cells, ASIDE, lane, ox, oy)
                        put_aside(cells, ASIDE + 1, lane, oz, dx)
                        put_aside(cells, ASIDE + 2, lane, dy, dz)
                        put_aside(cells, ASIDE + 3, lane, start, best)
                        least = -start
                        if TRANSPARENT and leaving:
                            least = beyond - start
                        t, triangle = search_mesh(
                            DEPTH, cells, nodes, triangles, root, sides, any_hit, px, py, pz, ux, uy, uz, least,
                            best - start,
                        )  # fmt: skip
                        ox, oy = taken_back(cells, ASIDE, lane, ox, oy)
                        oz, dx = taken_back(cells, ASIDE + 1, lane, oz, dx)
                        dy, dz = taken_back(cells, ASIDE + 2, lane, dy, dz)
                        start, best = taken_back(cells, ASIDE + 3, lane, start, best)
                        ix = inverse_of(dx)
                        iy = inverse_of(dy)
                        iz = inverse_of(dz)
                        ux, uy, uz = turned_to_local(frames, f, dx, dy, dz)
                        if triangle >= 0:  # rounding may not put it behind the ray's origin
                            least = -start
                            if TRANSPARENT and leaving:
                                least = beyond - start
                            t = max(plane_depth(triangles, triangle, px, py, pz, ux, uy, uz, t), least)
                    if FIELDS and kind == HEIGHT_FIELD:
                        least = -min(start, (past - start) * SLACK)
                        if TRANSPARENT and leaving:
                            least = beyond - start
                        t, triangle = search_field(
                            samples, root, table[ENTRIES * k + 2], table[ENTRIES * k + 3], sx, sy, sides, any_hit,
                            px, py, pz, ux, uy, uz, least, min(best, past) - start,
                        )  # fmt: skip
                    t = t + start
                if t <= best and (hit < 0 or t < best):
                    best = t
                    hit = narrow_signed(k)
                    face = narrow_signed(triangle)
            k = narrow(k + 1)
        g += 1
        if g < groups_left:
            lx, ly, lz, hx = load_floats(bounds, BOUNDS * (first_group + g))
            hy, hz, _one, _two = load_floats(bounds, BOUNDS * (first_group + g) + 4)
            start, past = enter_box(lx, ly, lz, hx, hy, hz, ox, oy, oz, ix, iy, iz)
            first = shared + GROUP * g
            past_last = first
            if start <= best and not (any_hit == 1 and hit >= 0):
                past_last = min(first + GROUP, shared + own)
    return best if hit >= 0 else INF, hit, face, nx, ny, nz


@function
def enter_alone(table, boxes, groups, ox, oy, oz, dx, dy, dz, limit):
    """Whether a ray enters the bounds of one mesh that is all there is, and where."""
    lx, ly, lz, hx = load_floats(boxes, 0)
    hy, hz, _one, _two = load_floats(boxes, 4)
    start, _past = enter_box(lx, ly, lz, hx, hy, hz, ox, oy, oz, inverse_of(dx), inverse_of(dy), inverse_of(dz))
    return start <= limit and (table[5] & groups) != 0, start


@function
def leave_alone(triangles, triangle, start, px, py, pz, ux, uy, uz, t):
    """Distance at which a ray that :func:`enter_alone` met a triangle, if it is one, after the search found t."""
    if triangle >= 0:  # rounding may not put it behind the ray's origin
        t = max(plane_depth(triangles, triangle, px, py, pz, ux, uy, uz, t), -start) + start
    return t


@function
def cast_alone(
    table, frames, boxes, nodes, triangles, cells, lane, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, limit
):  # fmt: skip
    """:func:`cast_one` of one mesh that is all there is: distance, instance, face; nothing is kept for another one."""
    enters, start = enter_alone(table, boxes, groups, ox, oy, oz, dx, dy, dz, limit)
    t = INF
    triangle = -1
    if enters or (TOGETHER and in_step(enters)):
        start = start if enters else 0.0
        px, py, pz = to_local(frames, 0, ox + start * dx, oy + start * dy, oz + start * dz)
        ux, uy, uz = turned_to_local(frames, 0, dx, dy, dz)
        put_aside(cells, ASIDE, lane, ux, uy)
        put_aside(cells, ASIDE + 1, lane, uz, start)
        t, triangle = search_mesh(
            DEPTH, cells, nodes, triangles, table[1], sides, any_hit, px, py, pz, ux, uy, uz, -start,
            limit - start if enters else -1.0,
        )  # fmt: skip
        ux, uy = taken_back(cells, ASIDE, lane, ux, uy)
        uz, start = taken_back(cells, ASIDE + 1, lane, uz, start)
        t = leave_alone(triangles, triangle, start, px, py, pz, ux, uy, uz, t)
    met = t <= limit
    return t if met else INF, 0 if met else -1, narrow_signed(triangle) if met else -1


@function
def hit_normal(table, sizes, frames, triangles, samples, shared, place, hit, face, nx, ny, nz):
    """Unit outward normal of a hit that :func:`cast_one` found, world."""
    f = hit if hit < shared else place + hit - shared
    kind = table[ENTRIES * hit]
    if MESHES and kind == MESH:
        nx, ny, nz = triangle_normal(triangles, face)
    if FIELDS and kind == HEIGHT_FIELD:
        dx, dy, _one, _two = load_floats(sizes, ENTRIES * hit)
        nx, ny, nz = field_normal(
            samples, table[ENTRIES * hit + 1], table[ENTRIES * hit + 2], table[ENTRIES * hit + 3], dx, dy, face
        )
    if PLANES and kind == PLANE:
        nx = 0.0
        ny = 0.0
        nz = 1.0
    return normal_to_world(frames, f, nx, ny, nz)


@function
def hit_ids(table, triangles, hit, face):
    """Face as the user numbers it, object and instance of what :func:`cast_one` found; -1 where there is none."""
    i = max(hit, 0)
    number = face
    if MESHES and hit >= 0 and table[ENTRIES * i] == MESH:
        number = as_int(triangles[12 * face + 9])
    return number, table[ENTRIES * i + 4] if hit >= 0 else -1, table[ENTRIES * i + 6] if hit >= 0 else -1


@function
def unit_direction(dx, dy, dz):
    """A direction of any length as a unit vector, or zero."""
    square = dx * dx + dy * dy + dz * dz
    if math.fabs(square - 1.0) > UNIT:
        most = max(math.fabs(dx), max(math.fabs(dy), math.fabs(dz)))
        scale = 1.0 / most if most > 0.0 else 0.0
        dx = dx * scale
        dy = dy * scale
        dz = dz * scale
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        scale = 1.0 / length if length > 0.0 else 0.0
        dx = dx * scale
        dy = dy * scale
        dz = dz * scale
    return dx, dy, dz


@function
def is_usual(ox, oy, oz, dx, dy, dz, reach):
    """Whether a ray with a unit vector, or zero, can hit anything; false where something is no number."""
    usual = math.fabs(ox) + math.fabs(oy) + math.fabs(oz) < FARTHEST and reach >= 0.0
    return usual and dx * dx + dy * dy + dz * dz > 0.5


@function
def store_hit(
    ray, e, table, sizes, frames, boxes, bounds, nodes, triangles, samples,
    shared, own, groups, sides, any_hit, ox, oy, oz, dx, dy, dz, reach,
    distance, position, has_position, normal, has_normal, ids, has_ids,
):  # fmt: skip
    """Cast a ray, of any direction, and store what it hits; see :func:`~.ray_kernels.cast_rays`."""
    place = narrow(shared + e * own)
    first_group = narrow(e * ((own + GROUP - 1) // GROUP))
    dx, dy, dz = unit_direction(dx, dy, dz)
    usual = is_usual(ox, oy, oz, dx, dy, dz, reach)
    t = INF
    hit = -1
    face = -1
    nx = 0.0
    ny = 0.0
    nz = 0.0
    if usual or TOGETHER:
        t, hit, face, nx, ny, nz = cast_one(
            table, sizes, frames, boxes, bounds, nodes, triangles, samples,
            shared, own, place, first_group, groups, sides, any_hit, ox, oy, oz, dx, dy, dz,
            min(reach, FARTHEST) if usual else -1.0, -1, -1, 0.0,
        )  # fmt: skip
    write_hit(
        ray, table, sizes, frames, triangles, samples, shared, place, ox, oy, oz, dx, dy, dz, t, hit, face, nx, ny, nz,
        distance, position, has_position, normal, has_normal, ids, has_ids,
    )  # fmt: skip


@function
def write_hit(
    ray, table, sizes, frames, triangles, samples, shared, place, ox, oy, oz, dx, dy, dz, t, hit, face, nx, ny, nz,
    distance, position, has_position, normal, has_normal, ids, has_ids,
):  # fmt: skip
    """Write what a ray hit to the results of a cast."""
    distance[ray] = t
    if has_position == 1:
        position[3 * ray] = ox + t * dx if hit >= 0 else INF
        position[3 * ray + 1] = oy + t * dy if hit >= 0 else INF
        position[3 * ray + 2] = oz + t * dz if hit >= 0 else INF
    if has_normal == 1:
        if hit >= 0:
            nx, ny, nz = hit_normal(table, sizes, frames, triangles, samples, shared, place, hit, face, nx, ny, nz)
        normal[3 * ray] = nx
        normal[3 * ray + 1] = ny
        normal[3 * ray + 2] = nz
    if has_ids == 1:
        ids[3 * ray], ids[3 * ray + 1], ids[3 * ray + 2] = hit_ids(table, triangles, hit, face)
