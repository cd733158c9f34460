"""A few contact points, chosen one by one from many: those that span the patch, and the deepest."""

import math

from phalanx.ecs import function

MOST = 8
"""Points of a pair."""

PATCH = 117
"""Numbers in a patch: position (from the origin of shape a), normal, separation, rank of up to ``MOST`` + 1 points;
then how far each point is from those before it, squared, as :func:`add_point` compares them; then the level of each."""

_APART = 72
_LEVELS = 108
"""Where the latter two begin."""

_MERGE = 4e-3
_DEPTH = 20.0
_BETWEEN = 2e-3
_SHALLOWER = 1e-4
_LEVEL = 1e-5


@function
def add_point(patch, count, x, y, z, nx, ny, nz, separation, level, size):
    """Put a point into a patch; from a full one the point that is missed least goes.

    That is one of the two that are most alike in place and normal: the one nearer to the shape's origin, unless the
    other is clearly less deep. So the corners of a face stay, and the same points are chosen from step to step.

    Args:
        level: the separation that the substep's motion would lead to, which says how deep a point is among others.
        size: length of the shape, which differences of normals are scaled with.

    Returns:
        the new number of points.
    """
    o = 8 * count
    patch[o] = x
    patch[o + 1] = y
    patch[o + 2] = z
    patch[o + 3] = nx
    patch[o + 4] = ny
    patch[o + 5] = nz
    patch[o + 6] = separation
    rank = x * x + y * y + z * z
    patch[o + 7] = rank / size - _DEPTH * level
    patch[_LEVELS + count] = level
    for j in range(count):
        patch[pair_at(count, j)] = unlike(patch, count, j, size)
    count += 1
    merge = _MERGE * size
    one, other, apart = most_alike(patch, count)
    if count <= MOST and not apart < merge * merge:
        return count
    drop = one if patch[8 * one + 7] < patch[8 * other + 7] else other
    if abs(patch[_LEVELS + one] - patch[_LEVELS + other]) > _LEVEL * size:  # or noise would decide
        deeper = one if patch[_LEVELS + one] < patch[_LEVELS + other] else other
        deepest = True
        for k in range(count):
            deepest = deepest and patch[_LEVELS + deeper] <= patch[_LEVELS + k]
        if deepest and drop == deeper:
            drop = one + other - deeper
    count -= 1
    for k in range(8):
        patch[8 * drop + k] = patch[8 * count + k]
    patch[_LEVELS + drop] = patch[_LEVELS + count]
    for j in range(count):
        if j != drop:
            patch[pair_at(max(j, drop), min(j, drop))] = patch[pair_at(count, j)]
    return count


@function
def pair_at(i, j):
    """Where a patch has how far point i is from the earlier point j."""
    return _APART + ((i * (i - 1)) >> 1) + j


@function
def unlike(patch, i, j, size):
    """How far two points are apart in place and normal, squared."""
    apart = 0.0
    for k in range(3):
        place = patch[8 * i + k] - patch[8 * j + k]
        turn = size * (patch[8 * i + 3 + k] - patch[8 * j + 3 + k])
        apart += place * place + turn * turn
    return apart


@function
def most_alike(patch, count):
    """The two points that are most alike, and how far they are apart, squared."""
    one = 0
    other = 0
    least = 3.0e38
    for i in range(1, count):
        for j in range(i):
            apart = patch[pair_at(i, j)]
            if apart < least:
                least = apart
                one = j
                other = i
    return one, other, least


@function
def thin_patch(patch, count, size):
    """Drop the points that lie between others of the same normal and are no deeper: the others carry what they would.

    Returns:
        how many are left.
    """
    i = 0
    while i < count:
        if count > 2 and lies_between(patch, count, i, size):
            count -= 1
            for k in range(8):
                patch[8 * i + k] = patch[8 * count + k]
        else:
            i += 1
    return count


@function
def lies_between(patch, count, i, size):
    """Whether a point lies in a triangle, or on a line, of others with the same normal, and no deeper than those.

    Most do not, and are told by a direction along which all of those are behind the point, or by their depths.
    """
    slack = _BETWEEN * size
    x = patch[8 * i]
    y = patch[8 * i + 1]
    z = patch[8 * i + 2]
    nx = patch[8 * i + 3]
    ny = patch[8 * i + 4]
    nz = patch[8 * i + 5]
    others = 0
    among = 0
    sx = 0.0
    sy = 0.0
    sz = 0.0
    lowest = patch[8 * i + 6]
    for j in range(count):
        if j != i and alike(patch, i, j):
            lowest = patch[8 * j + 6] if among == 0 else min(lowest, patch[8 * j + 6])
            others += 1 << j
            among += 1
            sx += patch[8 * j] - x
            sy += patch[8 * j + 1] - y
            sz += patch[8 * j + 2] - z
    if among < 2 or patch[8 * i + 6] < lowest - 2.0 * _SHALLOWER * size:
        return False
    out = sx * nx + sy * ny + sz * nz
    sx -= out * nx
    sy -= out * ny
    sz -= out * nz
    bound = slack * math.sqrt(sx * sx + sy * sy + sz * sz)
    behind = True
    for j in range(count):
        if (others >> j) & 1 == 1:
            along = sx * (patch[8 * j] - x) + sy * (patch[8 * j + 1] - y) + sz * (patch[8 * j + 2] - z)
            behind = behind and along > bound
    if behind:
        return False
    for j in range(count):
        for k in range(j):
            if (others >> j) & (others >> k) & 1 == 1:
                ax = patch[8 * j] - patch[8 * k]
                ay = patch[8 * j + 1] - patch[8 * k + 1]
                az = patch[8 * j + 2] - patch[8 * k + 2]
                px = x - patch[8 * k]
                py = y - patch[8 * k + 1]
                pz = z - patch[8 * k + 2]
                aa = ax * ax + ay * ay + az * az
                for m in range(k + 1):  # m == k: the line from j to k
                    if (others >> m) & 1 == 1:
                        bx = ny * az - nz * ay
                        by = nz * ax - nx * az
                        bz = nx * ay - ny * ax
                        if m < k:
                            bx = patch[8 * m] - patch[8 * k]
                            by = patch[8 * m + 1] - patch[8 * k + 1]
                            bz = patch[8 * m + 2] - patch[8 * k + 2]
                        area = nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
                        if area * area > 1e-4 * slack * slack * aa:
                            u = (nx * (py * bz - pz * by) + ny * (pz * bx - px * bz) + nz * (px * by - py * bx)) / area
                            v = (nx * (ay * pz - az * py) + ny * (az * px - ax * pz) + nz * (ax * py - ay * px)) / area
                            w = v if m < k else 0.0
                            inside = u >= 0.0 and w >= 0.0 and u + w <= 1.0
                            if m == k:
                                inside = inside and v * v * aa <= slack * slack
                            level = (1.0 - u - w) * patch[8 * k + 6] + u * patch[8 * j + 6] + w * patch[8 * m + 6]
                            if inside and patch[8 * i + 6] >= level - _SHALLOWER * size:
                                return True
    return False


@function
def alike(patch, i, j):
    """Whether two points have the same normal."""
    along = patch[8 * i + 3] * patch[8 * j + 3] + patch[8 * i + 4] * patch[8 * j + 4]
    return along + patch[8 * i + 5] * patch[8 * j + 5] > 0.9999
