"""Rotations of space: quaternions (..., 4) in the order (w, x, y, z), matrices (..., 3, 3), rotation vectors (..., 3).

Everything takes arrays with any leading axes, which broadcast, and sequences of numbers. Angles are in radians. Where
there is an argument ``xp`` it is the module whose arrays come and go, NumPy or CuPy; the other functions are for the
host. What takes ``xp`` works element by element, so that no environment's result depends on how many there are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
"""The quaternion that turns nothing."""
IDENTITY.setflags(write=False)


def product(a: Any, b: Any, xp: Any = np) -> Any:
    """(..., 4): quaternions a b, which turn as b does and then as a does."""
    a, b = xp.asarray(a), xp.asarray(b)
    w, v, s, u = a[..., :1], a[..., 1:], b[..., :1], b[..., 1:]
    return xp.concatenate((w * s - _dot(v, u), w * u + s * v + xp.cross(v, u)), axis=-1)


def inverse(quaternion: Any, xp: Any = np) -> Any:
    """(..., 4): the turns back, of unit quaternions."""
    q = xp.asarray(quaternion)
    return xp.concatenate((q[..., :1], -q[..., 1:]), axis=-1)


def rotate(quaternion: Any, vector: Any, xp: Any = np) -> Any:
    """(..., 3): vectors turned by unit quaternions."""
    q, vector = xp.asarray(quaternion), xp.asarray(vector)
    w, v = q[..., :1], q[..., 1:]
    t = 2.0 * xp.cross(v, vector)
    return vector + w * t + xp.cross(v, t)


def matrix(quaternion: Any, xp: Any = np) -> Any:
    """(..., 3, 3): rotation matrices of quaternions, which need not have length 1 but must not be zero."""
    q = xp.asarray(quaternion)
    w, x, y, z = (q[..., i] for i in range(4))
    s = 2.0 / (w * w + x * x + y * y + z * z)
    entries = [
        1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y),
        s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y),
    ]  # fmt: skip
    return xp.stack(entries, axis=-1).reshape((*q.shape[:-1], 3, 3))


def from_matrix(rotation: Any) -> np.ndarray:
    """(..., 4): quaternions of rotation matrices, w >= 0.

    They are eigenvectors to the largest eigenvalue of a matrix of sums of the entries (Bar-Itzhack, 2000).
    """
    r = np.asarray(rotation, float)
    k = np.zeros((*r.shape[:-2], 4, 4))
    k[..., 1:, 1:] = r + np.swapaxes(r, -1, -2)
    k[..., range(4), range(4)] -= np.trace(r, axis1=-2, axis2=-1)[..., None]
    for n in range(3):
        i, j = (n + 1) % 3, (n + 2) % 3
        k[..., n + 1, 0] = r[..., j, i] - r[..., i, j]
    k[..., 0, 0] = -k[..., 0, 0]
    q = np.linalg.eigh(k)[1][..., -1]
    return np.where(q[..., :1] < 0.0, -q, q)


def from_rotation_vector(vector: Any, xp: Any = np) -> Any:
    """(..., 4): quaternions of turns about vectors by their length."""
    vector = xp.asarray(vector)
    angle = xp.sqrt(_dot(vector, vector))
    return xp.concatenate((xp.cos(0.5 * angle), 0.5 * xp.sinc(angle / (2 * np.pi)) * vector), axis=-1)


def rotation_vector(quaternion: Any, xp: Any = np) -> Any:
    """(..., 3): axes of unit quaternions times their angles, of at most pi."""
    q = xp.asarray(quaternion)
    w, v = q[..., :1], q[..., 1:]
    length = xp.sqrt(_dot(v, v))
    long = length > 1e-12
    scale = xp.where(long, 2 * xp.arctan2(length, xp.abs(w)) / xp.where(long, length, 1.0), 2.0)
    return (xp.where(w < 0, -scale, scale) * v).astype(q.dtype)


def about(axis: Any, angle: Any) -> np.ndarray:
    """(..., 4): quaternions of turns about unit axes (..., 3) by angles (...)."""
    half = 0.5 * np.asarray(angle, float)[..., None]
    return np.concatenate((np.cos(half), np.sin(half) * np.asarray(axis, float)), axis=-1)


def from_euler(angles: Any, sequence: str) -> np.ndarray:
    """(..., 4): quaternions of turns by angles (..., n) one after the other about the axes that ``sequence`` names.

    A small letter is an axis that has been turned along, a capital one stays fixed: ``"XYZ"`` are roll, pitch and yaw
    of URDF, ``"xyz"`` is what MJCF takes by default. This is the way of MJCF; SciPy has capitals and small letters the
    other way round.
    """
    angles = np.asarray(angles, float)
    found = IDENTITY
    for n, letter in enumerate(sequence):
        step = about(np.eye(3)["xyz".index(letter.lower())], angles[..., n])
        found = product(found, step) if letter.islower() else product(step, found)
    return found


def between(start: Any, end: Any) -> np.ndarray:
    """(..., 4): quaternions of the shortest turns from unit vectors to others.

    Opposite vectors are turned about an axis across y, or across z where they are nearly along y.
    """
    start, end = np.asarray(start, float), np.asarray(end, float)
    axis = np.cross(start, end)
    cosine, sine = (0.5 * np.linalg.norm(v, axis=-1, keepdims=True) for v in (start + end, start - end))  # of the half
    side = np.where(np.abs(start[..., 1:2]) < 0.9, [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
    opposite = (np.linalg.norm(axis, axis=-1, keepdims=True) < 1e-10) & (cosine < sine)
    return np.concatenate((cosine, sine * unit(np.where(opposite, np.cross(start, side), axis))), axis=-1)


def unit(vector: Any) -> np.ndarray:
    """Vectors or quaternions (..., n) of length 1; zero stays zero."""
    values = np.asarray(vector, float)
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    return values / np.where(length > 0.0, length, 1.0)


def _dot(a: Any, b: Any) -> Any:
    """(..., 1): dot products of (..., 3), summed in an order that is always the same."""
    p = a * b
    return p[..., :1] + p[..., 1:2] + p[..., 2:]
