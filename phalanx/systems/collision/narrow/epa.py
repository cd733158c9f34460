"""Direction of least overlap of two convex cores, by expanding a polytope (van den Bergen 2001).

The polytope lies inside the set of differences of the cores, and grows by its farthest point along the normal of the
face nearest to the origin. It starts from a tetrahedron of extreme points that need not hold the origin: a face that
the origin is outside of has a negative distance and is the first to be expanded. So the method has no special cases
for touching shapes, and where the set of differences is flat it says so by its normal, the answer then.

Accuracy is not its task: what it finds is improved by
:func:`phalanx.systems.collision.narrow.distance.improve_direction`. For round shapes that overlap deeply the polytope
is full before it shows which of several directions is the best one, by up to some thousandths of the size; it then
gives two.
"""

import math

from phalanx.ecs import function, local, local_int
from phalanx.systems.collision.narrow.support import difference_support, precision
from phalanx.systems.collision.narrow.vectors import perpendicular, unit

MOST_POINTS = 44
MOST_FACES = 88
MOST_EDGES = 48
SAME_WAY = 0.97
"""Cosine of the angle between directions above which one may be improved to the other."""


@function
def expand_polytope(pair, forms, vertices, point, ways):
    """Unit normals (from b to a, in the frame of a) along which the cores overlap least, about.

    The one with the least overlap known; if the polytope is full also that of the nearest face that looks elsewhere.

    Args:
        point: scratch of 6 numbers.
        ways: result, 6 numbers: the normals.

    Returns:
        how many: 1, or 2 where the second may lead to less overlap.
    """
    w = local(3 * MOST_POINTS)
    planes = local(4 * MOST_FACES)
    faces = local_int(3 * MOST_FACES)
    edges = local_int(2 * MOST_EDGES)
    flat, x, y, z = first_tetrahedron(pair, forms, vertices, point, w)
    points = 4
    count = 0 if flat else 4
    for f in range(count):  # 0 3 1, 1 3 2, 2 3 0, 0 1 2
        base = f == 3
        add_face(w, faces, planes, f, 0 if base else f, 1 if base else 3, 2 if base else (f + 1) % 3)
    least = math.inf
    tolerance = 10.0 * precision()
    for _ in range(0 if flat else MOST_POINTS - 4):
        nearest = 0
        for f in range(1, count):
            if planes[4 * f + 3] < planes[4 * nearest + 3]:
                nearest = f
        if not planes[4 * nearest + 3] < math.inf:
            break
        nx = planes[4 * nearest]
        ny = planes[4 * nearest + 1]
        nz = planes[4 * nearest + 2]
        difference_support(pair, forms, vertices, point, nx, ny, nz)
        height = point[0] * nx + point[1] * ny + point[2] * nz
        if height < least:
            least = height
            x = -nx
            y = -ny
            z = -nz
        size = math.fabs(point[0]) + math.fabs(point[1]) + math.fabs(point[2])
        if not height - planes[4 * nearest + 3] > tolerance * size:
            break
        for k in range(3):
            w[3 * points + k] = point[k]
        count = insert_point(w, faces, planes, edges, points, count, tolerance * size)
        points += 1
        if count < 1:
            break
    ways[0] = x
    ways[1] = y
    ways[2] = z
    found = 1
    if points == MOST_POINTS:
        for f in range(count):
            along = -(planes[4 * f] * x + planes[4 * f + 1] * y + planes[4 * f + 2] * z)
            if planes[4 * f + 3] < least and along < SAME_WAY:
                least = planes[4 * f + 3]
                for k in range(3):
                    ways[3 + k] = -planes[4 * f + k]
                found = 2
    return found


@function
def first_tetrahedron(pair, forms, vertices, point, w):
    """Four extreme points of the set of differences into ``w``, the last behind the face of the others.

    Returns:
        whether the set is flat (or a line, or a point), and then a unit normal of it.
    """
    eps = 10.0 * precision()
    size = 0.0
    for k in range(3):
        for side in range(2):
            d = 1.0 if side == 0 else -1.0
            difference_support(
                pair, forms, vertices, point, d if k == 0 else 0.0, d if k == 1 else 0.0, d if k == 2 else 0.0
            )
            for j in range(3):
                w[6 + 3 * side + j] = point[j]
        width = math.fabs(w[6] - w[9]) + math.fabs(w[7] - w[10]) + math.fabs(w[8] - w[11])
        if width > size or k == 0:
            size = width
            for j in range(6):
                w[j] = w[6 + j]
    ex = w[3] - w[0]
    ey = w[4] - w[1]
    ez = w[5] - w[2]
    ux, uy, uz = perpendicular(ex, ey, ez)
    best = 0.0
    for k in range(4):
        difference_support(pair, forms, vertices, point, ux, uy, uz)
        fx = point[0] - w[0]
        fy = point[1] - w[1]
        fz = point[2] - w[2]
        mx = ey * fz - ez * fy
        my = ez * fx - ex * fz
        mz = ex * fy - ey * fx
        area = mx * mx + my * my + mz * mz
        if area > best:
            best = area
            for j in range(3):
                w[6 + j] = point[j]
        if k == 1:
            ux, uy, uz = unit(ey * uz - ez * uy, ez * ux - ex * uz, ex * uy - ey * ux)
        else:
            ux = -ux
            uy = -uy
            uz = -uz
    if not math.sqrt(best) > eps * size * size:  # a line
        return True, ux, uy, uz
    fx = w[6] - w[0]
    fy = w[7] - w[1]
    fz = w[8] - w[2]
    nx, ny, nz = unit(ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx)
    best = -1.0
    behind = True
    for side in range(2):
        d = -1.0 if side == 0 else 1.0
        difference_support(pair, forms, vertices, point, d * nx, d * ny, d * nz)
        away = math.fabs((point[0] - w[0]) * nx + (point[1] - w[1]) * ny + (point[2] - w[2]) * nz)
        if away > best:
            best = away
            behind = side == 0
            for j in range(3):
                w[9 + j] = point[j]
    if not behind:
        for j in range(3):
            w[j], w[3 + j] = w[3 + j], w[j]
    return not best > eps * size, nx, ny, nz


@function
def add_face(w, faces, planes, f, i, j, k):
    """The triangle i, j, k, counter-clockwise from outside, as face f; a degenerate one is at infinity."""
    ex = w[3 * j] - w[3 * i]
    ey = w[3 * j + 1] - w[3 * i + 1]
    ez = w[3 * j + 2] - w[3 * i + 2]
    fx = w[3 * k] - w[3 * i]
    fy = w[3 * k + 1] - w[3 * i + 1]
    fz = w[3 * k + 2] - w[3 * i + 2]
    mx = ey * fz - ez * fy
    my = ez * fx - ex * fz
    mz = ex * fy - ey * fx
    length = math.sqrt(mx * mx + my * my + mz * mz)
    good = length > precision() * (ex * ex + ey * ey + ez * ez + fx * fx + fy * fy + fz * fz)
    scale = 1.0 / length if good else 0.0
    faces[3 * f] = i
    faces[3 * f + 1] = j
    faces[3 * f + 2] = k
    planes[4 * f] = mx * scale
    planes[4 * f + 1] = my * scale
    planes[4 * f + 2] = mz * scale
    planes[4 * f + 3] = (mx * w[3 * i] + my * w[3 * i + 1] + mz * w[3 * i + 2]) * scale if good else math.inf


@function
def insert_point(w, faces, planes, edges, p, count, tolerance):
    """Replace the faces that point p sees by faces from their outline to p.

    Returns:
        the number of faces; 0 if there is no room.
    """
    outline = 0
    f = 0
    for _ in range(count):
        seen = planes[4 * f] * w[3 * p] + planes[4 * f + 1] * w[3 * p + 1] + planes[4 * f + 2] * w[3 * p + 2]
        if not seen - planes[4 * f + 3] > tolerance:
            f += 1
            continue
        for k in range(3):
            start = faces[3 * f + k]
            end = faces[3 * f + (k + 1) % 3]
            found = -1
            for m in range(outline):
                if edges[2 * m] == end and edges[2 * m + 1] == start:
                    found = m
            if found >= 0:
                outline -= 1
                edges[2 * found] = edges[2 * outline]
                edges[2 * found + 1] = edges[2 * outline + 1]
            elif outline < MOST_EDGES:
                edges[2 * outline] = start
                edges[2 * outline + 1] = end
                outline += 1
            else:
                return 0
        count -= 1
        for k in range(3):
            faces[3 * f + k] = faces[3 * count + k]
        for k in range(4):
            planes[4 * f + k] = planes[4 * count + k]
    if count + outline > MOST_FACES:
        return 0
    for m in range(outline):
        add_face(w, faces, planes, count + m, edges[2 * m], edges[2 * m + 1], p)
    return count + outline
