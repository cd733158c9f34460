"""Which shapes the nodes of deformable bodies may touch in a substep."""

import math

from phalanx.components import (
    Coordinate,
    Deformable,
    DeformableBounds,
    DeformableMotion,
    DeformablePair,
    DeformablePairState,
    DeformablePairTopology,
    DeformableSurface,
    DeformableTopology,
    DistanceFieldGeometry,
    DistanceFieldTopology,
    DistanceSampleValue,
    GroundPlane,
    HeightFieldGeometry,
    HeightSampleValue,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    LinkTopology,
    MeshTopology,
    NodeContactPoint,
    NodeContactState,
    NodeGroup,
    NodeGroupSums,
    NodeGroupTopology,
    NodeModel,
    NodeState,
    Settings,
    ShapeBounds,
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
    SurfaceNode,
    SurfaceNodeModel,
    SurfaceNodeTopology,
)
from phalanx.components.node_contact import SLOTS
from phalanx.components.shape import HEIGHT_FIELD, HULL, MESH, SDF
from phalanx.ecs import function, read, system, write
from phalanx.systems.collision.narrow.outside import outside_of
from phalanx.systems.collision.narrow.pose import inverse_turn, turn
from phalanx.systems.collision.sdf_contact.solids import hull_distance
from phalanx.systems.deformable.uneven import field_distance, terrain_distance

INFINITY = float("inf")


@system(over=NodeGroup, phase="deform_begin", in_step=True)
def group_bounds(
    g,
    e,
    first=read(NodeGroupTopology.first_node),
    end=read(NodeGroupTopology.end_node),
    h=read(Settings.timestep),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    low=write(NodeGroupSums.low),
    high=write(NodeGroupSums.high),
):
    """Least and greatest coordinates of a group's nodes, now and where they are going."""
    ax, ay, az, bx, by, bz = INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY
    for v in range(first[g, e], end[g, e]):
        x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
        u, w = x + h[0, e] * velocity[v, 0, e], y + h[0, e] * velocity[v, 1, e]
        t = z + h[0, e] * velocity[v, 2, e]
        ax, ay, az = min(ax, min(x, u)), min(ay, min(y, w)), min(az, min(z, t))
        bx, by, bz = max(bx, max(x, u)), max(by, max(y, w)), max(bz, max(z, t))
    low[g, 0, e], low[g, 1, e], low[g, 2, e] = ax, ay, az
    high[g, 0, e], high[g, 1, e], high[g, 2, e] = bx, by, bz


@system(over=Deformable, phase="deform_begin", in_step=True)
def deformable_bounds(
    b,
    e,
    first=read(DeformableTopology.first_sum),
    end=read(DeformableTopology.end_sum),
    margin=read(DeformableSurface.contact_offset),
    origin=read(DeformableMotion.origin),
    group_low=read(NodeGroupSums.low),
    group_high=read(NodeGroupSums.high),
    low=write(DeformableBounds.low),
    high=write(DeformableBounds.high),
):
    """Those of a body, grown by its contact offset."""
    ax, ay, az, bx, by, bz = INFINITY, INFINITY, INFINITY, -INFINITY, -INFINITY, -INFINITY
    for g in range(first[b, e], end[b, e]):
        ax, ay, az = min(ax, group_low[g, 0, e]), min(ay, group_low[g, 1, e]), min(az, group_low[g, 2, e])
        bx, by, bz = max(bx, group_high[g, 0, e]), max(by, group_high[g, 1, e]), max(bz, group_high[g, 2, e])
    low[b, 0, e] = origin[b, 0, e] + ax - margin[b, e]
    low[b, 1, e] = origin[b, 1, e] + ay - margin[b, e]
    low[b, 2, e] = origin[b, 2, e] + az - margin[b, e]
    high[b, 0, e] = origin[b, 0, e] + bx + margin[b, e]
    high[b, 1, e] = origin[b, 1, e] + by + margin[b, e]
    high[b, 2, e] = origin[b, 2, e] + bz + margin[b, e]


@system(over=DeformablePair, phase="deform_begin")
def near_deformables(
    p,
    e,
    body=read(DeformablePairTopology.body),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    low=read(DeformableBounds.low),
    high=read(DeformableBounds.high),
    shape_low=read(ShapeBounds.low),
    shape_high=read(ShapeBounds.high),
    normal=read(GroundPlane.normal),
    level=read(GroundPlane.offset),
    near=write(DeformablePairState.near),
):
    """Whether the bounds of a body and a shape overlap, or those of a body reach a plane."""
    b = body[p, e]
    n = plane[p, e]
    if n >= 0:
        depth = -level[n, e]
        for k in range(3):
            depth += normal[n, k, e] * (low[b, k, e] if normal[n, k, e] > 0.0 else high[b, k, e])
        near[p, e] = 1 if depth <= 0.0 else 0
    else:
        s = shape[p, e]
        x = low[b, 0, e] <= shape_high[s, 0, e] and shape_low[s, 0, e] <= high[b, 0, e]
        y = low[b, 1, e] <= shape_high[s, 1, e] and shape_low[s, 1, e] <= high[b, 1, e]
        z = low[b, 2, e] <= shape_high[s, 2, e] and shape_low[s, 2, e] <= high[b, 2, e]
        near[p, e] = 1 if x and y and z else 0


@function
def nearest_three(gap, pair, nx, ny, nz, g0, p0, x0, y0, z0, g1, p1, x1, y1, z1, g2, p2, x2, y2, z2):
    """The three with the least gaps of four contacts (gap, pair, normal), in order; of equals the earlier ones."""
    if gap < g0:
        return gap, pair, nx, ny, nz, g0, p0, x0, y0, z0, g1, p1, x1, y1, z1
    if gap < g1:
        return g0, p0, x0, y0, z0, gap, pair, nx, ny, nz, g1, p1, x1, y1, z1
    if gap < g2:
        return g0, p0, x0, y0, z0, g1, p1, x1, y1, z1, gap, pair, nx, ny, nz
    return g0, p0, x0, y0, z0, g1, p1, x1, y1, z1, g2, p2, x2, y2, z2


@system(over=SurfaceNode, phase="deform_begin")
def find_node_contacts(
    n,
    e,
    node=read(SurfaceNodeTopology.node),
    body=read(SurfaceNodeTopology.body),
    mass=read(NodeModel.mass),
    first=read(DeformableSurface.first_pair),
    end=read(DeformableSurface.end_pair),
    shape=read(DeformablePairTopology.shape),
    plane=read(DeformablePairTopology.plane),
    near=read(DeformablePairState.near),
    own_margin=read(DeformableSurface.contact_offset),
    own_rest=read(DeformableSurface.rest_offset),
    margin=read(ShapeGeometry.contact_offset),
    rest=read(ShapeGeometry.rest_offset),
    h=read(Settings.timestep),
    plane_normal=read(GroundPlane.normal),
    level=read(GroundPlane.offset),
    kind=read(ShapeTopology.kind),
    link=read(ShapeTopology.link),
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    size=read(ShapeGeometry.size),
    root=read(LinkTopology.root),
    coord=read(LinkTopology.coord),
    q=read(Coordinate.value),
    offset=read(ShapePose.offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    normals=read(HullFacePlane.normal),
    offsets=read(HullFacePlane.offset),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    corner_vertices=read(HullCornerVertex.vertex),
    vertices=read(HullVertexPosition.position),
    first_distance=read(DistanceFieldTopology.first_sample),
    dims=read(DistanceFieldTopology.samples),
    corner=read(DistanceFieldGeometry.corner),
    cell=read(DistanceFieldGeometry.cell),
    distances=read(DistanceSampleValue.distance),
    first_height=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    heights=read(HeightSampleValue.height),
    origin=read(DeformableMotion.origin),
    position=read(NodeState.position),
    velocity=read(NodeState.velocity),
    firmness=write(SurfaceNodeModel.mass),
    pair=write(NodeContactState.pair),
    face=write(NodeContactState.face),
    gap=write(NodeContactPoint.gap),
    normal=write(NodeContactPoint.normal),
):
    """The planes, convex shapes, distance fields and height fields that a node is nearest to.

    Meshes follow in :func:`phalanx.systems.deformable.mesh_search.find_mesh_contacts`.
    """
    v = node[n, e]
    b = body[n, e]
    x, y, z = position[v, 0, e], position[v, 1, e], position[v, 2, e]
    vx, vy, vz = velocity[v, 0, e], velocity[v, 1, e], velocity[v, 2, e]
    way = h[0, e] * math.sqrt(vx * vx + vy * vy + vz * vz)
    g0, p0, x0, y0, z0 = INFINITY, -1, 0.0, 0.0, 0.0
    g1, p1, x1, y1, z1 = INFINITY, -1, 0.0, 0.0, 0.0
    g2, p2, x2, y2, z2 = INFINITY, -1, 0.0, 0.0, 0.0
    for p in range(first[b, e], end[b, e]):
        s = shape[p, e]
        if near[p, e] != 0:
            reach = own_margin[b, e] + margin[s, e] + way
            d, nx, ny, nz = INFINITY, 0.0, 0.0, 0.0
            i = plane[p, e]
            if i >= 0:
                nx, ny, nz = plane_normal[i, 0, e], plane_normal[i, 1, e], plane_normal[i, 2, e]
                d = nx * origin[b, 0, e] + ny * origin[b, 1, e] + nz * origin[b, 2, e] - level[i, e]
                d += nx * x + ny * y + nz * z
            else:
                j = coord[root[link[s, e], e], e]
                px = ((origin[b, 0, e] - q[j, e]) - offset[s, 0, e]) + x
                py = ((origin[b, 1, e] - q[j + 1, e]) - offset[s, 1, e]) + y
                pz = ((origin[b, 2, e] - q[j + 2, e]) - offset[s, 2, e]) + z
                ux, uy, uz = travel[s, 0, e], travel[s, 1, e], travel[s, 2, e]
                reach += math.sqrt(ux * ux + uy * uy + uz * uz) + travel[s, 3, e]
                r0, r1, r2 = rotation[s, 0, e], rotation[s, 1, e], rotation[s, 2, e]
                r3, r4, r5 = rotation[s, 3, e], rotation[s, 4, e], rotation[s, 5, e]
                r6, r7, r8 = rotation[s, 6, e], rotation[s, 7, e], rotation[s, 8, e]
                px, py, pz = inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, px, py, pz)
                if kind[s, e] == HULL:
                    ux, uy, uz, d = hull_distance(
                        (HULL, first_vertex[s, e], end_vertex[s, e], first_face[s, e], end_face[s, e]),
                        px, py, pz, reach, normals, offsets, first_corners, end_corners, corner_vertices, vertices,
                    )  # fmt: skip
                elif kind[s, e] == SDF:
                    ux, uy, uz, d = field_distance(
                        distances, first_distance[s, e], dims[s, 0, e], dims[s, 1, e], dims[s, 2, e],
                        corner[s, 0, e], corner[s, 1, e], corner[s, 2, e], cell[s, e], px, py, pz,
                    )  # fmt: skip
                elif kind[s, e] == HEIGHT_FIELD:
                    ux, uy, uz, d = terrain_distance(
                        heights, first_height[s, e], samples[s, 0, e], samples[s, 1, e],
                        spacing[s, 0, e], spacing[s, 1, e], px, py, pz,
                    )  # fmt: skip
                elif kind[s, e] == MESH:
                    ux, uy, uz, d = 0.0, 0.0, 1.0, INFINITY
                else:
                    ux, uy, uz, d = outside_of(kind[s, e], size[s, 0, e], size[s, 1, e], size[s, 2, e], px, py, pz)
                nx, ny, nz = turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, ux, uy, uz)
            d = d - (own_rest[b, e] + rest[s, e])
            if d <= reach:
                g0, p0, x0, y0, z0, g1, p1, x1, y1, z1, g2, p2, x2, y2, z2 = nearest_three(
                    d, p, nx, ny, nz, g0, p0, x0, y0, z0, g1, p1, x1, y1, z1, g2, p2, x2, y2, z2
                )
    firmness[n, e] = mass[v, e]
    c = n * SLOTS
    for k in range(SLOTS):
        face[c + k, e] = -1
    pair[c, e], gap[c, e] = p0, g0 if p0 >= 0 else 0.0
    normal[c, 0, e], normal[c, 1, e], normal[c, 2, e] = x0, y0, z0
    pair[c + 1, e], gap[c + 1, e] = p1, g1 if p1 >= 0 else 0.0
    normal[c + 1, 0, e], normal[c + 1, 1, e], normal[c + 1, 2, e] = x1, y1, z1
    pair[c + 2, e], gap[c + 2, e] = p2, g2 if p2 >= 0 else 0.0
    normal[c + 2, 0, e], normal[c + 2, 1, e], normal[c + 2, 2, e] = x2, y2, z2
