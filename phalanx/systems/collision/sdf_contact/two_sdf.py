"""Two meshes that have signed distance fields: points of each in the other's field."""

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
from phalanx.components.shape import SDF, ShapeGeometry, ShapePose, ShapeTopology
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.tree import STACK
from phalanx.systems.collision.sdf_contact.bins import BINS, add_to_bins, bins_to_patch, clear_bins, useful_reach
from phalanx.systems.collision.sdf_contact.field import DIMS, GRID, field_at, field_bound
from phalanx.systems.collision.sdf_contact.solids import PLACE


@function
def points_in_field(
    root, side, place, reach, distances, dims, grid, points, point_normals, limits,
    node_lows, node_highs, node_firsts, node_counts, bins,
):  # fmt: skip
    """Look up the points of a mesh's surface in another one's field.

    Args:
        side: 0 if the field is b's, 1 if it is a's; what is found is in the axes and about the origin of b.
        place: row-major rotation from the field's axes to those of the points; the points' origin in the field's frame.
    """
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
        for s in range(-1, count):  # first the middle of the node's box
            p = first + s
            x = 0.5 * (node_lows[node, 0, 0] + node_highs[node, 0, 0]) if s < 0 else points[p, 0, 0]
            y = 0.5 * (node_lows[node, 1, 0] + node_highs[node, 1, 0]) if s < 0 else points[p, 1, 0]
            z = 0.5 * (node_lows[node, 2, 0] + node_highs[node, 2, 0]) if s < 0 else points[p, 2, 0]
            u = place[9] + place[0] * x + place[3] * y + place[6] * z
            v = place[10] + place[1] * x + place[4] * y + place[7] * z
            w = place[11] + place[2] * x + place[5] * y + place[8] * z
            if s < 0:
                if not field_bound(distances, dims, grid, u, v, w) <= reach + math.sqrt(square):
                    break
                if count == 0 and top + 2 <= STACK:
                    pending[top] = first + 1
                    pending[top + 1] = first
                    top += 2
            else:
                distance, nx, ny, nz = field_at(distances, dims, grid, u, v, w)
                if distance <= reach:
                    mx = place[0] * nx + place[1] * ny + place[2] * nz
                    my = place[3] * nx + place[4] * ny + place[5] * nz
                    mz = place[6] * nx + place[7] * ny + place[8] * nz
                    facing = mx * point_normals[p, 0, 0] + my * point_normals[p, 1, 0] + mz * point_normals[p, 2, 0]
                    if facing <= limits[p, 0]:
                        nx = nx if side == 0 else -mx
                        ny = ny if side == 0 else -my
                        nz = nz if side == 0 else -mz
                        half = 0.5 * distance if side == 0 else -0.5 * distance
                        x = (u if side == 0 else x) - half * nx
                        y = (v if side == 0 else y) - half * ny
                        z = (w if side == 0 else z) - half * nz
                        add_to_bins(bins, x, y, z, nx, ny, nz, distance)


@system(over=Candidate, phase="collide", used="used")
def collide_two_sdf(
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
    node_lows=read(MeshNodeBox.low),
    node_highs=read(MeshNodeBox.high),
    node_firsts=read(MeshNodeBox.first),
    node_counts=read(MeshNodeBox.count),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Meshes that have distance fields with each other."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[a, e] != SDF or kind[b, e] != SDF:
        return
    dims = local_int(DIMS)
    place = local(PLACE)
    grid = local(GRID)
    bins = local(BINS)
    patch = local(PATCH)
    one = 0.0
    other = 0.0
    for i in range(3):
        one += (high[a, i, e] - low[a, i, e]) * (high[a, i, e] - low[a, i, e])
        other += (high[b, i, e] - low[b, i, e]) * (high[b, i, e] - low[b, i, e])
    length = 0.5 * math.sqrt(min(one, other))
    way = reach[n, e] - margin[a, e] - margin[b, e]
    clear_bins(bins, length, way)
    for side in range(2):
        of = b if side == 0 else a  # whose field it is
        to = a if side == 0 else b
        sign = -1.0 if side == 0 else 1.0
        dims[0] = first_sample[of, e]
        grid[3] = cell[of, e]
        for i in range(3):
            dims[1 + i] = samples[of, i, e]
            grid[i] = corner[of, i, e]
            place[9 + i] = 0.0
            for j in range(3):
                place[9 + i] += sign * rotation[of, 3 * j + i, e] * between[n, j, e]
                place[3 * i + j] = 0.0
                for k in range(3):
                    place[3 * i + j] += rotation[to, 3 * k + i, e] * rotation[of, 3 * k + j, e]
        near = useful_reach(reach[n, e], way, rest[a, e] + rest[b, e], length, place)
        points_in_field(
            root[to, e], side, place, near, distances, dims, grid, points, point_normals, limits,
            node_lows, node_highs, node_firsts, node_counts, bins,
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
