"""Boxes, cylinders, cones and hulls with height fields."""

import math

from phalanx.components.mesh import HeightFieldGeometry, HeightSampleValue, MeshTopology
from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    HEIGHT_FIELD,
    TRIANGLE,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_convex,
    is_round,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.convex_triangle import ROWS, triangle_rows
from phalanx.systems.collision.mesh_contact.grid import (
    beside,
    cell_of,
    gather_grid_triangle,
    grid_normal,
    judge_grid_normal,
)
from phalanx.systems.collision.mesh_contact.meeting import (
    MOTION,
    PASSES,
    begin_motion,
    finish_patches,
    guard_of,
    in_mesh,
    insert_row,
    meet_convex,
    origin_in_mesh,
    shape_box,
    turn_guards,
    turn_to_shape,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH, add_point
from phalanx.systems.collision.mesh_contact.regions import is_beside, lowest_point
from phalanx.systems.collision.narrow.ball import convex_inner_radius
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way
from phalanx.systems.collision.narrow.support import FORMS, PAIR


@function
def cell_rows(
    heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, half, middle, turn, box, pair, forms, reach, way, moved,
    motion, vertices, hull_normals, first_corners, end_corners, hull_corners, size, farthest, guard, rows,
):  # fmt: skip
    """Contact points of a convex shape with one triangle of a field, see :func:`~.convex_triangle.triangle_rows`.

    Args:
        box, size, farthest: see :func:`~.meeting.shape_box`.
        guard: 8 numbers: the last is 1 where the shape's ball meets the triangle, the others are that point then.

    Returns:
        how many points there are.
    """
    turned = local(9)
    corners = local(9)
    across = local(9)
    found = local(6)
    point = local(6)
    simplex = local(SIMPLEX)
    made = 0
    guard[7] = 0.0
    bordered = gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners, across)
    if max(corners[2], max(corners[5], corners[8])) >= box[2] - box[5]:
        mx, my, mz = grid_normal(corners)
        level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
        near = level >= 0.0 and lowest_point(turn, half, middle, mx, my, mz) + level <= reach
        if near and motion[7] > 0.0:
            guarded, x, y, z, gap = guard_of(way, motion, corners, mx, my, mz)
            guard[0] = x
            guard[1] = y
            guard[2] = z
            guard[3] = mx
            guard[4] = my
            guard[5] = mz
            guard[6] = gap
            guard[7] = 1.0 if guarded else 0.0
        if near and not is_beside(turn, half, middle, corners, reach):
            time, distance = meet_convex(
                way, moved, motion, corners, cx, cy, cz, mx, my, mz, pair, forms, vertices, turn,
                turned, simplex, point, found, reach, farthest,
            )  # fmt: skip
            if distance <= reach:
                if time > 0.0 and time < PASSES:
                    x, y, z = origin_in_mesh(moved, cx, cy, cz, time)
                    gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, x, y, z, corners, across)
                px = turned[0] * found[0] + turned[3] * found[1] + turned[6] * found[2]
                py = turned[1] * found[0] + turned[4] * found[1] + turned[7] * found[2]
                pz = turned[2] * found[0] + turned[5] * found[1] + turned[8] * found[2]
                answer = judge_grid_normal(
                    corners, across, bordered, heights, base, nx, ny, dx, dy, i, j, upper, px, py, pz, mx, my, mz
                )
                made = triangle_rows(
                    pair, forms, vertices, turned, point, reach, found, distance, answer, mx, my, mz,
                    hull_normals, first_corners, end_corners, hull_corners, way, moved, motion, time, size, rows,
                )  # fmt: skip
    return made


@function
def convex_height_field(
    heights, base, nx, ny, dx, dy, cx, cy, cz, half, middle, turn, pair, forms, reach, way, moved, motion,
    vertices, hull_normals, first_corners, end_corners, hull_corners, patch, passed, guards, counts,
):  # fmt: skip
    """Contact points of a convex shape with its origin at c in the field's frame; axes of the shape, about c.

    Args:
        half, middle, turn: see :func:`~.meeting.shape_box`.
        way, moved, motion: see :mod:`~.meeting`.
        patch, passed, guards, counts: results and scratch, see :func:`~.meeting.finish_patches`.
    """
    box = local(6)
    guard = local(8)
    rows = local(ROWS)
    counts[0] = 0
    counts[1] = 0
    counts[2] = 0
    size, farthest = shape_box(turn, half, middle, reach, box)
    lx = cx + box[0] - box[3]
    hx = cx + box[0] + box[3]
    ly = cy + box[1] - box[4]
    hy = cy + box[1] + box[4]
    if beside(lx, hx, dx, nx) or beside(ly, hy, dy, ny):
        return
    for i in range(cell_of(lx, dx, nx), cell_of(hx, dx, nx) + 1):
        for j in range(cell_of(ly, dy, ny), cell_of(hy, dy, ny) + 1):
            for upper in range(2):
                made = cell_rows(
                    heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, half, middle, turn, box, pair, forms,
                    reach, way, moved, motion, vertices, hull_normals, first_corners, end_corners, hull_corners, size,
                    farthest, guard, rows,
                )  # fmt: skip
                if guard[7] > 0.0:
                    counts[2] = add_point(
                        guards, counts[2], guard[0], guard[1], guard[2], guard[3], guard[4], guard[5], guard[6],
                        guard[6], motion[7],
                    )  # fmt: skip
                for o in range(0, 9 * made, 9):
                    insert_row(
                        rows[o], rows[o + 1], rows[o + 2], rows[o + 3], rows[o + 4], rows[o + 5], rows[o + 6],
                        rows[o + 7], rows[o + 8] > 0.0, motion[5], motion, patch, passed, counts, size,
                    )  # fmt: skip
    turn_guards(turn, guards, counts[2])
    finish_patches(motion, patch, passed, guards, counts, size)


@system(over=Candidate, phase="collide", used="used")
def collide_convex_with_height_field(
    n,
    e,
    candidates=rows(Candidate),
    slots=rows(ManifoldPoint),
    used=read(CandidateCount.current),
    pair_a=read(CandidatePair.a),
    pair_b=read(CandidatePair.b),
    between=read(CandidatePair.between),
    reach=read(CandidatePair.reach),
    way_length=read(CandidatePair.way),
    kind=read(ShapeTopology.kind),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    vertices=read(HullVertexPosition.position),
    hull_normals=read(HullFacePlane.normal),
    hull_offsets=read(HullFacePlane.offset),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    hull_corners=read(HullCornerVertex.vertex),
    heights=read(HeightSampleValue.height),
    count=update(Manifold.count),
    passes=update(Manifold.passed),
    clearance=update(Manifold.clearance),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Boxes, cylinders, cones and hulls with height fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != HEIGHT_FIELD or is_round(kind[a, e]) or not is_convex(kind[a, e]):
        return
    pair = local(PAIR)
    forms = local_int(FORMS)
    half = local(3)
    middle = local(3)
    turn = local(9)
    way = local(WAY)
    moved = local(MOVED)
    motion = local(MOTION)
    patch = local(PATCH)
    passed = local(PATCH)
    guards = local(PATCH)
    counts = local_int(3)
    for i in range(3):
        way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
        way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
        way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
        moved[18 + i] = between[n, i, e]
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    begin_way(way, moved)
    turn_to_shape(moved, turn)
    forms[0] = kind[a, e]
    forms[1] = first_vertex[a, e]
    forms[2] = end_vertex[a, e]
    forms[3] = first_face[a, e]
    forms[4] = end_face[a, e]
    for i in range(5):
        forms[5 + i] = TRIANGLE
    for i in range(3):
        half[i] = 0.5 * (high[a, i, e] - low[a, i, e])
        middle[i] = 0.5 * (high[a, i, e] + low[a, i, e])
        pair[12 + i] = size[a, i, e]
        pair[15 + i] = 0.0
        for j in range(3):
            pair[3 * i + j] = 1.0 if i == j else 0.0
    cx, cy, cz = in_mesh(moved, -moved[18], -moved[19], -moved[20])
    length = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    inner = convex_inner_radius(
        kind[a, e], size[a, 0, e], size[a, 1, e], size[a, 2, e], first_face[a, e], end_face[a, e], hull_offsets
    )
    begin_motion(motion, way, rest[a, e] + rest[b, e], length, inner, way_length[n, e])
    convex_height_field(
        heights, first_sample[b, e], samples[b, 0, e], samples[b, 1, e], spacing[b, 0, e], spacing[b, 1, e],
        cx, cy, cz, half, middle, turn, pair, forms, reach[n, e], way, moved, motion,
        vertices, hull_normals, first_corners, end_corners, hull_corners, patch, passed, guards, counts,
    )  # fmt: skip
    per_pair = slots // candidates
    found = min(counts[0] + counts[1], per_pair)
    count[n, e] = found
    passes[n, e] = max(found - counts[0], 0)
    clearance[n, e] = motion[4]
    for p in range(found):
        slot = n * per_pair + p
        separation[slot, e] = patch[8 * p + 6]
        for i in range(3):
            position[slot, i, e] = 0.0
            normal[slot, i, e] = 0.0
            for j in range(3):
                position[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + 3 + j]
