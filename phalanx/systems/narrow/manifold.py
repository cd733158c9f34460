"""From signed distance to contact points: the general convex pair.

``out``, a scratch array of 19 numbers, takes the result, in the frame of shape a: the unit normal (from b to a), then
x, y, z (midway between the surfaces) and separation of each of up to four points.
"""

from phalanx.components.shape import SPHERE, TRIANGLE
from phalanx.ecs import function, local, local_int
from phalanx.systems.narrow.clip import POINTS, clip_features
from phalanx.systems.narrow.distance import signed_distance
from phalanx.systems.narrow.features import FEATURE, MOST_CORNERS, find_feature
from phalanx.systems.narrow.gjk import SIMPLEX
from phalanx.systems.narrow.reduction import reduce_points
from phalanx.systems.narrow.support import FORMS, PAIR, core_radius, into_b, precision, separation_along
from phalanx.systems.narrow.vectors import perpendicular

OUT = 19
"""Numbers in ``out``."""


@function
def collide_convex_pair(pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, out):
    """Contact points of any two convex shapes.

    Args:
        pair, forms: the shapes, see :mod:`phalanx.systems.narrow.support`; only read.
        reach: points farther apart than this (m) are left out.
        normals, first_corners, end_corners: HullFacePlane.normal, .first_corner, .end_corner.
        corner_vertices: HullCornerVertex.vertex.
        vertices: HullVertexPosition.position.
        out: result, ``OUT`` numbers.

    Returns:
        number of points, 0 to 4.
    """
    found = local(6)
    point = local(6)
    simplex = local(SIMPLEX)
    distance = signed_distance(pair, forms, vertices, simplex, point, reach, found)
    if not distance <= reach:
        return 0
    return build_manifold(
        pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, found, point, distance, out
    )


@function
def collide_convex_triangle(
    kind, sx, sy, sz, first_vertex, end_vertex, first_face, end_face, corners, reach,
    normals, first_corners, end_corners, corner_vertices, vertices, out,
):  # fmt: skip
    """Contact points of a convex shape (a) and a triangle (b), which has two sides and no thickness.

    Args:
        kind, sx, sy, sz: of the convex shape: ShapeTopology.kind, ShapeGeometry.size.
        first_vertex, end_vertex, first_face, end_face: ShapeTopology's of a hull; anything for other kinds.
        corners: the triangle's corners in the frame of the convex shape, 9 numbers, m.
        reach: points farther apart than this (m) are left out.
        normals, first_corners, end_corners, corner_vertices, vertices: as for :func:`collide_convex_pair`.
        out: result, ``OUT`` numbers, in the frame of the convex shape; the normal points from the triangle to the shape
            on the way that separates them soonest, which may be either side of the triangle.

    Returns:
        number of points, 0 to 4.
    """
    pair = local(PAIR)
    forms = local_int(FORMS)
    for k in range(PAIR):
        pair[k] = corners[k - 18] if k >= 18 else (1.0 if k == 0 or k == 4 or k == 8 else 0.0)
    pair[12] = sx
    pair[13] = sy
    pair[14] = sz
    forms[0] = kind
    forms[1] = first_vertex
    forms[2] = end_vertex
    forms[3] = first_face
    forms[4] = end_face
    for k in range(5, FORMS):
        forms[k] = TRIANGLE
    return collide_convex_pair(pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, out)


@function
def build_manifold(
    pair, forms, reach, normals, first_corners, end_corners, corner_vertices, vertices, found, point, distance, out
):
    """Contact points given normal, witness (``found``) and signed distance, by clipping the supporting features."""
    feature_a = local(FEATURE)
    feature_b = local(FEATURE)
    points = local(POINTS)
    chosen = local_int(4)
    nx = found[0]
    ny = found[1]
    nz = found[2]
    radius_a = core_radius(forms[0], pair[12])
    radius_b = core_radius(forms[5], pair[15])
    size = abs(pair[9]) + abs(pair[10]) + abs(pair[11]) + abs(found[3]) + abs(found[4]) + abs(found[5])
    count_a = 1
    count_b = 1
    if forms[0] != SPHERE and forms[5] != SPHERE:
        for side in range(2):
            of_a = side == 0
            sign = -1.0 if of_a else 1.0
            dx, dy, dz = into_b(pair, nx, ny, nz)
            dx = -nx if of_a else dx
            dy = -ny if of_a else dy
            dz = -nz if of_a else dz
            corners = find_feature(
                feature_b, forms, 0 if of_a else 5, pair, 12 if of_a else 15,
                normals, first_corners, end_corners, corner_vertices, vertices, dx, dy, dz,
            )  # fmt: skip
            if not of_a:
                for k in range(corners):
                    move_out_of_b(pair, feature_b, 3 * k, 1.0)
                if corners > 2:
                    move_out_of_b(pair, feature_b, 3 * MOST_CORNERS, 0.0)
            if corners > 2:  # a face that the normal is all but perpendicular to gives the exact normal
                mx = sign * feature_b[3 * MOST_CORNERS]
                my = sign * feature_b[3 * MOST_CORNERS + 1]
                mz = sign * feature_b[3 * MOST_CORNERS + 2]
                if nx * mx + ny * my + nz * mz > 0.99:
                    along = separation_along(pair, forms, vertices, point, mx, my, mz) - radius_a - radius_b
                    if along > distance - 10.0 * precision() * size:
                        nx = mx
                        ny = my
                        nz = mz
            if of_a:
                count_a = corners
                for k in range(FEATURE):
                    feature_a[k] = feature_b[k]
            else:
                count_b = corners
    ux, uy, uz = perpendicular(nx, ny, nz)
    vx = ny * uz - nz * uy
    vy = nz * ux - nx * uz
    vz = nx * uy - ny * ux
    into_contact(feature_a, count_a, ux, uy, uz, vx, vy, vz, nx, ny, nz)
    into_contact(feature_b, count_b, ux, uy, uz, vx, vy, vz, nx, ny, nz)
    clipped = clip_features(feature_a, count_a, feature_b, count_b, points)
    near = 10.0 * precision() * size
    closest = reach
    count = 0
    for k in range(clipped):
        separation = max(points[4 * k + 3] - radius_a - radius_b, distance)
        if separation <= reach:
            closest = min(closest, separation)
            points[4 * count] = points[4 * k]
            points[4 * count + 1] = points[4 * k + 1]
            points[4 * count + 2] = points[4 * k + 2] + 0.5 * (radius_b - radius_a)
            points[4 * count + 3] = separation
            count += 1
    if count == 0 or closest > distance + near:
        points[4 * count] = ux * found[3] + uy * found[4] + uz * found[5]
        points[4 * count + 1] = vx * found[3] + vy * found[4] + vz * found[5]
        points[4 * count + 2] = nx * found[3] + ny * found[4] + nz * found[5] - radius_a - 0.5 * distance
        points[4 * count + 3] = distance
        count += 1
    count = reduce_points(points, count, near, chosen)
    out[0] = nx
    out[1] = ny
    out[2] = nz
    for k in range(count):
        x = points[4 * chosen[k]]
        y = points[4 * chosen[k] + 1]
        z = points[4 * chosen[k] + 2]
        out[4 * k + 3] = x * ux + y * vx + z * nx
        out[4 * k + 4] = x * uy + y * vy + z * ny
        out[4 * k + 5] = x * uz + y * vz + z * nz
        out[4 * k + 6] = points[4 * chosen[k] + 3]
    return count


@function
def move_out_of_b(pair, feature, at, shift):
    """A corner (shift 1) or direction (shift 0) from the frame of b to that of a, in place."""
    x = feature[at]
    y = feature[at + 1]
    z = feature[at + 2]
    feature[at] = shift * pair[9] + pair[0] * x + pair[1] * y + pair[2] * z
    feature[at + 1] = shift * pair[10] + pair[3] * x + pair[4] * y + pair[5] * z
    feature[at + 2] = shift * pair[11] + pair[6] * x + pair[7] * y + pair[8] * z


@function
def into_contact(feature, corners, ux, uy, uz, vx, vy, vz, nx, ny, nz):
    """Corners and normal of a feature from the frame of a to the axes u, v, n, in place."""
    for k in range(corners if corners < 3 else corners + 1):
        at = 3 * k if k < corners else 3 * MOST_CORNERS
        x = feature[at]
        y = feature[at + 1]
        z = feature[at + 2]
        feature[at] = ux * x + uy * y + uz * z
        feature[at + 1] = vx * x + vy * y + vz * z
        feature[at + 2] = nx * x + ny * y + nz * z
