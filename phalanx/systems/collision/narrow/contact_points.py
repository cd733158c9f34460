"""From the supporting features of two shapes and a normal to contact points."""

import math

from phalanx.ecs import function, local, local_int
from phalanx.systems.collision.narrow.clip import POINTS, clip_features
from phalanx.systems.collision.narrow.features import MOST_CORNERS
from phalanx.systems.collision.narrow.reduction import reduce_points
from phalanx.systems.collision.narrow.vectors import perpendicular


@function
def clip_manifold(
    feature_a,
    count_a,
    feature_b,
    count_b,
    nx,
    ny,
    nz,
    px,
    py,
    pz,
    radius_a,
    radius_b,
    distance,
    floor,
    reach,
    near,
    most,
    out,
):
    """Contact points of two features, clipped against each other along the normal.

    Args:
        feature_a, feature_b: corners and normals (:mod:`phalanx.systems.collision.narrow.features`) in the frame of a;
            overwritten.
        count_a, count_b: numbers of corners.
        n: unit normal from b to a.
        p: the nearest point of core a; a contact point where the clipped ones are not as deep as it.
        distance: signed distance of the shapes, m: how deep the nearest point is.
        floor: separation of the shapes along n, m: no clipped point is deeper.
        reach: points farther apart than this (m) are left out.
        near: depths that differ by less (m) are the same.
        most: of more points four are chosen.
        out: result: normal, then x, y, z (midway between the surfaces) and separation of each point; 3 + 4 ``most``
            numbers, frame of a.

    Returns:
        number of points, and the least separation of the clipped ones (infinite if there are none).
    """
    points = local(POINTS)
    chosen = local_int(4)
    ux, uy, uz = perpendicular(nx, ny, nz)
    vx = ny * uz - nz * uy
    vy = nz * ux - nx * uz
    vz = nx * uy - ny * ux
    into_contact(feature_a, count_a, ux, uy, uz, vx, vy, vz, nx, ny, nz)
    into_contact(feature_b, count_b, ux, uy, uz, vx, vy, vz, nx, ny, nz)
    clipped = clip_features(feature_a, count_a, feature_b, count_b, points)
    closest = reach
    count = 0
    for k in range(clipped):
        separation = max(points[4 * k + 3] - radius_a - radius_b, floor)
        if separation <= reach:
            closest = min(closest, separation)
            at = twin(points, count, points[4 * k], points[4 * k + 1], 10.0 * near)
            if at == count or separation < points[4 * at + 3]:
                points[4 * at] = points[4 * k]
                points[4 * at + 1] = points[4 * k + 1]
                points[4 * at + 2] = points[4 * k + 2] + 0.5 * (radius_b - radius_a)
                points[4 * at + 3] = separation
            count = max(count, at + 1)
    if count == 0 or closest > distance + near:
        points[4 * count] = ux * px + uy * py + uz * pz
        points[4 * count + 1] = vx * px + vy * py + vz * pz
        points[4 * count + 2] = nx * px + ny * py + nz * pz - radius_a - 0.5 * distance
        points[4 * count + 3] = distance
        count += 1
    elif count < 3 and closest > distance:  # rounding of n says where lines cross at a small angle, and how deep
        for k in range(count):
            points[4 * k + 3] -= closest - distance
    whole = count <= most and most > 4
    if not whole:
        count = reduce_points(points, count, 3.0 * near, chosen)
    out[0] = nx
    out[1] = ny
    out[2] = nz
    for k in range(count):
        p = 4 * (k if whole else chosen[k])
        x = points[p]
        y = points[p + 1]
        z = points[p + 2]
        out[4 * k + 3] = x * ux + y * vx + z * nx
        out[4 * k + 4] = x * uy + y * vy + z * ny
        out[4 * k + 5] = x * uz + y * vz + z * nz
        out[4 * k + 6] = points[p + 3]
    return count, closest


@function
def twin(points, count, x, y, tolerance):
    """Number of the first point that is at x, y to within ``tolerance`` (m); ``count`` if there is none."""
    for k in range(count):
        if math.fabs(points[4 * k] - x) < tolerance and math.fabs(points[4 * k + 1] - y) < tolerance:
            return k
    return count


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


@function
def feature_out_of_b(pair, feature, corners):
    """A feature from the frame of b to that of a, in place."""
    for k in range(corners if corners < 3 else corners + 1):
        at = 3 * k if k < corners else 3 * MOST_CORNERS
        shift = 1.0 if k < corners else 0.0
        x = feature[at]
        y = feature[at + 1]
        z = feature[at + 2]
        feature[at] = shift * pair[9] + pair[0] * x + pair[1] * y + pair[2] * z
        feature[at + 1] = shift * pair[10] + pair[3] * x + pair[4] * y + pair[5] * z
        feature[at + 2] = shift * pair[11] + pair[6] * x + pair[7] * y + pair[8] * z
