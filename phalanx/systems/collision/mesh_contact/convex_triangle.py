"""Any convex shape against one triangle of a mesh or height field, by the general convex functions.

They know nothing of the triangle's neighbours: the way out that is shortest past a small triangle may lead along the
surface that it is part of. Where such a normal does not count, the triangle's own is taken instead, and then only the
contact points over the triangle; beside a sharp ridge, and where shape and triangle are apart, only those that are not
much deeper than the shortest way out: the others would be those of a shape that merely reaches over the ridge, or past
a corner of the triangle.
"""

from phalanx.ecs import function, local
from phalanx.systems.collision.mesh_contact.meeting import row_from_start
from phalanx.systems.collision.mesh_contact.regions import BEYOND, COUNTS, NOT
from phalanx.systems.collision.narrow.manifold import build_manifold
from phalanx.systems.collision.narrow.support import core_radius, separation_along

DEEPER = 4.0
"""How many times deeper than the shortest way out a point may be along the triangle's normal."""
SLOP = 1e-3
"""And by this part of the shape's size."""

MOST_CLIPPED = 12
"""Points of one triangle: all corners of the clipped face, so that the patch can keep those of the whole face."""
OUT_CLIPPED = 51
"""Numbers in the scratch array of them."""
ROWS = 108
"""Numbers in :func:`triangle_rows`, 9 a point."""


@function
def triangle_rows(
    pair, forms, vertices, turn, point, reach, found, distance, answer, mx, my, mz,
    normals, first_corners, end_corners, corner_vertices, way, moved, motion, t, size, rows,
):  # fmt: skip
    """Contact points of a triangle, about the shape's origin in its own axes.

    Args:
        found, distance: results of :func:`~.meeting.meet_convex`.
        answer: COUNTS, FACE, NOT or BEYOND.
        mx, my, mz: the triangle's normal in the mesh's axes.
        way, moved, motion, t, size: see :func:`~.meeting.row_from_start`.
        rows: what that gives, 9 numbers a point; 1 for what would act.

    Returns:
        how many points there are.
    """
    out = local(OUT_CLIPPED)
    nx = turn[0] * mx + turn[1] * my + turn[2] * mz
    ny = turn[3] * mx + turn[4] * my + turn[5] * mz
    nz = turn[6] * mx + turn[7] * my + turn[8] * mz
    deepest = min(distance, 0.0) * DEEPER - SLOP * size
    doubtful = answer >= BEYOND or (answer != COUNTS and distance > 0.0)
    if answer != COUNTS:
        distance = separation_along(pair, forms, vertices, point, nx, ny, nz) - core_radius(forms[0], pair[12])
        found[0] = nx
        found[1] = ny
        found[2] = nz
        for k in range(3):
            found[3 + k] = point[3 + k]
    count = 0
    if not distance <= reach:
        return count
    made = build_manifold(
        pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, found, point, distance,
        MOST_CLIPPED, out,
    )  # fmt: skip
    own = answer == COUNTS
    ux = out[0] if own else nx
    uy = out[1] if own else ny
    uz = out[2] if own else nz
    for o in range(3, 3 + 4 * made, 4):
        real_one = answer < NOT or lies_over(pair, out, o, nx, ny, nz, SLOP * size)
        if real_one and (not doubtful or out[o + 3] >= deepest):
            x, y, z, px, py, pz, gap, level, acts = row_from_start(
                way, moved, motion, t, 0, out[o], out[o + 1], out[o + 2], ux, uy, uz, out[o + 3], size
            )
            at = 9 * count
            rows[at] = x
            rows[at + 1] = y
            rows[at + 2] = z
            rows[at + 3] = px
            rows[at + 4] = py
            rows[at + 5] = pz
            rows[at + 6] = gap
            rows[at + 7] = level
            rows[at + 8] = 1.0 if acts else 0.0
            count += 1
    return count


@function
def lies_over(pair, out, o, nx, ny, nz, slack):
    """Whether a point lies between the planes upright on a triangle's edges, or less than ``slack`` outside."""
    inside = True
    x = out[o] - pair[9]
    y = out[o + 1] - pair[10]
    z = out[o + 2] - pair[11]
    turned = 0.0
    for k in range(3):
        i = 18 + 3 * k
        j = 18 + 3 * ((k + 1) % 3)
        ex = pair[j] - pair[i]
        ey = pair[j + 1] - pair[i + 1]
        ez = pair[j + 2] - pair[i + 2]
        qx = ey * nz - ez * ny
        qy = ez * nx - ex * nz
        qz = ex * ny - ey * nx
        if k == 0:  # the middle, where pair's corners are about, is inside
            turned = -1.0 if qx * pair[i] + qy * pair[i + 1] + qz * pair[i + 2] < 0.0 else 1.0
        away = turned * (qx * (x - pair[i]) + qy * (y - pair[i + 1]) + qz * (z - pair[i + 2]))
        if away > 0.0 and away * away > slack * slack * (ex * ex + ey * ey + ez * ez):
            inside = False
    return inside
