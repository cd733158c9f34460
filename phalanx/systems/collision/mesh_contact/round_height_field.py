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
from phalanx.components.shape import (
    CAPSULE,
    HEIGHT_FIELD,
    ShapeBounds,
    ShapeGeometry,
    ShapeMotion,
    ShapePose,
    ShapeTopology,
    is_round,
)
from phalanx.ecs import function, local, local_int, read, rows, system, update
from phalanx.systems.collision.mesh_contact.grid import (
    beside,
    cell_of,
    gather_grid_triangle,
    grid_normal,
    judge_grid_normal,
)
from phalanx.systems.collision.mesh_contact.meeting import (
    MOTION,
    PASSES,
    add_row,
    begin_motion,
    finish_patches,
    guard_triangle,
    in_mesh,
    meet_round,
    origin_in_mesh,
)
from phalanx.systems.collision.mesh_contact.patch import PATCH
from phalanx.systems.collision.mesh_contact.regions import FACE, NOT
from phalanx.systems.collision.mesh_contact.round_triangle import ROUND, round_triangle
from phalanx.systems.collision.narrow.impact import MOVED, WAY, begin_way


@function
def round_height_field(
    heights, base, nx, ny, dx, dy, cx, cy, cz, ux, uy, uz, half, radius, reach, way, moved, motion, patch, passed,
    guards, counts,
):  # fmt: skip
    """Contact points of a sphere or capsule with centre c in the field's frame; axes of the field, about c.

    Args:
        way, moved, motion: see :mod:`~.meeting`.
        patch, passed, guards, counts: results and scratch, see :func:`~.meeting.finish_patches`.
    """
    corners = local(9)
    across = local(9)
    points = local(ROUND)
    near = radius + reach
    hx = math.fabs(ux) * half + near
    hy = math.fabs(uy) * half + near
    hz = math.fabs(uz) * half + near
    counts[0] = 0
    counts[1] = 0
    counts[2] = 0
    if beside(cx - hx, cx + hx, dx, nx) or beside(cy - hy, cy + hy, dy, ny):
        return
    for i in range(cell_of(cx - hx, dx, nx), cell_of(cx + hx, dx, nx) + 1):
        for j in range(cell_of(cy - hy, dy, ny), cell_of(cy + hy, dy, ny) + 1):
            for upper in range(2):
                bordered = gather_grid_triangle(heights, base, nx, ny, dx, dy, i, j, upper, cx, cy, cz, corners, across)
                if max(corners[2], max(corners[5], corners[8])) >= -hz:
                    mx, my, mz = grid_normal(corners)
                    level = -(mx * corners[0] + my * corners[1] + mz * corners[2])
                    if level >= 0.0 and level - half * math.fabs(mx * ux + my * uy + mz * uz) <= near:
                        if motion[7] > 0.0 and half > 0.0:
                            guard_triangle(way, motion, corners, mx, my, mz, guards, counts)
                        count = round_triangle(corners, mx, my, mz, ux, uy, uz, half, radius, reach, points)
                        time = 0.0
                        if count > 0:
                            time, count = meet_round(
                                way, moved, motion, corners, cx, cy, cz, mx, my, mz, ux, uy, uz, half, radius, reach,
                                points, count,
                            )  # fmt: skip
                            if time > 0.0 and time < PASSES:
                                x, y, z = origin_in_mesh(moved, cx, cy, cz, time)
                                gather_grid_triangle(
                                    heights, base, nx, ny, dx, dy, i, j, upper, x, y, z, corners, across
                                )
                        for o in range(0, 7 * count, 7):
                            answer = judge_grid_normal(
                                corners, across, bordered, heights, base, nx, ny, dx, dy, i, j, upper,
                                points[o + 3], points[o + 4], points[o + 5], mx, my, mz,
                            )  # fmt: skip
                            if answer < NOT:
                                face = answer == FACE
                                add_row(
                                    way, moved, motion, time, 1, points[o], points[o + 1], points[o + 2],
                                    mx if face else points[o + 3],
                                    my if face else points[o + 4],
                                    mz if face else points[o + 5],
                                    points[o + 6], patch, passed, counts, radius + half,
                                )  # fmt: skip
    finish_patches(motion, patch, passed, guards, counts, radius + half)


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
    way_length=read(CandidatePair.way),
    kind=read(ShapeTopology.kind),
    first_sample=read(MeshTopology.first_sample),
    samples=read(MeshTopology.samples),
    spacing=read(HeightFieldGeometry.spacing),
    size=read(ShapeGeometry.size),
    rest=read(ShapeGeometry.rest_offset),
    rotation=read(ShapePose.rotation),
    travel=read(ShapeBounds.travel),
    turned=read(ShapeMotion.turn),
    centre=read(ShapeMotion.centre),
    heights=read(HeightSampleValue.height),
    count=update(Manifold.count),
    passes=update(Manifold.passed),
    clearance=update(Manifold.clearance),
    position=update(ManifoldPointState.position),
    normal=update(ManifoldPointState.normal),
    separation=update(ManifoldPointState.separation),
):
    """Spheres and capsules with height fields."""
    if n >= used[0, e]:
        return
    a = pair_a[n, e]
    b = pair_b[n, e]
    if kind[b, e] != HEIGHT_FIELD or not is_round(kind[a, e]):
        return
    way = local(WAY)
    moved = local(MOVED)
    motion = local(MOTION)
    patch = local(PATCH)
    passed = local(PATCH)
    guards = local(PATCH)
    counts = local_int(3)
    for i in range(3):
        way[i], way[9 + i] = turned[a, i, e], turned[b, i, e]
        way[3 + i], way[12 + i] = centre[a, i, e], centre[b, i, e]
        way[6 + i], way[15 + i] = travel[a, i, e], travel[b, i, e]
        moved[18 + i] = between[n, i, e]
    for i in range(9):
        moved[i] = rotation[a, i, e]
        moved[9 + i] = rotation[b, i, e]
    begin_way(way, moved)
    cx, cy, cz = in_mesh(moved, -moved[18], -moved[19], -moved[20])
    ux, uy, uz = in_mesh(moved, moved[2], moved[5], moved[8])
    radius, half = size[a, 0, e], size[a, 1, e] if kind[a, e] == CAPSULE else 0.0
    begin_motion(motion, way, rest[a, e] + rest[b, e], radius + half, radius, way_length[n, e])
    round_height_field(
        heights, first_sample[b, e], samples[b, 0, e], samples[b, 1, e], spacing[b, 0, e], spacing[b, 1, e],
        cx, cy, cz, ux, uy, uz, half, radius, reach[n, e], way, moved, motion, patch, passed, guards, counts,
    )  # fmt: skip
    per_pair = slots // candidates
    found = min(counts[0] + counts[1], per_pair)
    count[n, e] = found
    passes[n, e] = max(found - counts[0], 0)
    clearance[n, e] = motion[4]
    for p in range(found):
        slot = n * per_pair + p
        separation[slot, e] = patch[8 * p + 6]
        for i in range(3):
            position[slot, i, e] = 0.0
            normal[slot, i, e] = 0.0
            for j in range(3):
                position[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + j]
                normal[slot, i, e] += rotation[b, 3 * i + j, e] * patch[8 * p + 3 + j]
