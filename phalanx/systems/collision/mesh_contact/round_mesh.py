"""Spheres and capsules with triangle meshes."""

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
    CAPSULE,
    MESH,
    HullVertexPosition,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_round,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.meeting import (
    MOTION,
    add_row,
    begin_motion,
    finish_patches,
    guard_triangle,
    in_mesh,
    meet_round,
    origin_in_mesh,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.regions import FACE, NOT, gather_across, gather_corners, judge_mesh_normal
from phalanx.systems.collision.mesh_contact.round_triangle import ROUND, round_triangle
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way


@function
def round_mesh(
    root, double_sided, cx, cy, cz, ux, uy, uz, half, radius, reach, way, moved, motion,
    vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
    node_lows, node_highs, node_firsts, node_counts, patch, passed, guards, counts,
):  # fmt: skip
    """Contact points of a sphere or capsule with centre c in the mesh's frame; axes of the mesh, about c.

    Args:
        way, moved, motion: see :mod:`~.meeting`.
        patch, passed, guards, counts: results and scratch, see :func:`~.meeting.finish_patches`.
    """
    pending = local_int(STACK)
    corners = local(9)
    across = local(9)
    points = local(ROUND)
    near = radius + reach
    hx = math.fabs(ux) * half + near
    hy = math.fabs(uy) * half + near
    hz = math.fabs(uz) * half + near
    counts[0] = 0
    counts[1] = 0
    counts[2] = 0
    pending[0] = root
    top = 1
    while top > 0:
        top, first, leaves = next_leaf(
            node_lows, node_highs, node_firsts, node_counts, pending, top, cx, cy, cz, hx, hy, hz
        )
        for t in range(first, first + leaves):
            gather_corners(vertices, corner_vertices, t, cx, cy, cz, corners)
            mx = face_normals[t, 0, 0]
            my = face_normals[t, 1, 0]
            mz = face_normals[t, 2, 0]
            level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
            if level < 0.0 and double_sided == 1:
                mx = -mx
                my = -my
                mz = -mz
                level = -level
            if level >= 0.0 and level - half * math.fabs(mx * ux + my * uy + mz * uz) <= near:
                if motion[7] > 0.0 and half > 0.0:
                    guard_triangle(way, motion, corners, mx, my, mz, guards, counts)
                count = round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points)
                bordered = 0
                time = 0.0
                if count > 0:
                    time, count = meet_round(
                        way, moved, motion, corners, cx, cy, cz, mx, my, mz, ux, uy, uz, half, radius, reach, points,
                        count,
                    )  # fmt: skip
                    x, y, z = origin_in_mesh(moved, cx, cy, cz, time)
                    bordered = gather_across(vertices, corner_vertices, across_vertices, t, x, y, z, across)
                for o in range(0, 7 * count, 7):
                    answer = judge_mesh_normal(
                        corners, across, bordered, t, corner_vertices, vertices, firsts, ends, neighbours,
                        points[o + 3], points[o + 4], points[o + 5], mx, my, mz,
                    )  # fmt: skip
                    if answer < NOT:
                        face = answer == FACE
                        add_row(
                            way, moved, motion, time, 1, points[o], points[o + 1], points[o + 2],
                            mx if face else points[o + 3], my if face else points[o + 4], mz if face else points[o + 5],
                            points[o + 6], patch, passed, counts, radius + half,
                        )  # fmt: skip
    finish_patches(motion, patch, passed, guards, counts, radius + half)


@system(over=Candidate, phase="collide", used="used")
def collide_round_with_mesh(
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
    root=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    size=read(ShapeGeometry.size),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    vertices=read(HullVertexPosition.position),
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
    """Spheres and capsules with triangle meshes."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != MESH or not is_round(kind[a, e]):
        return
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
    cx, cy, cz = in_mesh(moved, -moved[18], -moved[19], -moved[20])
    ux, uy, uz = in_mesh(moved, moved[2], moved[5], moved[8])
    radius, half = size[a, 0, e], size[a, 1, e] if kind[a, e] == CAPSULE else 0.0
    begin_motion(motion, way, rest[a, e] + rest[b, e], radius + half, radius, way_length[n, e])
    round_mesh(
        root[b, e], double_sided[b, e], cx, cy, cz, ux, uy, uz, half, radius, reach[n, e], way, moved, motion,
        vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
        node_lows, node_highs, node_firsts, node_counts, patch, passed, guards, counts,
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
                position[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + 3 + j]
