"""Meshes that have signed distance fields with triangle meshes."""

import math

from phalanx.components.mesh import MeshNodeBox, MeshTopology, MeshTriangleGeometry
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
from phalanx.components.shape import MESH, SDF, HullVertexPosition, ShapeGeometry, ShapePose, ShapeTopology
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.regions import gather_triangle
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf
from phalanx.systems.collision.sdf_contact.bins import BINS, add_to_bins, bins_to_patch, clear_bins, useful_reach
from phalanx.systems.collision.sdf_contact.edges import edges_in_field
from phalanx.systems.collision.sdf_contact.field import DIMS, GRID
from phalanx.systems.collision.sdf_contact.nearest import nearest_face
from phalanx.systems.collision.sdf_contact.solids import PLACE

DEEP = 0.25
"""Points that are deeper than this part of the shape's shortest side are not pushed out."""


@function
def points_on_mesh(
    point_root, root, double_sided, place, reach, deep, points, point_normals, limits,
    vertices, triangles, normals, lows, highs, firsts, counts, bins,
):  # fmt: skip
    """Find the triangles that the points of a surface lie over, in the surface's frame.

    Args:
        place: row-major rotation from the mesh's axes to the surface's; the surface's origin in the mesh's frame.
    """
    pending = local_int(STACK)
    around = local_int(STACK)
    middle = local(3)
    half = local(3)
    pending[0] = point_root
    top = 1
    radius = max(reach, deep)
    while top > 0:
        top -= 1
        node = pending[top]
        first = firsts[node, 0]
        count = counts[node, 0]
        for i in range(3):
            middle[i] = place[9 + i]
            half[i] = radius
            for j in range(3):
                middle[i] += place[3 * j + i] * 0.5 * (lows[node, j, 0] + highs[node, j, 0])
                half[i] += math.fabs(place[3 * j + i]) * 0.5 * (highs[node, j, 0] - lows[node, j, 0])
        around[0] = root
        _, _, leaves = next_leaf(
            lows, highs, firsts, counts, around, 1, middle[0], middle[1], middle[2], half[0], half[1], half[2]
        )
        if leaves > 0 and count == 0 and top + 2 <= STACK:
            pending[top] = first + 1
            pending[top + 1] = first
            top += 2
        for p in range(first, first + (count if leaves > 0 else 0)):
            x = points[p, 0, 0]
            y = points[p, 1, 0]
            z = points[p, 2, 0]
            t, height = nearest_face(
                root,
                place[9] + place[0] * x + place[3] * y + place[6] * z,
                place[10] + place[1] * x + place[4] * y + place[7] * z,
                place[11] + place[2] * x + place[5] * y + place[8] * z,
                reach, deep, vertices, triangles, normals, lows, highs, firsts, counts,
            )  # fmt: skip
            if t >= 0:
                sign = -1.0 if height < 0.0 and double_sided == 1 else 1.0
                u = sign * normals[t, 0, 0]
                v = sign * normals[t, 1, 0]
                w = sign * normals[t, 2, 0]
                nx = place[0] * u + place[1] * v + place[2] * w
                ny = place[3] * u + place[4] * v + place[5] * w
                nz = place[6] * u + place[7] * v + place[8] * w
                facing = nx * point_normals[p, 0, 0] + ny * point_normals[p, 1, 0] + nz * point_normals[p, 2, 0]
                if facing <= limits[p, 0]:
                    distance = sign * height
                    out = 0.5 * distance
                    add_to_bins(bins, x - out * nx, y - out * ny, z - out * nz, nx, ny, nz, distance)


@function
def mesh_in_field(
    root, place, box, reach, distances, dims, grid, vertices, triangles, across_vertices, normals,
    lows, highs, firsts, counts, bins,
):  # fmt: skip
    """Look up the edges of the triangles near a field, in the field's frame.

    Args:
        box: middle and half lengths of the field's shape along its own axes, 6 numbers.
    """
    pending = local_int(STACK)
    corners = local(9)
    across = local(9)
    query = local(6)
    for i in range(3):
        query[i] = place[9 + i]
        query[3 + i] = reach
        for j in range(3):
            query[i] += place[3 * j + i] * box[j]
            query[3 + i] += math.fabs(place[3 * j + i]) * box[3 + j]
    pending[0] = root
    top = 1
    while top > 0:
        top, first, leaves = next_leaf(
            lows, highs, firsts, counts, pending, top, query[0], query[1], query[2], query[3], query[4], query[5]
        )
        for t in range(first, first + leaves):
            bordered = gather_triangle(
                vertices, triangles, across_vertices, t, place[9], place[10], place[11], corners, across
            )
            for k in range(3):
                turn_corner(place, corners, 3 * k)
                turn_corner(place, across, 3 * k)
            u = normals[t, 0, 0]
            v = normals[t, 1, 0]
            w = normals[t, 2, 0]
            edges_in_field(
                corners, across, bordered,
                place[0] * u + place[1] * v + place[2] * w,
                place[3] * u + place[4] * v + place[5] * w,
                place[6] * u + place[7] * v + place[8] * w,
                reach, distances, dims, grid, bins,
            )  # fmt: skip


@function
def turn_corner(place, corners, o):
    """A corner about the shape's origin from the mesh's axes to the shape's, in place."""
    x = corners[o]
    y = corners[o + 1]
    z = corners[o + 2]
    corners[o] = place[0] * x + place[1] * y + place[2] * z
    corners[o + 1] = place[3] * x + place[4] * y + place[5] * z
    corners[o + 2] = place[6] * x + place[7] * y + place[8] * z


@system(over=Candidate, phase="collide", used="used")
def collide_sdf_with_mesh(
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
    first_sample=read(DistanceFieldTopology.first_sample),
    samples=read(DistanceFieldTopology.samples),
    point_root=read(DistanceFieldTopology.root),
    corner=read(DistanceFieldGeometry.corner),
    cell=read(DistanceFieldGeometry.cell),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    margin=read(ShapeGeometry.contact_offset),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    distances=read(DistanceSampleValue.distance),
    points=read(SurfacePointGeometry.position),
    point_normals=read(SurfacePointGeometry.normal),
    limits=read(SurfacePointGeometry.limit),
    vertices=read(HullVertexPosition.position),
    triangles=read(MeshTriangleGeometry.vertex),
    across_vertices=read(MeshTriangleGeometry.across),
    normals=read(MeshTriangleGeometry.normal),
    lows=read(MeshNodeBox.low),
    highs=read(MeshNodeBox.high),
    firsts=read(MeshNodeBox.first),
    counts=read(MeshNodeBox.count),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Meshes that have distance fields with triangle meshes."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != SDF or kind[b, e] != MESH:
        return
    dims = local_int(DIMS)
    place = local(PLACE)
    grid = local(GRID)
    box = local(6)
    bins = local(BINS)
    patch = local(PATCH)
    dims[0] = first_sample[a, e]
    grid[3] = cell[a, e]
    square = 0.0
    shortest = math.inf
    for i in range(3):
        dims[1 + i] = samples[a, i, e]
        grid[i] = corner[a, i, e]
        box[i] = 0.5 * (high[a, i, e] + low[a, i, e])
        box[3 + i] = 0.5 * (high[a, i, e] - low[a, i, e])
        square += box[3 + i] * box[3 + i]
        shortest = min(shortest, high[a, i, e] - low[a, i, e])
        place[9 + i] = 0.0
        for j in range(3):
            place[9 + i] -= rotation[b, 3 * j + i, e] * between[n, j, e]
            place[3 * i + j] = 0.0
            for k in range(3):
                place[3 * i + j] += rotation[a, 3 * k + i, e] * rotation[b, 3 * k + j, e]
    length = math.sqrt(square)
    way = reach[n, e] - margin[a, e] - margin[b, e]
    near = useful_reach(reach[n, e], way, rest[a, e] + rest[b, e], length, place)
    clear_bins(bins, length, way)
    points_on_mesh(
        point_root[a, e], root[b, e], double_sided[b, e], place, near, DEEP * shortest,
        points, point_normals, limits, vertices, triangles, normals, lows, highs, firsts, counts, bins,
    )  # fmt: skip
    mesh_in_field(
        root[b, e], place, box, near, distances, dims, grid,
        vertices, triangles, across_vertices, normals, lows, highs, firsts, counts, bins,
    )  # fmt: skip
    found = bins_to_patch(bins, patch, length)
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
                position[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + 3 + j]
