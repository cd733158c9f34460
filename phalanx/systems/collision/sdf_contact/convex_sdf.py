"""Spheres, capsules, boxes, cylinders, cones and hulls with meshes that have signed distance fields."""

import math

from phalanx.components.mesh import MeshNodeBox
from phalanx.components.pair import (
    Candidate,
    CandidateCount,
    CandidatePair,
    Manifold,
    ManifoldPoint,
    ManifoldPointState,
)
from phalanx.components.sdf import (
    DistanceFieldGeometry,
    DistanceFieldTopology,
    DistanceSampleValue,
    SurfacePointGeometry,
)
from phalanx.components.shape import (
    CAPSULE,
    HULL,
    SDF,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
    is_convex,
    is_round,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.collision.narrow.vectors import direction
from phalanx.systems.collision.sdf_contact.bins import BINS, add_to_bins, bins_to_patch, clear_bins, useful_reach
from phalanx.systems.collision.sdf_contact.field import DIMS, GRID, ball_in_field
from phalanx.systems.collision.sdf_contact.hull_edges import hull_edges_in_field
from phalanx.systems.collision.sdf_contact.solids import (
    NOWHERE,
    PLACE,
    SPOT,
    count_features,
    outward_point,
    slide_down,
    solid_distance,
)

SOLID = 3
"""Numbers in ``solid``."""
FORMS = 5
"""Numbers in ``forms``."""

_SAME = 0.8
"""Cosine of normals that come from the same part of a surface."""


@function
def points_in_solid(
    root, forms, solid, place, reach, points, point_normals, limits, node_lows, node_highs, node_firsts, node_counts,
    normals, offsets, first_corners, end_corners, corner_vertices, vertices, distances, dims, grid, bins,
):  # fmt: skip
    """Look up the points of a mesh's surface in the distance function of a convex shape; normals are towards it."""
    pending = local_int(STACK)
    pending[0] = root
    top = 1
    while top > 0:
        top -= 1
        node = pending[top]
        first = node_firsts[node, 0]
        count = node_counts[node, 0]
        square = 0.0
        for k in range(3):
            half = 0.5 * (node_highs[node, k, 0] - node_lows[node, k, 0])
            square += half * half
        near = reach + math.sqrt(square)
        for s in range(-1, count):  # first the middle of the node's box
            p = first + s
            x = 0.5 * (node_lows[node, 0, 0] + node_highs[node, 0, 0]) if s < 0 else points[p, 0, 0]
            y = 0.5 * (node_lows[node, 1, 0] + node_highs[node, 1, 0]) if s < 0 else points[p, 1, 0]
            z = 0.5 * (node_lows[node, 2, 0] + node_highs[node, 2, 0]) if s < 0 else points[p, 2, 0]
            nx, ny, nz, distance = solid_distance(
                forms, solid, place, x, y, z, near, normals, offsets, first_corners, end_corners, corner_vertices,
                vertices,
            )  # fmt: skip
            if s < 0:
                if not distance <= near:
                    break
                if count == 0 and top + 2 <= STACK:
                    pending[top] = first + 1
                    pending[top + 1] = first
                    top += 2
            elif distance <= reach:
                facing = nx * point_normals[p, 0, 0] + ny * point_normals[p, 1, 0] + nz * point_normals[p, 2, 0]
                if facing <= limits[p, 0]:
                    # From the core of a round shape the field knows the way between the points, too.
                    radius = solid[0] if is_round(forms[0]) else 0.0
                    half = 0.5 * distance
                    if is_round(forms[0]):
                        u = x - (distance + radius) * nx
                        v = y - (distance + radius) * ny
                        w = z - (distance + radius) * nz
                        gap, mx, my, mz = ball_in_field(distances, dims, grid, u, v, w, radius)
                        if mx * nx + my * ny + mz * nz < -_SAME:
                            # A capsule's side is nearest to what the way leads to at right angles to its axis.
                            along = mx * place[6] + my * place[7] + mz * place[8]
                            shift = -(radius + gap) * along
                            level = (u - place[9]) * place[6] + (v - place[10]) * place[7] + (w - place[11]) * place[8]
                            if forms[0] == CAPSULE and math.fabs(level + shift) <= solid[1]:
                                u += shift * place[6]
                                v += shift * place[7]
                                w += shift * place[8]
                                mx, my, mz, length = direction(
                                    mx - along * place[6], my - along * place[7], mz - along * place[8]
                                )
                                gap = (radius + gap) * length - radius
                            distance = gap
                            half = -(radius + 0.5 * gap)
                            nx = -mx
                            ny = -my
                            nz = -mz
                            x = u
                            y = v
                            z = w
                    if distance <= reach:
                        add_to_bins(bins, x - half * nx, y - half * ny, z - half * nz, -nx, -ny, -nz, distance)


@function
def solid_in_field(forms, solid, place, reach, distances, dims, grid, vertices, bins):
    """Look up corners, edges and rims of a convex shape in a mesh's field; normals are towards the shape."""
    spot = local(SPOT)
    radius = solid[0] if is_round(forms[0]) else 0.0  # of what a sphere's centre and a capsule's axis are the core of
    for i in range(count_features(forms)):
        outward_point(forms, solid, place, i, dims, grid, distances, vertices, reach, spot)
        separation = math.inf
        nx = 0.0
        ny = 0.0
        nz = 0.0
        if spot[6] < NOWHERE:
            separation, nx, ny, nz = slide_down(distances, dims, grid, radius, spot)
        facing = -(nx * spot[3] + ny * spot[4] + nz * spot[5])
        if separation <= reach and facing >= spot[6]:
            half = radius + 0.5 * separation
            add_to_bins(
                bins, spot[0] - half * nx, spot[1] - half * ny, spot[2] - half * nz, nx, ny, nz, separation
            )  # fmt: skip


@system(over=Candidate, phase="collide", used="used")
def collide_convex_with_sdf(
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
    first_vertex=read(ShapeTopology.first_vertex),
    end_vertex=read(ShapeTopology.end_vertex),
    first_face=read(ShapeTopology.first_face),
    end_face=read(ShapeTopology.end_face),
    first_sample=read(DistanceFieldTopology.first_sample),
    samples=read(DistanceFieldTopology.samples),
    root=read(DistanceFieldTopology.root),
    corner=read(DistanceFieldGeometry.corner),
    cell=read(DistanceFieldGeometry.cell),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    margin=read(ShapeGeometry.contact_offset),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    vertices=read(HullVertexPosition.position),
    normals=read(HullFacePlane.normal),
    offsets=read(HullFacePlane.offset),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    corner_vertices=read(HullCornerVertex.vertex),
    distances=read(DistanceSampleValue.distance),
    points=read(SurfacePointGeometry.position),
    point_normals=read(SurfacePointGeometry.normal),
    limits=read(SurfacePointGeometry.limit),
    node_lows=read(MeshNodeBox.low),
    node_highs=read(MeshNodeBox.high),
    node_firsts=read(MeshNodeBox.first),
    node_counts=read(MeshNodeBox.count),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres, capsules, boxes, cylinders, cones and hulls with meshes that have distance fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != SDF or not is_convex(kind[a, e]):
        return
    forms = local_int(FORMS)
    dims = local_int(DIMS)
    solid = local(SOLID)
    place = local(PLACE)
    grid = local(GRID)
    bins = local(BINS)
    patch = local(PATCH)
    forms[0] = kind[a, e]
    forms[1] = first_vertex[a, e]
    forms[2] = end_vertex[a, e]
    forms[3] = first_face[a, e]
    forms[4] = end_face[a, e]
    dims[0] = first_sample[b, e]
    grid[3] = cell[b, e]
    one = 0.0
    other = 0.0
    for i in range(3):
        dims[1 + i] = samples[b, i, e]
        grid[i] = corner[b, i, e]
        solid[i] = size[a, i, e]
        place[9 + i] = 0.0
        one += (high[a, i, e] - low[a, i, e]) * (high[a, i, e] - low[a, i, e])
        other += (high[b, i, e] - low[b, i, e]) * (high[b, i, e] - low[b, i, e])
        for j in range(3):
            place[9 + i] -= rotation[b, 3 * j + i, e] * between[n, j, e]
            place[3 * i + j] = 0.0
            for k in range(3):
                place[3 * i + j] += rotation[a, 3 * k + i, e] * rotation[b, 3 * k + j, e]
    length = 0.5 * math.sqrt(min(one, other))
    way = reach[n, e] - margin[a, e] - margin[b, e]
    near = useful_reach(reach[n, e], way, rest[a, e] + rest[b, e], length, place)
    clear_bins(bins, length, way)
    solid_in_field(forms, solid, place, near, distances, dims, grid, vertices, bins)
    if forms[0] == HULL:
        hull_edges_in_field(
            forms, place, near, distances, dims, grid, normals, first_corners, end_corners, corner_vertices, vertices,
            bins,
        )  # fmt: skip
    points_in_solid(
        root[b, e], forms, solid, place, near, points, point_normals, limits,
        node_lows, node_highs, node_firsts, node_counts,
        normals, offsets, first_corners, end_corners, corner_vertices, vertices, distances, dims, grid, bins,
    )  # fmt: skip
    found = bins_to_patch(bins, patch, length)
    per_pair = slots // candidates
    found = min(found, per_pair)
    count[n, e] = found
    for p in range(found):
        slot = n * per_pair + p
        separation[slot, e] = patch[8 * p + 6]
        for i in range(3):
            position[slot, i, e] = between[n, i, e]
            normal[slot, i, e] = 0.0
            for j in range(3):
                position[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + 3 + j]
