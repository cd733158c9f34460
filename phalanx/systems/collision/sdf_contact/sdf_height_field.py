"""Meshes that have signed distance fields with height fields."""

import math

from phalanx.components.mesh import HeightFieldGeometry, HeightSampleValue, MeshNodeBox, MeshTopology
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
from phalanx.components.shape import HEIGHT_FIELD, SDF, ShapeGeometry, ShapePose, ShapeTopology
from phalanx.ecs import function, local, local_int, read, real, rows, system, update
from phalanx.systems.collision.mesh_contact.grid import beside, cell_of, gather_grid_triangle, grid_normal
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.collision.sdf_contact.bins import BINS, add_to_bins, bins_to_patch, clear_bins, useful_reach
from phalanx.systems.collision.sdf_contact.edges import edges_in_field
from phalanx.systems.collision.sdf_contact.field import DIMS, GRID
from phalanx.systems.collision.sdf_contact.sdf_mesh import turn_corner
from phalanx.systems.collision.sdf_contact.solids import PLACE


@function
def points_on_height_field(
    root, place, reach, most, points, point_normals, limits, lows, highs, firsts, counts,
    heights, first, nx, ny, dx, dy, bins,
):  # fmt: skip
    """Find how high the points of a surface lie over the triangles below them, in the surface's frame.

    Args:
        place: row-major rotation from the height field's axes to the surface's; the surface's origin in its frame.
        most: height of the highest sample, m.
    """
    pending = local_int(STACK)
    corners = local(9)
    across = local(9)
    pending[0] = root
    top = 1
    while top > 0:
        top -= 1
        node = pending[top]
        item = firsts[node, 0]
        count = counts[node, 0]
        lowest = place[11]
        for j in range(3):
            lowest += place[3 * j + 2] * 0.5 * (lows[node, j, 0] + highs[node, j, 0])
            lowest -= math.fabs(place[3 * j + 2]) * 0.5 * (highs[node, j, 0] - lows[node, j, 0])
        near = lowest <= most + reach
        if near and count == 0 and top + 2 <= STACK:
            pending[top] = item + 1
            pending[top + 1] = item
            top += 2
        for p in range(item, item + (count if near else 0)):
            px = points[p, 0, 0]
            py = points[p, 1, 0]
            pz = points[p, 2, 0]
            x = place[9] + place[0] * px + place[3] * py + place[6] * pz
            y = place[10] + place[1] * px + place[4] * py + place[7] * pz
            z = place[11] + place[2] * px + place[5] * py + place[8] * pz
            if z <= most + reach and not beside(x, x, dx, nx) and not beside(y, y, dy, ny):
                i = cell_of(x, dx, nx)
                j = cell_of(y, dy, ny)
                right = x / dx + 0.5 * real(nx - 1) - real(i)
                up = y / dy + 0.5 * real(ny - 1) - real(j)
                gather_grid_triangle(
                    heights, first, nx, ny, dx, dy, i, j, 1 if up > right else 0, x, y, z, corners, across
                )
                u, v, w = grid_normal(corners)
                distance = -(u * corners[0] + v * corners[1] + w * corners[2])
                mx = place[0] * u + place[1] * v + place[2] * w
                my = place[3] * u + place[4] * v + place[5] * w
                mz = place[6] * u + place[7] * v + place[8] * w
                facing = mx * point_normals[p, 0, 0] + my * point_normals[p, 1, 0] + mz * point_normals[p, 2, 0]
                if distance <= reach and facing <= limits[p, 0]:
                    half = 0.5 * distance
                    add_to_bins(bins, px - half * mx, py - half * my, pz - half * mz, mx, my, mz, distance)


@function
def height_field_in_field(
    place, box, reach, distances, dims, grid, heights, first, nx, ny, dx, dy, bins
):  # fmt: skip
    """Look up the edges of the triangles below or in a distance field, in its frame; ``box`` as for meshes."""
    corners = local(9)
    across = local(9)
    query = local(6)
    for i in range(3):
        query[i] = place[9 + i]
        query[3 + i] = reach
        for j in range(3):
            query[i] += place[3 * j + i] * box[j]
            query[3 + i] += math.fabs(place[3 * j + i]) * box[3 + j]
    first_i = cell_of(query[0] - query[3], dx, nx)
    last_i = cell_of(query[0] + query[3], dx, nx)
    first_j = cell_of(query[1] - query[4], dy, ny)
    last_j = cell_of(query[1] + query[4], dy, ny)
    if beside(query[0] - query[3], query[0] + query[3], dx, nx):
        last_i = first_i - 1
    if beside(query[1] - query[4], query[1] + query[4], dy, ny):
        last_j = first_j - 1
    for i in range(first_i, last_i + 1):
        for j in range(first_j, last_j + 1):
            for upper in range(2):
                bordered = gather_grid_triangle(
                    heights, first, nx, ny, dx, dy, i, j, upper, place[9], place[10], place[11], corners, across
                )
                highest = max(corners[2], max(corners[5], corners[8]))
                if place[11] + highest >= query[2] - query[5]:
                    u, v, w = grid_normal(corners)
                    for k in range(3):
                        turn_corner(place, corners, 3 * k)
                        turn_corner(place, across, 3 * k)
                    edges_in_field(
                        corners, across, bordered,
                        place[0] * u + place[1] * v + place[2] * w,
                        place[3] * u + place[4] * v + place[5] * w,
                        place[6] * u + place[7] * v + place[8] * w,
                        reach, distances, dims, grid, bins,
                    )  # fmt: skip


@system(over=Candidate, phase="collide", used="used")
def collide_sdf_with_height_field(
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
    first_height=read(MeshTopology.first_sample),
    height_counts=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    first_sample=read(DistanceFieldTopology.first_sample),
    samples=read(DistanceFieldTopology.samples),
    root=read(DistanceFieldTopology.root),
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
    heights=read(HeightSampleValue.height),
    lows=read(MeshNodeBox.low),
    highs=read(MeshNodeBox.high),
    firsts=read(MeshNodeBox.first),
    counts=read(MeshNodeBox.count),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Meshes that have distance fields with height fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != SDF or kind[b, e] != HEIGHT_FIELD:
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
    for i in range(3):
        dims[1 + i] = samples[a, i, e]
        grid[i] = corner[a, i, e]
        box[i] = 0.5 * (high[a, i, e] + low[a, i, e])
        box[3 + i] = 0.5 * (high[a, i, e] - low[a, i, e])
        square += box[3 + i] * box[3 + i]
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
    points_on_height_field(
        root[a, e], place, near, high[b, 2, e], points, point_normals, limits, lows, highs, firsts, counts,
        heights, first_height[b, e], height_counts[b, 0, e], height_counts[b, 1, e],
        spacing[b, 0, e], spacing[b, 1, e], bins,
    )  # fmt: skip
    height_field_in_field(
        place, box, near, distances, dims, grid,
        heights, first_height[b, e], height_counts[b, 0, e], height_counts[b, 1, e],
        spacing[b, 0, e], spacing[b, 1, e], bins,
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
