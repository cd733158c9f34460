"""Small vector and quaternion helpers for kernels: plain tuples in, plain tuples out; quaternions are (w, x, y, z)."""

import math

from phalanx.ecs import function, real

# pi/4 in three parts: the first two have few enough bits that small multiples of them are exact in float32.
_PI4_A = 0.78515625
_PI4_B = 2.4187564849853515625e-4
_PI4_C = 3.774894977445941e-8
_FOUR_OVER_PI = 1.2732395447351628


@function
def cross(ax, ay, az, bx, by, bz):
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@function
def symmetric_product(a, b, c, d, f, g, x, y, z):
    """S v, for a symmetric matrix given as xx xy xz yy yz zz."""
    return a * x + b * y + c * z, b * x + d * y + f * z, c * x + f * y + g * z


@function
def symmetric_inverse(a, b, c, d, f, g):
    """The inverse of a positive definite matrix given as xx xy xz yy yz zz, and 1.0; all 0.0 if it is not definite."""
    size = a + d + g
    size = 1.0 / size if size > 0.0 else 0.0  # products of small moments of inertia have no float32
    a, b, c, d, f, g = a * size, b * size, c * size, d * size, f * size, g * size
    a0, a1, a2 = d * g - f * f, c * f - b * g, b * f - c * d
    determinant = a * a0 + b * a1 + c * a2
    definite = determinant > 0.0
    k = size / determinant if definite else 0.0
    return (
        k * a0, k * a1, k * a2, k * (a * g - c * c), k * (b * c - a * f), k * (a * d - b * b),
        1.0 if definite else 0.0,
    )  # fmt: skip


@function
def sine_cosine(angle):
    """sin and cos by Cody-Waite reduction and polynomials.

    The same source on every target, so results do not depend on a C library, and loops over it vectorise. Absolute
    error below 1e-7 (float32) and 1e-15 (float64) for |angle| < 1e4.
    """
    size = math.fabs(angle)
    octant = int(size * _FOUR_OVER_PI)
    octant += octant & 1  # to even: x is in -pi/4..pi/4
    n = real(octant)
    x = ((size - n * _PI4_A) - n * _PI4_B) - n * _PI4_C
    quadrant = (octant >> 1) & 3
    z = x * x
    sine = 1.6059043836821613e-10 - z * 7.647163731819816e-13
    sine = -2.505210838544172e-8 + z * sine
    sine = 2.7557319223985893e-6 + z * sine
    sine = -1.984126984126984e-4 + z * sine
    sine = 8.333333333333333e-3 + z * sine
    sine = x + x * z * (-1.6666666666666666e-1 + z * sine)
    cosine = 1.1470745597729725e-11 - z * 4.779477332387385e-14
    cosine = 2.08767569878681e-9 - z * cosine
    cosine = -2.755731922398589e-7 + z * cosine
    cosine = 2.48015873015873e-5 + z * cosine
    cosine = -1.388888888888889e-3 + z * cosine
    cosine = 1.0 - 0.5 * z + z * z * (4.1666666666666664e-2 + z * cosine)
    swap = quadrant & 1 == 1
    s = cosine if swap else sine
    c = sine if swap else cosine
    s = -s if quadrant >= 2 else s
    c = -c if (quadrant == 1 or quadrant == 2) else c
    s = -s if angle < 0.0 else s
    return s, c


_TAN_PI_8 = 0.41421356237309503
_TAN_PI_16 = 0.198912367379658


@function
def right_half_angle(x, y):
    """The angle of a vector (x, y) with x >= 0, from -pi/2 to pi/2; 0 of a vector without length.

    By reduction to less than pi/16 and a series, with the same source on every target as :func:`sine_cosine`. Relative
    error below 3e-7 (float32) and 1e-15 (float64).
    """
    size = math.fabs(y)
    longer, shorter = max(x, size), min(x, size)
    t = shorter / longer if longer > 0.0 else 0.0
    start = 0.0
    if t > _TAN_PI_8:
        t, start = (t - 1.0) / (t + 1.0), 0.7853981633974483
    if math.fabs(t) > _TAN_PI_16:
        k = _TAN_PI_8 if t > 0.0 else -_TAN_PI_8
        t, start = (t - k) / (1.0 + t * k), start + (0.39269908169872414 if t > 0.0 else -0.39269908169872414)
    z = t * t
    series = 0.05263157894736842 - z * (0.047619047619047616 - z * 0.043478260869565216)
    series = 0.06666666666666667 - z * (0.058823529411764705 - z * series)
    series = 0.09090909090909091 - z * (0.07692307692307693 - z * series)
    series = 0.14285714285714285 - z * (0.1111111111111111 - z * series)
    series = 0.3333333333333333 - z * (0.2 - z * series)
    angle = start + (t - t * z * series)
    angle = 1.5707963267948966 - angle if size > x else angle
    return -angle if y < 0.0 else angle


@function
def quaternion_product(aw, ax, ay, az, bw, bx, by, bz):
    """a * b: rotate by b, then by a."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@function
def rotate(w, x, y, z, vx, vy, vz):
    """The vector v turned by a unit quaternion."""
    tx = 2.0 * (y * vz - z * vy)
    ty = 2.0 * (z * vx - x * vz)
    tz = 2.0 * (x * vy - y * vx)
    return vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx


@function
def rotation_matrix(w, x, y, z):
    """Row-major matrix of a unit quaternion."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@function
def rotation_step(rx, ry, rz):
    """The quaternion of a rotation vector."""
    angle2 = rx * rx + ry * ry + rz * rz
    angle = math.sqrt(angle2)
    s, c = sine_cosine(0.5 * angle)
    k = s / angle if angle > 1e-4 else 0.5 - angle2 * 0.020833333333333332
    return c, k * rx, k * ry, k * rz
