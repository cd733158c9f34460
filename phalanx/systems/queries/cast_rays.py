"""Rays against every shape of their environment."""

from phalanx.components import GroundPlane, Plane, Shape, ShapeGeometry, ShapeTopology
from phalanx.components.mesh import (
    HeightFieldGeometry,
    HeightSampleValue,
    MeshNodeBox,
    MeshTopology,
    MeshTriangleGeometry,
)
from phalanx.components.query import (
    Query,
    QueryCount,
    QueryFilter,
    QueryHitState,
    QueryPath,
    QueryPose,
    QueryRequest,
)
from phalanx.components.shape import (
    HULL,
    MESH,
    PLANE,
    SDF,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    is_primitive,
)
from phalanx.ecs import local, read, rows, system, update, write
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.queries.box_path import box_path, inverse
from phalanx.systems.queries.limits import FARTHEST
from phalanx.systems.queries.ray_height_field import ray_height_field
from phalanx.systems.queries.ray_hull import ray_hull
from phalanx.systems.queries.ray_mesh import ray_mesh
from phalanx.systems.queries.ray_solid import ray_plane, ray_solid


@system(over=Query, phase="query")
def cast_rays(
    r,
    e,
    shapes=rows(Shape),
    planes=rows(Plane),
    active=read(QueryRequest.active),
    slots=read(QueryRequest.slots),
    first_only=read(QueryRequest.first_only),
    any_hit=read(QueryRequest.any_hit),
    both_sides=read(QueryRequest.both_sides),
    origin=read(QueryPath.origin),
    direction=read(QueryPath.direction),
    reach=read(QueryPath.reach),
    seen=read(QueryFilter.seen),
    kind=read(ShapeTopology.kind),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
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
    hull_normals=read(HullFacePlane.normal),
    hull_offsets=read(HullFacePlane.offset),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    hull_corners=read(HullCornerVertex.vertex),
    tree=read(MeshTopology.root),
    double_sided=read(MeshTopology.double_sided),
    corner_vertices=read(MeshTriangleGeometry.vertex),
    triangle_normals=read(MeshTriangleGeometry.normal),
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
    """The nearest hits of a ray, one for each shape, in the order of distance and then of shapes."""
    if r >= active[0, e]:
        return
    o = local(3)
    d = local(3)
    n = local(3)
    x, y, z = origin[r, 0, e], origin[r, 1, e], origin[r, 2, e]
    dx, dy, dz = direction[r, 0, e], direction[r, 1, e], direction[r, 2, e]
    ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
    most = slots[0, e]
    limit = min(FARTHEST, reach[r, e])
    if not (dx * dx + dy * dy + dz * dz > 0.5 and reach[r, e] >= 0.0):  # no direction, no number
        limit = -1.0
    found = 0
    for s in range(shapes):
        if seen[s, e] == 0 or (found > 0 and any_hit[0, e] == 1):
            continue
        k = kind[s, e]
        triangle = -1
        if k == PLANE:
            p = s - shapes + planes
            t, nx, ny, nz = ray_plane(
                plane_normal[p, 0, e], plane_normal[p, 1, e], plane_normal[p, 2, e], plane_offset[p, e],
                x, y, z, dx, dy, dz,
            )  # fmt: skip
        else:
            t, nx = box_path(
                low[s, 0, e], low[s, 1, e], low[s, 2, e], high[s, 0, e], high[s, 1, e], high[s, 2, e],
                x, y, z, ix, iy, iz,
            )  # fmt: skip
            if not t <= limit:
                continue
            r0, r1, r2 = rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e]
            r3, r4, r5 = rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e]
            r6, r7, r8 = rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e]
            ox, oy, oz = inverse_turn(
                r0, r1, r2, r3, r4, r5, r6, r7, r8,
                (x - root[s, 0, e]) - offset[s, 0, e],
                (y - root[s, 1, e]) - offset[s, 1, e],
                (z - root[s, 2, e]) - offset[s, 2, e],
            )  # fmt: skip
            ux, uy, uz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, dx, dy, dz)
            if is_primitive(k):
                t, nx, ny, nz = ray_solid(k, size[s, 0, e], size[s, 1, e], size[s, 2, e], ox, oy, oz, ux, uy, uz)
            else:
                o[0], o[1], o[2] = ox, oy, oz
                d[0], d[1], d[2] = ux, uy, uz
                if k == HULL:
                    t, nx, ny, nz = ray_hull(
                        first_face[s, e], end_face[s, e], hull_normals, hull_offsets, first_corners, end_corners,
                        hull_corners, vertices, o, d,
                    )  # fmt: skip
                else:
                    both = both_sides[0, e]
                    if k == MESH or k == SDF:
                        t, triangle = ray_mesh(
                            tree[s, e], max(both, double_sided[s, e]), o, d, limit, vertices, corner_vertices,
                            triangle_normals, node_lows, node_highs, node_firsts, node_counts,
                        )  # fmt: skip
                        i = max(triangle, 0)
                        n[0], n[1], n[2] = (
                            triangle_normals[i, 0, 0],
                            triangle_normals[i, 1, 0],
                            triangle_normals[i, 2, 0],
                        )
                    else:
                        t, triangle = ray_height_field(
                            heights, first_sample[s, e], samples[s, 0, e], samples[s, 1, e],
                            spacing[s, 0, e], spacing[s, 1, e], least[s, 2, e], greatest[s, 2, e],
                            both, o, d, limit, n,
                        )  # fmt: skip
                    front = 1.0 if n[0] * ux + n[1] * uy + n[2] * uz <= 0.0 else -1.0
                    nx, ny, nz = front * n[0], front * n[1], front * n[2]
            nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, nx, ny, nz)
        if t <= limit:
            kept = min(found, most)
            found += 1
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
                position[slot, 0, e], position[slot, 1, e], position[slot, 2, e] = x + t * dx, y + t * dy, z + t * dz
                normal[slot, 0, e], normal[slot, 1, e], normal[slot, 2, e] = nx, ny, nz
                if first_only[0, e] == 1:
                    limit = t
    total[r, e] = found
