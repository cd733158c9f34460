"""Boxes, cylinders, cones and hulls with height fields."""

import math

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
    CAPSULE,
    HEIGHT_FIELD,
    HULL,
    TRIANGLE,
    HullCornerVertex,
    HullFacePlane,
    HullVertexPosition,
    ShapeGeometry,
    ShapePose,
    ShapeTopology,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.convex_triangle import add_triangle, nearest_normal
from phalanx.systems.collision.mesh_contact.grid import (
    beside,
    cell_of,
    gather_grid_triangle,
    grid_normal,
    judge_grid_normal,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH, thin_patch
from phalanx.systems.collision.mesh_contact.regions import is_beside, lowest_point
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.collision.narrow.pose import inverse_turn
from phalanx.systems.collision.narrow.support import FORMS, PAIR


@function
def convex_height_field(
    heights, base, nx, ny, dx, dy, cx, cy, cz, half, middle, turn, pair, forms, reach,
    vertices, hull_normals, first_corners, end_corners, hull_corners, patch,
):  # fmt: skip
    """Contact points of a convex shape with its origin at c in the field's frame; axes of the shape, about c.

    Args:
        half, middle: half lengths and middle (about c) of the shape's bounding box along its own axes.
        turn: row-major rotation from the field's axes to the shape's.
    """
    corners = local(9)
    across = local(9)
    found = local(6)
    point = local(6)
    simplex = local(SIMPLEX)
    box = local(6)
    size = math.sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2])
    for i in range(3):
        box[i] = 0.0
        box[3 + i] = reach
        for j in range(3):
            box[i] += turn[3 * j + i] * middle[j]
            box[3 + i] += math.fabs(turn[3 * j + i]) * half[j]
    count = 0
    lx = cx + box[0] - box[3]
    hx = cx + box[0] + box[3]
    ly = cy + box[1] - box[4]
    hy = cy + box[1] + box[4]
    if beside(lx, hx, dx, nx) or beside(ly, hy, dy, ny):
        return 0
    for i in range(cell_of(lx, dx, nx), cell_of(hx, dx, nx) + 1):
        for j in range(cell_of(ly, dy, ny), cell_of(hy, dy, ny) + 1):
            for upper in range(2):
                bordered = gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners, across)
                if max(corners[2], max(corners[5], corners[8])) >= box[2] - box[5]:
                    mx, my, mz = grid_normal(corners)
                    level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
                    near = level >= 0.0 and lowest_point(turn, half, middle, mx, my, mz) + level <= reach
                    if near and not is_beside(turn, half, middle, corners, reach):
                        distance = nearest_normal(pair, forms, vertices, turn, corners, simplex, point, reach, found)
                        if distance <= reach:
                            px = turn[0] * found[0] + turn[3] * found[1] + turn[6] * found[2]
                            py = turn[1] * found[0] + turn[4] * found[1] + turn[7] * found[2]
                            pz = turn[2] * found[0] + turn[5] * found[1] + turn[8] * found[2]
                            answer = judge_grid_normal(
                                corners, across, bordered, heights, base, nx, ny, dx, dy, i, j, upper,
                                px, py, pz, mx, my, mz,
                            )  # fmt: skip
                            count = add_triangle(
                                pair, forms, vertices, turn, point, reach, found, distance, answer, mx, my, mz,
                                hull_normals, first_corners, end_corners, hull_corners, patch, count, size,
                            )  # fmt: skip
    return thin_patch(patch, count, size)


@system(over=Candidate, phase="collide", used="used")
def collide_convex_with_height_field(
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
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    size=read(ShapeGeometry.size),
    low=read(ShapeGeometry.low),
    high=read(ShapeGeometry.high),
    rotation=read(ShapePose.rotation),
    vertices=read(HullVertexPosition.position),
    hull_normals=read(HullFacePlane.normal),
    first_corners=read(HullFacePlane.first_corner),
    end_corners=read(HullFacePlane.end_corner),
    hull_corners=read(HullCornerVertex.vertex),
    heights=read(HeightSampleValue.height),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Boxes, cylinders, cones and hulls with height fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != HEIGHT_FIELD or kind[a, e] <= CAPSULE or kind[a, e] > HULL:
        return
    pair = local(PAIR)
    forms = local_int(FORMS)
    half = local(3)
    middle = local(3)
    turn = local(9)
    patch = local(PATCH)
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
            turn[3 * i + j] = 0.0
            for k in range(3):
                turn[3 * i + j] += rotation[a, 3 * k + i, e] * rotation[b, 3 * k + j, e]
    cx, cy, cz = inverse_turn(
        rotation[b, 0, e], rotation[b, 1, e], rotation[b, 2, e],
        rotation[b, 3, e], rotation[b, 4, e], rotation[b, 5, e],
        rotation[b, 6, e], rotation[b, 7, e], rotation[b, 8, e],
        -between[n, 0, e], -between[n, 1, e], -between[n, 2, e],
    )  # fmt: skip
    found = convex_height_field(
        heights, first_sample[b, e], samples[b, 0, e], samples[b, 1, e], spacing[b, 0, e], spacing[b, 1, e],
        cx, cy, cz, half, middle, turn, pair, forms, reach[n, e],
        vertices, hull_normals, first_corners, end_corners, hull_corners, patch,
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
                position[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[a, 3 * i + j, e] * patch[8 * p + 3 + j]
