"""Ranges, signs, angles and lengths."""

import math

from phalanx.facade.namespaces import Array, common


def scale_transform(x: Array, lower: Array, upper: Array) -> Array:
    """Map [lower, upper] linearly to [-1, 1].

    Args:
        x: values, (N, dims); they may lie outside of the range.
        lower, upper: the range, (N, dims) or (dims,), in the units of ``x``.
    """
    _, x, lower, upper = common(x, lower, upper)
    middle = (lower + upper) * 0.5
    return 2.0 * (x - middle) / (upper - lower)


def unscale_transform(x: Array, lower: Array, upper: Array) -> Array:
    """Map [-1, 1] linearly to [lower, upper]: the inverse of :func:`scale_transform`."""
    _, x, lower, upper = common(x, lower, upper)
    middle = (lower + upper) * 0.5
    return x * (upper - lower) * 0.5 + middle


def saturate(x: Array, lower: Array, upper: Array) -> Array:
    """Values cut to [lower, upper], which broadcast: (N, dims) and (N, dims) or (dims,)."""
    xp, x, lower, upper = common(x, lower, upper)
    return xp.maximum(xp.minimum(x, upper), lower)


def normalize(x: Array, eps: float = 1e-9) -> Array:
    """Vectors of the last dimension at unit length; those shorter than ``eps`` are divided by ``eps`` instead."""
    xp, x = common(x)
    return x / xp.clip(length(x), eps, None)[..., None]


def wrap_to_pi(angles: Array) -> Array:
    """Angles (rad) in [-π, π]; odd multiples of π keep their sign."""
    xp, angles = common(angles)
    turned = (angles + math.pi) % (2.0 * math.pi)
    return xp.where((turned == 0) & (angles > 0), math.pi, turned - math.pi)


def copysign(mag: float, other: Array) -> Array:
    """The magnitude ``mag`` with the signs of ``other``; the sign of zero counts."""
    xp, other = common(other)
    return xp.copysign(xp.full_like(other, abs(mag)), other)


def skew_symmetric_matrix(vec: Array) -> Array:
    """The matrices that multiply like the cross product, ``S(a) b = a × b``.

    (..., 3) to (..., 3, 3); one vector, (3,), to (1, 3, 3).
    """
    xp, vec = common(vec)
    vec = vec[None] if vec.ndim == 1 else vec
    x, y, z = vec[..., 0], vec[..., 1], vec[..., 2]
    zero = xp.zeros_like(x)
    return xp.stack([xp.stack([zero, -z, y], -1), xp.stack([z, zero, -x], -1), xp.stack([-y, x, zero], -1)], -2)


def length(x: Array) -> Array:
    """Euclidean lengths over the last dimension: (..., dims) to (...)."""
    xp, x = common(x)
    return xp.sqrt(xp.sum(x * x, -1))


def cross(a: Array, b: Array) -> Array:
    """Cross products over the last dimension; the others broadcast."""
    xp, a, b = common(a, b)
    ax, ay, az, bx, by, bz = a[..., 0], a[..., 1], a[..., 2], b[..., 0], b[..., 1], b[..., 2]
    return xp.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)
