"""Convex shapes on meshes on the GPU: a warp for 32 candidates, whose threads share the triangles of all of them.

Most shapes of a robot are near no triangle of the terrain, a few lie on a dozen. Where each thread has a shape of its
own, the others of its warp wait while it looks at a triangle. Here a thread first follows the mesh's tree for its own
candidate and only notes the triangles that are near. Then each thread takes one of the triangles that were noted,
of whichever candidate, and finds its contact points; they are kept in the memory of the block. At last each thread puts
the points of its own candidate into the patches, in the order of the triangles, as on a CPU.
"""

from __future__ import annotations

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
from phalanx.ecs import local, local_int, read, rows, update
from phalanx.ecs.declare import block_memory
from phalanx.ecs.text.team_language import (
    as_bits,
    as_real,
    count_bits,
    lowest_bit,
    team_ballot,
    team_count,
    team_rank,
    team_row,
    team_slot,
    team_system,
    team_wait,
)
from phalanx.systems.collision.mesh_contact.convex_mesh import is_near, mesh_rows
from phalanx.systems.collision.mesh_contact.convex_triangle import ROWS
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
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf_in_box
from phalanx.systems.collision.narrow.ball import convex_inner_radius
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way
from phalanx.systems.collision.narrow.support import FORMS, PAIR

BLOCK_THREADS = 64
NOTED = 16
"""Triangles that a thread notes before the warp looks at them."""
NOTES = 512
"""Numbers for what a warp has noted: 32 times the number of a triangle, and the thread of its candidate."""
FOUND = 119
"""Numbers for a triangle: rows of :func:`~.convex_mesh.mesh_rows`, its ``guard``, how many rows, and what is left in
``motion``. An odd number, so that threads use different banks of the memory."""
OWN = 4320
"""Numbers of a warp: ``NOTES`` + 32 ``FOUND``."""
MEMORY = 8640
"""Numbers of a block."""


@team_system(phase="collide", each=Candidate, size=32, threads=BLOCK_THREADS, apiece=32)
def share_convex_with_mesh(
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
    """See :func:`~.convex_mesh.collide_convex_with_mesh`: the same points, chosen in the same order."""
    for e in lanes:
        memory = block_memory(MEMORY)
        rank = team_rank(32)
        own = OWN * team_slot(32)
        below = (1 << rank) - 1
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
        kept = local(MOTION)
        box = local(6)
        guard = local(8)
        found = local(ROWS)
        noted = local_int(NOTED)
        pending = local_int(STACK)
        patch = local(PATCH)
        passed = local(PATCH)
        guards = local(PATCH)
        counts = local_int(3)
        first = 32 * team_row()
        while first < last:
            n = min(first + rank, last - 1)
            shape = kind[pair_a[n, e], e]
            mine = (kind[pair_b[n, e], e] == MESH) & (not is_round(shape)) & is_convex(shape)
            mine = mine & (first + rank < last)
            votes = team_ballot(32, mine)
            mine_n = n if mine else first + lowest_bit(votes)  # the others have one to look at with the rest
            n = mine_n
            for k in range(3):
                counts[k] = 0
            kept[4] = math.inf
            kept[5] = math.inf
            kept[6] = 0.0
            pending[0] = root[pair_b[n, e], e] if votes != 0 else 0
            top = 1 if mine else 0
            left = 0
            t = 0
            begin = 0
            end = 0
            begun = 0
            items = 0
            going = votes != 0
            while going:
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
                sides = double_sided[b, e]
                length, farthest = shape_box(turn, half, middle, near, box)
                begin_motion(motion, way, rest[a, e] + rest[b, e], length, inner, way_length[n, e])
                if begun < items:  # find the points of a triangle
                    i = min(begun + rank, items - 1)
                    made = mesh_rows(
                        as_bits(memory[own + i]) >> 5, sides, cx, cy, cz, half, middle, turn, pair, forms, near, way,
                        moved, motion, vertices, corner_vertices, across_vertices, face_normals, firsts, ends,
                        neighbours, hull_normals, first_corners, end_corners, hull_corners, length, farthest, guard,
                        found,
                    )  # fmt: skip
                    base = own + NOTES + FOUND * rank
                    for k in range(9 * made):
                        memory[base + k] = found[k]
                    for k in range(8):
                        memory[base + 108 + k] = guard[k]
                    memory[base + 116] = as_real(made)
                    memory[base + 117] = motion[5]
                    memory[base + 118] = motion[6]
                    team_wait(32)
                    for i in range(max(begin, begun), min(end, begun + 32)):
                        base = own + NOTES + FOUND * (i - begun)
                        if memory[base + 115] > 0.0:
                            counts[2] = add_point(
                                guards, counts[2], memory[base + 108], memory[base + 109], memory[base + 110],
                                memory[base + 111], memory[base + 112], memory[base + 113], memory[base + 114],
                                memory[base + 114], kept[7],
                            )  # fmt: skip
                        kept[6] = max(kept[6], memory[base + 118])
                        for o in range(base, base + 9 * as_bits(memory[base + 116]), 9):
                            insert_row(
                                memory[o], memory[o + 1], memory[o + 2], memory[o + 3], memory[o + 4], memory[o + 5],
                                memory[o + 6], memory[o + 7], memory[o + 8] > 0.0, memory[base + 117], kept, patch,
                                passed, counts, kept[0],
                            )  # fmt: skip
                    begun += 32
                    team_wait(32)
                else:  # note triangles that are near the thread's own candidate
                    kept[0] = length
                    kept[7] = motion[7]
                    many = 0
                    while many < NOTED and (left > 0 or top > 0):
                        if left == 0:
                            top, t, left = next_leaf_in_box(
                                node_lows, node_highs, node_firsts, node_counts, pending, top,
                                cx + box[0], cy + box[1], cz + box[2], box[3], box[4], box[5],
                            )  # fmt: skip
                        else:
                            if is_near(
                                vertices, corner_vertices, face_normals, t, sides, cx, cy, cz, half, middle, turn, near,
                                motion[7] > 0.0,
                            ):  # fmt: skip
                                noted[many] = t
                                many += 1
                            t += 1
                            left -= 1
                    begin = 0
                    items = 0
                    for k in range(5):
                        bits = team_ballot(32, ((many >> k) & 1) == 1)
                        begin += count_bits(bits & below) << k
                        items += count_bits(bits) << k
                    end = begin + many
                    for k in range(many):
                        memory[own + begin + k] = as_real(32 * noted[k] + rank)
                    begun = 0
                    team_wait(32)
                    going = items > 0
                    if not going and mine:
                        motion[4] = kept[4]
                        motion[6] = kept[6]
                        turn_guards(turn, guards, counts[2])
                        finish_patches(motion, patch, passed, guards, counts, length)
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
                # What the thread looks at next: a triangle that was noted, or its own candidate again.
                n = mine_n
                if begun < items:
                    n = first + (as_bits(memory[own + min(begun + rank, items - 1)]) & 31)
            first += 32 * team_count()
