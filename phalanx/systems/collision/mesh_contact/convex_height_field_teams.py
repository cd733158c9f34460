"""Convex shapes on height fields on the GPU, a warp for a shape: its threads take the field's triangles, one each.

Few candidates are such pairs, often one in an environment, and each looks at dozens of triangles, one after the other
where a thread has it alone: 4.9 of 5.3 ms of a substep of 4,096 quadrupeds on rough ground (one H200). Here the threads
of a warp find what a triangle gives, 32 triangles at a time. What they found then goes into the patches one by one, in
the order of the triangles, as on a CPU; every thread does that for itself, and so has the same patches.
"""

from __future__ import annotations

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
from phalanx.ecs import local, local_int, read, rows, update
from phalanx.ecs.text.team_language import (
    lowest_bit,
    team_ballot,
    team_count,
    team_from,
    team_rank,
    team_row,
    team_system,
)
from phalanx.systems.collision.mesh_contact.convex_height_field import cell_rows
from phalanx.systems.collision.mesh_contact.convex_triangle import ROWS
from phalanx.systems.collision.mesh_contact.grid import beside, cell_of
from phalanx.systems.collision.mesh_contact.meeting import (
    MOTION,
    begin_motion,
    finish_patches,
    in_mesh,
    insert_row,
    shape_box,
    turn_guards,
    turn_to_shape,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH, add_point
from phalanx.systems.collision.narrow.ball import convex_inner_radius
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way
from phalanx.systems.collision.narrow.support import FORMS, PAIR


@team_system(phase="collide", each=Candidate, size=32, apiece=32)
def spread_convex_with_height_field(
    lanes,
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
    """See :func:`~.convex_height_field.collide_convex_with_height_field`: the same points, chosen in the same order."""
    for e in lanes:
        rank = team_rank(32)
        last = used[0, e]
        per_pair = slots // candidates
        pair = local(PAIR)
        forms = local_int(FORMS)
        half = local(3)
        middle = local(3)
        turn = local(9)
        way = local(WAY)
        moved = local(MOVED)
        motion = local(MOTION)
        box = local(6)
        guard = local(8)
        found = local(ROWS)
        patch = local(PATCH)
        passed = local(PATCH)
        guards = local(PATCH)
        counts = local_int(3)
        first = 32 * team_row()
        while first < last:
            n = min(first + rank, last - 1)
            shape = kind[pair_a[n, e], e]
            mine = (kind[pair_b[n, e], e] == HEIGHT_FIELD) & (not is_round(shape)) & is_convex(shape)
            votes = team_ballot(32, mine & (first + rank < last))
            while votes != 0:
                n = first + lowest_bit(votes)
                votes &= votes - 1
                a = pair_a[n, e]
                b = pair_b[n, e]
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
                inner = convex_inner_radius(
                    kind[a, e], size[a, 0, e], size[a, 1, e], size[a, 2, e],
                    first_face[a, e], end_face[a, e], hull_offsets,
                )  # fmt: skip
                near = reach[n, e]
                length, farthest = shape_box(turn, half, middle, near, box)
                begin_motion(motion, way, rest[a, e] + rest[b, e], length, inner, way_length[n, e])
                counts[0] = 0
                counts[1] = 0
                counts[2] = 0
                nx, ny, dx, dy = samples[b, 0, e], samples[b, 1, e], spacing[b, 0, e], spacing[b, 1, e]
                lx = cx + box[0] - box[3]
                hx = cx + box[0] + box[3]
                ly = cy + box[1] - box[4]
                hy = cy + box[1] + box[4]
                row = cell_of(lx, dx, nx)
                column = cell_of(ly, dy, ny)
                wide = 2 * (cell_of(hy, dy, ny) + 1 - column)
                triangles = (cell_of(hx, dx, nx) + 1 - row) * wide
                if beside(lx, hx, dx, nx) or beside(ly, hy, dy, ny):
                    triangles = 0
                begun = 0
                while begun < triangles:
                    k = min(begun + rank, triangles - 1)
                    made = cell_rows(
                        heights, first_sample[b, e], nx, ny, dx, dy, row + k // wide, column + (k % wide) // 2, k % 2,
                        cx, cy, cz, half, middle, turn, box, pair, forms, near, way, moved, motion, vertices,
                        hull_normals, first_corners, end_corners, hull_corners, length, farthest, guard, found,
                    )  # fmt: skip
                    made = made if begun + rank < triangles else 0
                    balls = team_ballot(32, (guard[7] > 0.0) & (begun + rank < triangles))
                    while balls != 0:
                        other = lowest_bit(balls)
                        balls &= balls - 1
                        counts[2] = add_point(
                            guards, counts[2], team_from(32, guard[0], other), team_from(32, guard[1], other),
                            team_from(32, guard[2], other), team_from(32, guard[3], other),
                            team_from(32, guard[4], other), team_from(32, guard[5], other),
                            team_from(32, guard[6], other), team_from(32, guard[6], other), motion[7],
                        )  # fmt: skip
                    givers = team_ballot(32, made > 0)
                    while givers != 0:
                        other = lowest_bit(givers)
                        givers &= givers - 1
                        clear = team_from(32, motion[5], other)
                        motion[6] = max(motion[6], team_from(32, motion[6], other))
                        for o in range(0, 9 * team_from(32, made, other), 9):
                            insert_row(
                                team_from(32, found[o], other), team_from(32, found[o + 1], other),
                                team_from(32, found[o + 2], other), team_from(32, found[o + 3], other),
                                team_from(32, found[o + 4], other), team_from(32, found[o + 5], other),
                                team_from(32, found[o + 6], other), team_from(32, found[o + 7], other),
                                team_from(32, found[o + 8], other) > 0.0,
                                clear, motion, patch, passed, counts, length,
                            )  # fmt: skip
                    begun += 32
                turn_guards(turn, guards, counts[2])
                finish_patches(motion, patch, passed, guards, counts, length)
                if rank == 0:
                    points = min(counts[0] + counts[1], per_pair)
                    count[n, e] = points
                    passes[n, e] = max(points - counts[0], 0)
                    clearance[n, e] = motion[4]
                    for p in range(points):
                        slot = n * per_pair + p
                        separation[slot, e] = patch[8 * p + 6]
                        for i in range(3):
                            position[slot, i, e] = 0.0
                            normal[slot, i, e] = 0.0
                            for j in range(3):
                                position[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + j]
                                normal[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + 3 + j]
            first += 32 * team_count()
