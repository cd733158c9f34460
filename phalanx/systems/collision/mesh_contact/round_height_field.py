"""Spheres and capsules with height fields."""

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
from phalanx.components.shape import CAPSULE, HEIGHT_FIELD, ShapeGeometry, ShapePose, ShapeTopology
from phalanx.ecs import function, local, read, rows, system, update
from phalanx.systems.collision.mesh_contact.grid import (
    beside,
    cell_of,
    gather_grid_triangle,
    grid_normal,
    judge_grid_normal,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH, add_point, thin_patch
from phalanx.systems.collision.mesh_contact.regions import FACE, NOT
from phalanx.systems.collision.mesh_contact.round_triangle import ROUND, round_triangle
from phalanx.systems.collision.narrow.pose import inverse_turn


@function
def round_height_field(heights, base, nx, ny, dx, dy, cx, cy, cz, ux, uy, uz, half, radius, reach, patch):
    """Contact points of a sphere or capsule with centre c in the field's frame; axes of the field, about c."""
    corners = local(9)
    across = local(9)
    points = local(ROUND)
    near = radius + reach
    hx = math.fabs(ux) * half + near
    hy = math.fabs(uy) * half + near
    hz = math.fabs(uz) * half + near
    found = 0
    if beside(cx - hx, cx + hx, dx, nx) or beside(cy - hy, cy + hy, dy, ny):
        return 0
    for i in range(cell_of(cx - hx, dx, nx), cell_of(cx + hx, dx, nx) + 1):
        for j in range(cell_of(cy - hy, dy, ny), cell_of(cy + hy, dy, ny) + 1):
            for upper in range(2):
                bordered = gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners, across)
                if max(corners[2], max(corners[5], corners[8])) >= -hz:
                    mx, my, mz = grid_normal(corners)
                    level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
                    if level >= 0.0 and level - half * math.fabs(mx * ux + my * uy + mz * uz) <= near:
                        count = round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points)
                        for o in range(0, 7 * count, 7):
                            answer = judge_grid_normal(
                                corners, across, bordered, heights, base, nx, ny, dx, dy, i, j, upper,
                                points[o + 3], points[o + 4], points[o + 5], mx, my, mz,
                            )  # fmt: skip
                            if answer < NOT:
                                face = answer == FACE
                                found = add_point(
                                    patch, found, points[o], points[o + 1], points[o + 2],
                                    mx if face else points[o + 3],
                                    my if face else points[o + 4],
                                    mz if face else points[o + 5],
                                    points[o + 6], radius + half,
                                )  # fmt: skip
    return thin_patch(patch, found, radius + half)


@system(over=Candidate, phase="collide", used="used")
def collide_round_with_height_field(
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
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    size=read(ShapeGeometry.size),
    rotation=read(ShapePose.rotation),
    heights=read(HeightSampleValue.height),
    count=update(Manifold.count),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres and capsules with height fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != HEIGHT_FIELD or kind[a, e] > CAPSULE:
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
    found = round_height_field(
        heights, first_sample[b, e], samples[b, 0, e], samples[b, 1, e], spacing[b, 0, e], spacing[b, 1, e],
        cx, cy, cz, ux, uy, uz,
        size[a, 1, e] if kind[a, e] == CAPSULE else 0.0, size[a, 0, e], reach[n, e], patch,
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
