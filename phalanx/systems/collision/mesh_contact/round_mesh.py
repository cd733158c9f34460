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
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.patch import PATCH, add_point, thin_patch
from phalanx.systems.collision.mesh_contact.regions import FACE, NOT, gather_across, gather_corners, judge_mesh_normal
from phalanx.systems.collision.mesh_contact.round_triangle import ROUND, round_triangle
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf
from phalanx.systems.collision.narrow.pose import inverse_turn


@function
def round_mesh(
    root, double_sided, cx, cy, cz, ux, uy, uz, half, radius, reach,
    vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
    node_lows, node_highs, node_firsts, node_counts, patch,
):  # fmt: skip
    """Contact points of a sphere or capsule with centre c in the mesh's frame; axes of the mesh, about c."""
    pending = local_int(STACK)
    corners = local(9)
    across = local(9)
    points = local(ROUND)
    found = 0
    near = radius + reach
    hx = math.fabs(ux) * half + near
    hy = math.fabs(uy) * half + near
    hz = math.fabs(uz) * half + near
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
                count = round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points)
                bordered = 0
                if count > 0:
                    bordered = gather_across(vertices, corner_vertices, across_vertices, t, cx, cy, cz, across)
                for o in range(0, 7 * count, 7):
                    answer = judge_mesh_normal(
                        corners, across, bordered, t, corner_vertices, vertices, firsts, ends, neighbours,
                        points[o + 3], points[o + 4], points[o + 5], mx, my, mz,
                    )  # fmt: skip
                    if answer < NOT:
                        face = answer == FACE
                        found = add_point(
                            patch, found, points[o], points[o + 1], points[o + 2],
                            mx if face else points[o + 3], my if face else points[o + 4], mz if face else points[o + 5],
                            points[o + 6], radius + half,
                        )  # fmt: skip
    return thin_patch(patch, found, radius + half)


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
    kind=read(ShapeTopology.kind),
    root=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    size=read(ShapeGeometry.size),
    rotation=read(ShapePose.rotation),
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
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres and capsules with triangle meshes."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != MESH or kind[a, e] > CAPSULE:
        return
    patch = local(PATCH)
    b0, b1, b2 = rotation[b, 0, e], rotation[b, 1, e], rotation[b, 2, e]
    b3, b4, b5 = rotation[b, 3, e], rotation[b, 4, e], rotation[b, 5, e]
    b6, b7, b8 = rotation[b, 6, e], rotation[b, 7, e], rotation[b, 8, e]
    cx, cy, cz = inverse_turn(
        b0, b1, b2, b3, b4, b5, b6, b7, b8, -between[n, 0, e], -between[n, 1, e], -between[n, 2, e]
    )
    ux, uy, uz = inverse_turn(
        b0, b1, b2, b3, b4, b5, b6, b7, b8, rotation[a, 2, e], rotation[a, 5, e], rotation[a, 8, e]
    )
    found = round_mesh(
        root[b, e], double_sided[b, e], cx, cy, cz, ux, uy, uz,
        size[a, 1, e] if kind[a, e] == CAPSULE else 0.0, size[a, 0, e], reach[n, e],
        vertices, corner_vertices, across_vertices, face_normals, firsts, ends, neighbours,
        node_lows, node_highs, node_firsts, node_counts, patch,
    )  # fmt: skip
    per_pair = slots // candidates
    found = min(found, per_pair)
    count[n, e] = found
    for p in range(found):
        slot = n * per_pair + p
        separation[slot, e] = patch[8 * p + 6]
        for i in range(3):
            position[slot, i, e] = 0.0
            normal[slot, i, e] = 0.0
            for j in range(3):
                position[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + 3 + j]
