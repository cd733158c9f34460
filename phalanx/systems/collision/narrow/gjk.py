"""Distance of two convex cores that are apart, by the method of Gilbert, Johnson and Keerthi (1988).

The simplex is a scratch array of four points of :func:`~phalanx.systems.collision.narrow.support.difference_support`,
six numbers each. The nearest point of the simplex is taken over all its parts that hold the newest point, each by its
own formula (the projection on a triangle along its normal), instead of by the signs of shared determinants: in float32
slivers then cost accuracy and not correctness.
"""

import math

from phalanx.ecs import function
from phalanx.systems.collision.narrow.support import difference_support, precision

FAR, APART, NEAR = range(3)
"""Cores farther apart than asked; apart; so near, or overlapping, that the distance says nothing about the normal."""

ITERATIONS = 60
UNPROVEN = 3e-5
"""A distance is not believed that is by more than this part of the size above what is proven (rounding can lead a
search of nearly flat differences astray)."""
SIMPLEX = 30
"""Numbers in the scratch array of a simplex: four points, the weights of the nearest point in 24..26, the nearest point
in 27..29."""


@function
def nearest_on_simplex(s, count, thin):
    """Reduce a simplex to the part that holds its point nearest to the origin; its newest point is the last.

    ``thin``, m^2, is the square of the height below which a triangle or tetrahedron counts as flat: rounding would
    decide its normal.

    The part's points are moved to the front, their weights put in ``s[24:27]``, the nearest point in ``s[27:30]``.

    Returns:
        how many points are left; 4 if the origin is inside.
    """
    n = count - 1
    o = 6 * n
    px = s[o]
    py = s[o + 1]
    pz = s[o + 2]
    best = px * px + py * py + pz * pz
    s[27] = px
    s[28] = py
    s[29] = pz
    first = -1
    second = -1
    u = 0.0
    w = 0.0
    for i in range(n):
        ex = s[6 * i] - px
        ey = s[6 * i + 1] - py
        ez = s[6 * i + 2] - pz
        ee = ex * ex + ey * ey + ez * ez
        t = -(px * ex + py * ey + pz * ez)
        if t > 0.0 and t < ee:
            t = t / ee
            x = px + t * ex
            y = py + t * ey
            z = pz + t * ez
            square = x * x + y * y + z * z
            if square < best:
                best = square
                s[27] = x
                s[28] = y
                s[29] = z
                first = i
                second = -1
                u = t
        for j in range(i):
            fx = s[6 * j] - px
            fy = s[6 * j + 1] - py
            fz = s[6 * j + 2] - pz
            mx = ey * fz - ez * fy
            my = ez * fx - ex * fz
            mz = ex * fy - ey * fx
            mm = mx * mx + my * my + mz * mz
            if mm > thin * ee and mm > thin * (fx * fx + fy * fy + fz * fz):
                # weights of i and j: the normal against (f x p) and (p x e)
                a = (mx * (py * fz - pz * fy) + my * (pz * fx - px * fz) + mz * (px * fy - py * fx)) / -mm
                b = (mx * (ey * pz - ez * py) + my * (ez * px - ex * pz) + mz * (ex * py - ey * px)) / -mm
                height = (px * mx + py * my + pz * mz) / mm
                square = height * height * mm
                if a >= 0.0 and b >= 0.0 and a + b <= 1.0 and square < best:
                    best = square
                    s[27] = height * mx
                    s[28] = height * my
                    s[29] = height * mz
                    first = i
                    second = j
                    u = a
                    w = b
    if n == 3 and contains_origin(s, thin):
        return 4
    left = 0
    for i in range(n):
        if i == first or i == second:
            s[24 + left] = u if i == first else w
            for k in range(6):
                s[6 * left + k] = s[6 * i + k]
            left += 1
    for k in range(6):
        s[6 * left + k] = s[o + k]
    s[24 + left] = 1.0
    for k in range(left):
        s[24 + left] -= s[24 + k]
    return left + 1


@function
def contains_origin(s, thin):
    """Whether a tetrahedron, not flat, holds the origin; its newest point is the last."""
    px = s[18]
    py = s[19]
    pz = s[20]
    ex = s[0] - px
    ey = s[1] - py
    ez = s[2] - pz
    fx = s[6] - px
    fy = s[7] - py
    fz = s[8] - pz
    gx = s[12] - px
    gy = s[13] - py
    gz = s[14] - pz
    cx = fy * gz - fz * gy
    cy = fz * gx - fx * gz
    cz = fx * gy - fy * gx
    volume = ex * cx + ey * cy + ez * cz
    if not volume * volume > thin * (cx * cx + cy * cy + cz * cz):
        return False
    a = -(px * cx + py * cy + pz * cz) / volume
    qx = ey * pz - ez * py
    qy = ez * px - ex * pz
    qz = ex * py - ey * px
    b = -(gx * qx + gy * qy + gz * qz) / volume
    c = (fx * qx + fy * qy + fz * qz) / volume
    return a >= 0.0 and b >= 0.0 and c >= 0.0 and a + b + c <= 1.0


@function
def known_point(s, count):
    """Whether the point at the end of a simplex (number ``count``) is already in it."""
    o = 6 * count
    for i in range(0, o, 6):  # noqa: SIM110
        if s[i] == s[o] and s[i + 1] == s[o + 1] and s[i + 2] == s[o + 2]:
            return True
    return False


@function
def core_distance(pair, forms, vertices, s, point, reach):
    """Distance of two cores (see :mod:`phalanx.systems.collision.narrow.support`), with witnesses.

    Args:
        s: scratch of ``SIMPLEX`` numbers. Afterwards ``s[27:30]`` is the vector from the nearest point of b to that
            of a, in the frame of a.
        point: scratch of 6 numbers. Afterwards ``point[3:6]`` is the nearest point of core a, in its frame.
        reach: larger distances (m) need not be known.

    Returns:
        FAR, APART or NEAR, and the distance.
    """
    eps = precision()
    vx = -pair[9]
    vy = -pair[10]
    vz = -pair[11]
    square = vx * vx + vy * vy + vz * vz
    if not square > 0.0:
        vx = 1.0
        vy = 0.0
        vz = 0.0
    count = 0
    largest = 0.0
    distance = 0.0
    bound = 0.0
    state = NEAR
    stalled = 0
    for _ in range(ITERATIONS):
        difference_support(pair, forms, vertices, point, -vx, -vy, -vz)
        o = 6 * count
        for k in range(6):
            s[o + k] = point[k]
        along = vx * point[0] + vy * point[1] + vz * point[2]
        if count > 0:
            if along > 0.0 and along * along > reach * reach * square:
                return FAR, distance
            bound = max(bound, along / distance)
            gap = square - along
            if gap <= eps * square or gap <= 0.3 * eps * distance * math.sqrt(largest) or known_point(s, count):
                break
        far = point[0] * point[0] + point[1] * point[1] + point[2] * point[2]
        largest = far if far > largest else largest
        count = nearest_on_simplex(s, count + 1, 900.0 * eps * eps * largest)
        if count == 4:
            return NEAR, 0.0
        vx = s[27]
        vy = s[28]
        vz = s[29]
        last = distance
        square = vx * vx + vy * vy + vz * vz
        distance = math.sqrt(square)
        if not distance > eps * math.sqrt(largest):
            return NEAR, 0.0
        if state == APART and distance >= last:
            stalled += 1
            if stalled > 2:
                break
        state = APART
    for k in range(3):
        point[3 + k] = 0.0
        for i in range(min(count, 3)):
            point[3 + k] += s[24 + i] * s[6 * i + 3 + k]
    if distance < 1000.0 * eps * math.sqrt(largest):
        state = NEAR
    if distance - bound > UNPROVEN * math.sqrt(largest):
        return NEAR, 0.0
    return state, distance
