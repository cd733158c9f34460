"""Boxes, cylinders, cones and hulls with triangle meshes."""

import math

from phalanx.components.mesh import (
    MeshNeighbourVertex,
    MeshNodeBox,
    MeshTopology,
    MeshTriangleGeometry,
    MeshVertexNeighbours,
)
from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.shape import (
    MESH,
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
from phalanx.systems.collision.mesh_contact.meeting import (
    MOTION,
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
from phalanx.systems.collision.mesh_contact.regions import (
    gather_across,
    gather_corners,
    is_beside,
    judge_mesh_normal,
    lowest_point,
)
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf
from phalanx.systems.collision.narrow.ball import convex_inner_radius
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way
from phalanx.systems.collision.narrow.support import FORMS, PAIR


@function
def facing(vertices, corner_vertices, face_normals, t, double_sided, cx, cy, cz, corners):
    """A mesh triangle's corners about the shape's origin c, into ``corners``.

    Returns:
        its normal, on the side of the origin if it has two sides, and how far the origin is in front of it.
    """
    gather_corners(vertices, corner_vertices, t, cx, cy, cz, corners)
    mx = face_normals[t, 0, 0]
    my = face_normals[t, 1, 0]
    mz = face_normals[t, 2, 0]
    level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
    turned = -1.0 if level < 0.0 and double_sided == 1 else 1.0
    return turned * mx, turned * my, turned * mz, turned * level


@function
def is_near(
    vertices, corner_vertices, face_normals, t, double_sided, cx, cy, cz, half, middle, turn, reach, guarded
):  # fmt: skip
    """Whether :func:`mesh_rows` may find something at a triangle.

    Args:
        guarded: whether a ball guards the shape.
    """
    corners = local(9)
    mx, my, mz, level = facing(vertices, corner_vertices, face_normals, t, double_sided, cx, cy, cz, corners)
    near = level >= 0.0 and lowest_point(turn, half, middle, mx, my, mz) + level <= reach
    return near and (guarded or not is_beside(turn, half, middle, corners, reach))


@function
def mesh_rows(
    t, double_sided, cx, cy, cz, half, middle, turn, pair, forms, reach, way, moved, motion,
    vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
    hull_normals, first_corners, end_corners, hull_corners, size, farthest, guard, rows,
):  # fmt: skip
    """Contact points of a convex shape with one triangle of a mesh, see :func:`~.convex_triangle.triangle_rows`.

    Args:
        size, farthest: see :func:`~.meeting.shape_box`.
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
    mx, my, mz, level = facing(vertices, corner_vertices, face_normals, t, double_sided, cx, cy, cz, corners)
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
            way, moved, motion, corners, cx, cy, cz, mx, my, mz, pair, forms, vertices, turn, turned,
            simplex, point, found, reach, farthest,
        )  # fmt: skip
        if distance <= reach:
            x, y, z = origin_in_mesh(moved, cx, cy, cz, time)
            bordered = gather_across(vertices, corner_vertices, across_vertices, t, x, y, z, across)
            nx = turned[0] * found[0] + turned[3] * found[1] + turned[6] * found[2]
            ny = turned[1] * found[0] + turned[4] * found[1] + turned[7] * found[2]
            nz = turned[2] * found[0] + turned[5] * found[1] + turned[8] * found[2]
            answer = judge_mesh_normal(
                corners, across, bordered, t, corner_vertices, vertices, firsts, ends, neighbours,
                nx, ny, nz, mx, my, mz,
            )  # fmt: skip
            made = triangle_rows(
                pair, forms, vertices, turned, point, reach, found, distance, answer, mx, my, mz,
                hull_normals, first_corners, end_corners, hull_corners, way, moved, motion, time, size, rows,
            )  # fmt: skip
    return made


@function
def convex_mesh(
    root, double_sided, cx, cy, cz, half, middle, turn, pair, forms, reach, way, moved, motion,
    vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
    node_lows, node_highs, node_firsts, node_counts,
    hull_normals, first_corners, end_corners, hull_corners, patch, passed, guards, counts,
):  # fmt: skip
    """Contact points of a convex shape with its origin at c in the mesh's frame; axes of the shape, about c.

    Args:
        half, middle, turn: see :func:`~.meeting.shape_box`.
        way, moved, motion: see :mod:`~.meeting`.
        patch, passed, guards, counts: results and scratch, see :func:`~.meeting.finish_patches`.
    """
    pending = local_int(STACK)
    box = local(6)
    guard = local(8)
    rows = local(ROWS)
    size, farthest = shape_box(turn, half, middle, reach, box)
    counts[0] = 0
    counts[1] = 0
    counts[2] = 0
    pending[0] = root
    top = 1
    while top > 0:
        top, first, leaves = next_leaf(
            node_lows, node_highs, node_firsts, node_counts, pending, top,
            cx + box[0], cy + box[1], cz + box[2], box[3], box[4], box[5],
        )  # fmt: skip
        for t in range(first, first + leaves):
            made = mesh_rows(
                t, double_sided, cx, cy, cz, half, middle, turn, pair, forms, reach, way, moved, motion,
                vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
                hull_normals, first_corners, end_corners, hull_corners, size, farthest, guard, rows,
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
def collide_convex_with_mesh(
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
    root=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
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
    corner_vertices=read(MeshTriangleGeometry.vertex),
    across_vertices=read(MeshTriangleGeometry.across),
    face_normals=read(MeshTriangleGeometry.normal),
    firsts=read(MeshVertexNeighbours.first),
    ends=read(MeshVertexNeighbours.end),
    neighbours=read(MeshNeighbourVertex.vertex),
    node_lows=read(MeshNodeBox.low),
    node_highs=read(MeshNodeBox.high),
    node_firsts=read(MeshNodeBox.first),
    node_counts=read(MeshNodeBox.count),
    count=update(Manifold.count),
    passes=update(Manifold.passed),
    clearance=update(Manifold.clearance),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Boxes, cylinders, cones and hulls with triangle meshes."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != MESH or is_round(kind[a, e]) or not is_convex(kind[a, e]):
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
    convex_mesh(
        root[b, e], double_sided[b, e], cx, cy, cz, half, middle, turn, pair, forms, reach[n, e], way, moved, motion,
        vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
        node_lows, node_highs, node_firsts, node_counts,
        hull_normals, first_corners, end_corners, hull_corners, patch, passed, guards, counts,
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
