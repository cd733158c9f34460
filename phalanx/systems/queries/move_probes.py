"""Convex probes, where they are or along their way, against every shape of their environment."""

import math

from phalanx.components import GroundPlane, Plane, Shape, ShapeGeometry, ShapeTopology
from phalanx.components.mesh import (
    HeightFieldGeometry,
    HeightSampleValue,
    MeshNeighbourVertex,
    MeshNodeBox,
    MeshTopology,
    MeshTriangleGeometry,
    MeshVertexNeighbours,
)
from phalanx.components.query import (
    DEPTH,
    SWEEP,
    Query,
    QueryCount,
    QueryFilter,
    QueryHitState,
    QueryPath,
    QueryPose,
    QueryProbe,
    QueryRequest,
)
from phalanx.components.shape import MESH, PLANE, SDF, TRIANGLE, HullVertexPosition, is_convex
from phalanx.ecs import local, local_int, read, rows, system, update, write
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.collision.narrow.support import FORMS, PAIR, core_radius, precision, support
from phalanx.systems.queries.box_path import box_path, inverse
from phalanx.systems.queries.limits import FARTHEST, INF
from phalanx.systems.queries.probe_height_field import probe_height_field
from phalanx.systems.queries.probe_mesh import probe_mesh
from phalanx.systems.queries.probe_plane import probe_plane
from phalanx.systems.queries.touch import FOUND, touch


@system(over=Query, phase="query")
def move_probes(
    r,
    e,
    shapes=rows(Shape),
    planes=rows(Plane),
    active=read(QueryRequest.active),
    task=read(QueryRequest.task),
    slots=read(QueryRequest.slots),
    first_only=read(QueryRequest.first_only),
    any_hit=read(QueryRequest.any_hit),
    both_sides=read(QueryRequest.both_sides),
    origin=read(QueryPath.origin),
    direction=read(QueryPath.direction),
    reach=read(QueryPath.reach),
    probe_kind=read(QueryProbe.kind),
    probe_first=read(QueryProbe.first_vertex),
    probe_end=read(QueryProbe.end_vertex),
    probe_size=read(QueryProbe.size),
    probe_low=read(QueryProbe.low),
    probe_high=read(QueryProbe.high),
    probe_rotation=read(QueryProbe.rotation),
    seen=read(QueryFilter.seen),
    kind=read(ShapeTopology.kind),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    size=read(ShapeGeometry.size),
    least=read(ShapeGeometry.low),
    greatest=read(ShapeGeometry.high),
    root=read(QueryPose.root),
    offset=read(QueryPose.offset),
    rotation=read(QueryPose.rotation),
    low=read(QueryPose.low),
    high=read(QueryPose.high),
    plane_normal=read(GroundPlane.normal),
    plane_offset=read(GroundPlane.offset),
    vertices=read(HullVertexPosition.position),
    tree=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    corner_vertices=read(MeshTriangleGeometry.vertex),
    across_vertices=read(MeshTriangleGeometry.across),
    triangle_normals=read(MeshTriangleGeometry.normal),
    around_first=read(MeshVertexNeighbours.first),
    around_end=read(MeshVertexNeighbours.end),
    around=read(MeshNeighbourVertex.vertex),
    node_lows=read(MeshNodeBox.low),
    node_highs=read(MeshNodeBox.high),
    node_firsts=read(MeshNodeBox.first),
    node_counts=read(MeshNodeBox.count),
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    heights=read(HeightSampleValue.height),
    total=write(QueryCount.total),
    distance=update(QueryHitState.distance),
    position=update(QueryHitState.position),
    normal=update(QueryHitState.normal),
    shape=update(QueryHitState.shape),
    face=update(QueryHitState.face),
):
    """The first hits of a probe, one for each shape, in the order of distance (deepest first) and then of shapes."""
    if r >= active[0, e]:
        return
    pair = local(PAIR)
    forms = local_int(FORMS)
    turn_a = local(9)
    turn_b = local(9)
    o = local(3)
    d = local(3)
    v = local(3)
    middle = local(3)
    half = local(3)
    turn = local(9)
    found = local(FOUND)
    point = local(6)
    simplex = local(SIMPLEX)
    asked = task[0, e]
    most = slots[0, e]
    x, y, z = origin[r, 0, e], origin[r, 1, e], origin[r, 2, e]
    dx, dy, dz = direction[r, 0, e], direction[r, 1, e], direction[r, 2, e]
    limit = 0.0
    if asked == SWEEP:
        limit = min(FARTHEST, reach[r, e])
        if not (dx * dx + dy * dy + dz * dz > 0.5 and reach[r, e] >= 0.0):  # no direction, no number
            limit = -1.0
    ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
    for i in range(3):  # bounding box of the probe, world axes, about its origin
        middle[i] = 0.0
        half[i] = 0.0
        for j in range(3):
            middle[i] += probe_rotation[r, 3 * i + j, e] * 0.5 * (probe_low[r, j, e] + probe_high[r, j, e])
            half[i] += math.fabs(probe_rotation[r, 3 * i + j, e]) * 0.5 * (probe_high[r, j, e] - probe_low[r, j, e])
    mx, my, mz = middle[0], middle[1], middle[2]
    hx, hy, hz = half[0], half[1], half[2]
    count = 0
    for s in range(shapes):
        if seen[s, e] == 0 or (count > 0 and any_hit[0, e] == 1):
            continue
        k = kind[s, e]
        triangle = -1
        swap = k < probe_kind[r, e]
        start = 0.0
        if k != PLANE:
            start, nx = box_path(
                low[s, 0, e] - hx, low[s, 1, e] - hy, low[s, 2, e] - hz,
                high[s, 0, e] + hx, high[s, 1, e] + hy, high[s, 2, e] + hz,
                x + mx, y + my, z + mz, ix, iy, iz,
            )  # fmt: skip
            start = max(0.0, start - (hx + hy + hz))
        if not start <= limit:
            continue
        # a is the shape of the lower kind
        sign = -1.0 if swap else 1.0
        forms[0] = k if swap else probe_kind[r, e]
        forms[1] = first_vertex[s, e] if swap else probe_first[r, e]
        forms[2] = end_vertex[s, e] if swap else probe_end[r, e]
        forms[3] = 0
        forms[4] = 0
        forms[5] = probe_kind[r, e] if swap else k
        forms[6] = probe_first[r, e] if swap else first_vertex[s, e]
        forms[7] = probe_end[r, e] if swap else end_vertex[s, e]
        forms[8] = 0
        forms[9] = 0
        for i in range(9):
            turn_a[i] = rotation[s, i, e] if swap else probe_rotation[r, i, e]
            turn_b[i] = probe_rotation[r, i, e] if swap else rotation[s, i, e]
        px, py, pz = x, y, z
        if k != PLANE:
            px = (x - root[s, 0, e]) - offset[s, 0, e]
            py = (y - root[s, 1, e]) - offset[s, 1, e]
            pz = (z - root[s, 2, e]) - offset[s, 2, e]
        for i in range(3):
            pair[12 + i] = size[s, i, e] if swap else probe_size[r, i, e]
            pair[15 + i] = probe_size[r, i, e] if swap else size[s, i, e]
            pair[9 + i] = -sign * (turn_a[i] * px + turn_a[3 + i] * py + turn_a[6 + i] * pz)
            v[i] = -sign * (turn_a[i] * dx + turn_a[3 + i] * dy + turn_a[6 + i] * dz)
            for j in range(3):
                pair[3 * i + j] = turn_a[i] * turn_b[j] + turn_a[3 + i] * turn_b[3 + j] + turn_a[6 + i] * turn_b[6 + j]
        t = INF
        if k == PLANE:
            p = s - shapes + planes
            nx, ny, nz = plane_normal[p, 0, e], plane_normal[p, 1, e], plane_normal[p, 2, e]
            ux, uy, uz = support(
                forms, 0, pair, 12, vertices,
                -(turn_a[0] * nx + turn_a[3] * ny + turn_a[6] * nz),
                -(turn_a[1] * nx + turn_a[4] * ny + turn_a[7] * nz),
                -(turn_a[2] * nx + turn_a[5] * ny + turn_a[8] * nz),
            )  # fmt: skip
            ax = turn_a[0] * ux + turn_a[1] * uy + turn_a[2] * uz
            ay = turn_a[3] * ux + turn_a[4] * uy + turn_a[5] * uz
            az = turn_a[6] * ux + turn_a[7] * uy + turn_a[8] * uz
            height = nx * (x + ax) + ny * (y + ay) + nz * (z + az) - plane_offset[p, e]
            height = height - core_radius(forms[0], pair[12])
            slack = 4.0 * precision() * (math.fabs(x) + math.fabs(y) + math.fabs(z) + hx + hy + hz)
            t, found[6] = probe_plane(asked, height, -(nx * dx + ny * dy + nz * dz), slack)
            found[0] = turn_a[0] * nx + turn_a[3] * ny + turn_a[6] * nz
            found[1] = turn_a[1] * nx + turn_a[4] * ny + turn_a[7] * nz
            found[2] = turn_a[2] * nx + turn_a[5] * ny + turn_a[8] * nz
            found[3], found[4], found[5] = ux, uy, uz
        elif is_convex(k):
            t = touch(asked, pair, forms, vertices, v[0], v[1], v[2], start, limit, simplex, point, found)
        else:
            for i in range(3):
                o[i] = turn_b[i] * px + turn_b[3 + i] * py + turn_b[6 + i] * pz
                d[i] = turn_b[i] * dx + turn_b[3 + i] * dy + turn_b[6 + i] * dz
                middle[i] = 0.0
                half[i] = 0.0
                for j in range(3):
                    turn[3 * i + j] = pair[3 * i + j]
                    middle[i] += pair[3 * j + i] * 0.5 * (probe_low[r, j, e] + probe_high[r, j, e])
                    half[i] += math.fabs(pair[3 * j + i]) * 0.5 * (probe_high[r, j, e] - probe_low[r, j, e])
            for i in range(5):
                forms[5 + i] = TRIANGLE
            both = both_sides[0, e]
            if k == MESH or k == SDF:
                t, triangle = probe_mesh(
                    asked, tree[s, e], max(both, double_sided[s, e]), o, d, middle, half, limit, turn, pair, forms,
                    vertices, corner_vertices, across_vertices, triangle_normals, around_first, around_end, around,
                    node_lows, node_highs, node_firsts, node_counts, found,
                )  # fmt: skip
            else:
                t, triangle = probe_height_field(
                    asked, heights, first_sample[s, e], samples[s, 0, e], samples[s, 1, e],
                    spacing[s, 0, e], spacing[s, 1, e], least[s, 2, e], greatest[s, 2, e],
                    both, o, d, middle, half, limit, turn, pair, forms, vertices, found,
                )  # fmt: skip
        if t <= limit:
            kept = min(count, most)
            count += 1
            slot = r * most + min(kept, most - 1)
            if kept < most or t < distance[slot, e]:
                for _ in range(min(kept, most - 1)):
                    if distance[slot - 1, e] > t:
                        distance[slot, e], shape[slot, e], face[slot, e] = (
                            distance[slot - 1, e],
                            shape[slot - 1, e],
                            face[slot - 1, e],
                        )
                        for i in range(3):
                            position[slot, i, e] = position[slot - 1, i, e]
                            normal[slot, i, e] = normal[slot - 1, i, e]
                        slot -= 1
                distance[slot, e], shape[slot, e], face[slot, e] = t, s, triangle
                inside = asked == SWEEP and t == 0.0 and found[6] < 0.0
                reached = t if asked == SWEEP else 0.0
                # On the surface of what was hit: of b if the probe is a.
                radius = core_radius(forms[0], pair[12]) + (0.0 if swap else found[6])
                for i in range(3):
                    o[i] = 0.0
                    d[i] = 0.0
                    for j in range(3):
                        d[i] += sign * turn_a[3 * i + j] * found[j]
                        o[i] += turn_a[3 * i + j] * (found[3 + j] - radius * found[j])
                    if swap:
                        o[i] += root[s, i, e] + offset[s, i, e]
                    else:
                        o[i] += origin[r, i, e] + reached * direction[r, i, e]
                    if asked == SWEEP or asked == DEPTH:
                        position[slot, i, e] = origin[r, i, e] if inside else o[i]
                        normal[slot, i, e] = -direction[r, i, e] if inside else d[i]
                if first_only[0, e] == 1 and asked == SWEEP:
                    limit = t
    total[r, e] = count
