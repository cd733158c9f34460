"""From signed distance to contact points: the general convex pair.

``out``, a scratch array of 19 numbers, takes the result, in the frame of shape a: the unit normal (from b to a), then
x, y, z (midway between the surfaces) and separation of each of up to four points.
"""

from phalanx.components.shape import SPHERE
from phalanx.ecs import function, local
from phalanx.systems.collision.narrow.contact_points import clip_manifold, feature_out_of_b
from phalanx.systems.collision.narrow.distance import signed_distance
from phalanx.systems.collision.narrow.features import FEATURE, MOST_CORNERS, find_feature
from phalanx.systems.collision.narrow.gjk import SIMPLEX
from phalanx.systems.collision.narrow.support import core_radius, into_b, precision, rough_size, separation_along

OUT = 19
"""Numbers in ``out``."""

SAME_DEPTH = 3e-5
"""Depths that differ by less than this, relative to the size of the smaller shape, are the same."""


@function
def collide_convex_pair(
    pair, forms, reach, known, found, normals, first_corners, end_corners, corner_vertices, vertices, out
):  # fmt: skip
    """Contact points of any two convex shapes.

    Args:
        pair, forms: the shapes, see :mod:`phalanx.systems.collision.narrow.support`; only read.
        reach: points farther apart than this (m) are left out.
        known: whether ``found[0:3]`` is the normal to take.
        found: scratch of 6 numbers.
        normals, first_corners, end_corners: HullFacePlane.normal, .first_corner, .end_corner.
        corner_vertices: HullCornerVertex.vertex.
        vertices: HullVertexPosition.position.
        out: result, ``OUT`` numbers.

    Returns:
        number of points, 0 to 4.
    """
    point = local(6)
    simplex = local(SIMPLEX)
    if known:
        distance = separation_along(pair, forms, vertices, point, found[0], found[1], found[2])
        distance -= core_radius(forms[0], pair[12]) + core_radius(forms[5], pair[15])
        for k in range(3):
            found[3 + k] = point[3 + k]
    else:
        distance = signed_distance(pair, forms, vertices, simplex, point, reach, found)
    if not distance <= reach:
        return 0
    return build_manifold(
        pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, found, point, distance, 4,
        out,
    )  # fmt: skip


@function
def build_manifold(
    pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, found, point, distance, most,
    out,
):  # fmt: skip
    """Contact points given normal, witness (``found``) and signed distance, by clipping the supporting features.

    Where a face of b, or else of a, is all but perpendicular to the normal and its own normal is as good, that is
    taken: faces at rest on each other then have the same normal from step to step, without the noise of a search.

    Of more than ``most`` points four are chosen; ``out`` has room for 4 * ``most`` + 3 numbers.
    """
    feature_a = local(FEATURE)
    feature_b = local(FEATURE)
    nx = found[0]
    ny = found[1]
    nz = found[2]
    radius_a = core_radius(forms[0], pair[12])
    radius_b = core_radius(forms[5], pair[15])
    size = abs(pair[9]) + abs(pair[10]) + abs(pair[11]) + abs(found[3]) + abs(found[4]) + abs(found[5])
    near = precision() * size + SAME_DEPTH * min(
        rough_size(forms, 0, pair, 12, vertices), rough_size(forms, 5, pair, 15, vertices)
    )
    flat = False
    floor = distance
    count_a = 1
    count_b = 1
    if forms[0] != SPHERE and forms[5] != SPHERE:
        for side in range(2):
            of_a = side == 1
            sign = -1.0 if of_a else 1.0
            dx, dy, dz = into_b(pair, nx, ny, nz)
            dx = -nx if of_a else dx
            dy = -ny if of_a else dy
            dz = -nz if of_a else dz
            corners = find_feature(
                feature_a, forms, 0 if of_a else 5, pair, 12 if of_a else 15,
                normals, first_corners, end_corners, corner_vertices, vertices, dx, dy, dz,
            )  # fmt: skip
            if not of_a:
                feature_out_of_b(pair, feature_a, corners)
            if corners > 2 and not flat:
                mx = sign * feature_a[3 * MOST_CORNERS]
                my = sign * feature_a[3 * MOST_CORNERS + 1]
                mz = sign * feature_a[3 * MOST_CORNERS + 2]
                if nx * mx + ny * my + nz * mz > 0.99:
                    along = separation_along(pair, forms, vertices, point, mx, my, mz)
                    if along - radius_a - radius_b > distance - near:
                        nx = mx
                        ny = my
                        nz = mz
                        flat = True
                        floor = along - radius_a - radius_b
                        # A little lower than the search says is where a wide face leans on a far corner.
                        if along - radius_a - radius_b > distance:
                            distance = along - radius_a - radius_b
                            found[3] = point[3] - point[0] + along * mx if of_a else point[3]
                            found[4] = point[4] - point[1] + along * my if of_a else point[4]
                            found[5] = point[5] - point[2] + along * mz if of_a else point[5]
            if of_a:
                count_a = corners
            else:
                count_b = corners
                for k in range(FEATURE):
                    feature_b[k] = feature_a[k]
    count, _ = clip_manifold(
        feature_a, count_a, feature_b, count_b, nx, ny, nz, found[3], found[4], found[5], radius_a, radius_b,
        distance, floor, reach, near, most, out,
    )  # fmt: skip
    return count
