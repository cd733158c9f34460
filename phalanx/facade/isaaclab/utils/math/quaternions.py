"""Rotations as quaternions (w, x, y, z), matrices, Euler angles, and rotation vectors.

Quaternions have shape (..., 4) and unit length unless said otherwise; q and -q are one rotation. Leading dimensions
broadcast. Angles are in rad.
"""

import math
from typing import Literal

from phalanx.facade.isaaclab.utils.math.general import cross, length, normalize
from phalanx.facade.namespaces import Array, common, table


def convert_quat(quat: Array, to: Literal["xyzw", "wxyz"] = "xyzw") -> Array:
    """Reorder quaternions, (..., 4): ``to="xyzw"`` from (w, x, y, z), ``to="wxyz"`` from (x, y, z, w).

    Raises:
        ValueError: the last dimension is not 4, or ``to`` is neither.
    """
    xp, quat = common(quat)
    if quat.shape[-1] != 4:
        raise ValueError(f"quaternions have shape (..., 4), not {tuple(quat.shape)}")
    if to == "xyzw":
        return xp.stack([quat[..., 1], quat[..., 2], quat[..., 3], quat[..., 0]], -1)
    if to == "wxyz":
        return xp.stack([quat[..., 3], quat[..., 0], quat[..., 1], quat[..., 2]], -1)
    raise ValueError(f'to={to!r}: must be "xyzw" or "wxyz"')


def quat_unique(q: Array) -> Array:
    """The one of q and -q whose real part is not negative."""
    xp, q = common(q)
    return xp.where(q[..., 0:1] < 0, -q, q)


def quat_conjugate(q: Array) -> Array:
    """The conjugate, for unit quaternions the inverse: (w, -x, -y, -z)."""
    xp, q = common(q)
    return xp.stack([q[..., 0], -q[..., 1], -q[..., 2], -q[..., 3]], -1)


def quat_inv(q: Array, eps: float = 1e-9) -> Array:
    """The inverse of quaternions of any length; squared lengths below ``eps`` count as ``eps``."""
    xp, q = common(q)
    return quat_conjugate(q) / xp.clip(xp.sum(q * q, -1), eps, None)[..., None]


def quat_mul(q1: Array, q2: Array) -> Array:
    """Hamilton's product: rotating by it is rotating by ``q2``, then by ``q1``.

    Raises:
        ValueError: an argument has no last dimension of 4.
    """
    _, q1, q2 = common(q1, q2)
    if q1.shape[-1] != 4 or q2.shape[-1] != 4:
        raise ValueError(f"quaternions have shape (..., 4), not {tuple(q1.shape)} and {tuple(q2.shape)}")
    taken, signs = table(_PRODUCT, q2, "int64"), table(_PRODUCT_SIGNS, q1)
    terms = (q1[..., None] * signs) * q2[..., taken]  # few operations on whole arrays: each is a launch on a GPU
    return terms[..., 0, :] + terms[..., 1, :] + terms[..., 2, :] + terms[..., 3, :]


_PRODUCT = ((0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0))
"""Of what w, x, y and z of the first factor are multiplied by, the column of the second for w, x, y and z."""

_PRODUCT_SIGNS = ((1.0, 1.0, 1.0, 1.0), (-1.0, 1.0, -1.0, 1.0), (-1.0, 1.0, 1.0, -1.0), (-1.0, -1.0, 1.0, 1.0))


def quat_apply(quat: Array, vec: Array) -> Array:
    """Vectors, (..., 3), rotated by quaternions, (..., 4)."""
    _, quat, vec = common(quat, vec)
    axis = quat[..., 1:]
    twice = 2.0 * cross(axis, vec)
    return vec + quat[..., 0:1] * twice + cross(axis, twice)


def quat_apply_inverse(quat: Array, vec: Array) -> Array:
    """Vectors, (..., 3), rotated by the inverses of quaternions, (..., 4)."""
    return quat_apply(quat_conjugate(quat), vec)


def quat_rotate(q: Array, v: Array) -> Array:
    """The old name of :func:`quat_apply`."""
    return quat_apply(q, v)


def quat_rotate_inverse(q: Array, v: Array) -> Array:
    """The old name of :func:`quat_apply_inverse`."""
    return quat_apply_inverse(q, v)


def quat_apply_yaw(quat: Array, vec: Array) -> Array:
    """Vectors rotated about z only, by the yaw of quaternions."""
    return quat_apply(yaw_quat(quat), vec)


def yaw_quat(quat: Array) -> Array:
    """The yaw of rotations, the last angle of :func:`euler_xyz_from_quat`, as a rotation about z.

    Where x points straight up or down, there is no yaw, and this is the identity.
    """
    xp, quat = common(quat)
    w, x, y, z = quat[..., 0], quat[..., 1], quat[..., 2], quat[..., 3]
    half = 0.5 * xp.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    zero = xp.zeros_like(half)
    return xp.stack([xp.cos(half), zero, zero, xp.sin(half)], -1)


def quat_error_magnitude(q1: Array, q2: Array) -> Array:
    """Angles between orientations, in [0, π]: (..., 4) and (..., 4) to (...)."""
    return length(quat_box_minus(q1, q2))


def quat_box_minus(q1: Array, q2: Array) -> Array:
    """The rotation vector, (..., 3), that leads from ``q2`` to ``q1`` in the axes of the common frame."""
    return axis_angle_from_quat(quat_mul(q1, quat_conjugate(q2)))


def quat_box_plus(q: Array, delta: Array, eps: float = 1e-6) -> Array:
    """Orientations rotated on by rotation vectors in the common frame; ``quat_box_minus(result, q)`` is ``delta``.

    The real part of the result is not negative.

    Args:
        q: orientations, (..., 4).
        delta: rotation vectors, (..., 3), rad.
        eps: angles below are taken as zero.
    """
    return quat_unique(normalize(quat_mul(quat_from_rotation_vector(delta, eps), q)))


def quat_slerp(q1: Array, q2: Array, tau: float) -> Array:
    """Between two orientations at constant speed, the shorter way: ``q1`` for ``tau=0``, ``q2`` or ``-q2`` for 1."""
    xp, q1, q2 = common(q1, q2)
    cosine = xp.sum(q1 * q2, -1)[..., None]
    q2 = xp.where(cosine < 0, -q2, q2)
    angle = xp.arccos(xp.clip(abs(cosine), 0.0, 1.0))
    # Of orientations that nearly agree, sin(angle) says nothing; there the chord is as good as the arc.
    near = angle < 1e-4
    sine = xp.where(near, 1.0, xp.sin(angle))
    first = xp.where(near, 1.0 - tau, xp.sin((1.0 - tau) * angle) / sine)
    second = xp.where(near, tau, xp.sin(tau * angle) / sine)
    return normalize(first * q1 + second * q2)


# -- rotation vectors: axis times angle ------------------------------------------------------------------------------


def quat_from_angle_axis(angle: Array, axis: Array) -> Array:
    """Quaternions from angles, (...), and axes, (..., 3), of any length but zero."""
    xp, angle, axis = common(angle, axis)
    half = (0.5 * angle)[..., None]
    return xp.concatenate([xp.cos(half) + 0.0 * axis[..., 0:1], xp.sin(half) * normalize(axis)], -1)


def axis_angle_from_quat(quat: Array, eps: float = 1e-6) -> Array:
    """Rotation vectors, (..., 3), no longer than π. Where the angle is below ``eps``, its series is used."""
    xp, quat = common(quat)
    quat = quat_unique(quat)
    sine = length(quat[..., 1:])
    angle = 2.0 * xp.arctan2(sine, quat[..., 0])
    small = abs(angle) <= eps
    scale = xp.where(small, 2.0 + angle * angle / 12.0, angle / xp.where(small, 1.0, sine))
    return quat[..., 1:] * scale[..., None]


def quat_from_rotation_vector(vector: Array, eps: float = 1e-6) -> Array:
    """Quaternions from rotation vectors, (..., 3); the identity where the angle is below ``eps``."""
    xp, vector = common(vector)
    angle = length(vector)[..., None]
    moves = angle > eps
    axis = xp.where(moves, vector / xp.where(moves, angle, 1.0), 0.0)
    return xp.concatenate([xp.where(moves, xp.cos(0.5 * angle), 1.0), xp.sin(0.5 * angle) * axis], -1)


# -- Euler angles ----------------------------------------------------------------------------------------------------


def quat_from_euler_xyz(roll: Array, pitch: Array, yaw: Array) -> Array:
    """Rotations about the fixed axes x, then y, then z: three angles, (...), to quaternions, (..., 4)."""
    xp, roll, pitch, yaw = common(roll, pitch, yaw)
    if not roll.shape == pitch.shape == yaw.shape:
        whole = roll + pitch + yaw
        roll, pitch, yaw = (xp.broadcast_to(angle, whole.shape) for angle in (roll, pitch, yaw))
    half = 0.5 * xp.stack([roll, pitch, yaw], -1)
    found = xp.concatenate([xp.cos(half), xp.sin(half)], -1)
    factors = found[..., table(_EULER, found, "int64")]  # (..., factor, term, 4)
    terms = factors[..., 0, :, :] * factors[..., 1, :, :] * factors[..., 2, :, :]
    return terms[..., 0, :] + table(_EULER_SIGNS, found) * terms[..., 1, :]


_EULER = (
    ((0, 3, 0, 0), (3, 0, 3, 3)),
    ((1, 1, 4, 1), (4, 4, 1, 4)),
    ((2, 2, 2, 5), (5, 5, 5, 2)),
)
"""Of cosines and sines of half the roll, pitch and yaw those that are multiplied: factor, term; for w, x, y and z."""

_EULER_SIGNS = (1.0, -1.0, 1.0, -1.0)


def euler_xyz_from_quat(quat: Array, wrap_to_2pi: bool = False) -> tuple[Array, Array, Array]:
    """Roll, pitch and yaw, each (...): the rotation about fixed x, then y, then z. The pitch is in [-π/2, π/2].

    With half angles r, p, y, the product of the three rotations has w - y = (cos p - sin p) cos(r + y), x + z = (cos p
    - sin p) sin(r + y), w + y = (cos p + sin p) cos(r - y), x - z = (cos p + sin p) sin(r - y). So no digits are lost
    straight up or down, where only the sum or the difference of roll and yaw means something.

    Args:
        quat: orientations, (..., 4).
        wrap_to_2pi: angles in [0, 2π) instead of [-π, π].
    """
    xp, quat = common(quat)
    quat = quat_unique(quat)
    w, x, y, z = quat[..., 0], quat[..., 1], quat[..., 2], quat[..., 3]
    total, difference = xp.arctan2(x + z, w - y), xp.arctan2(x - z, w + y)
    roll, yaw = _once_round(total + difference), _once_round(total - difference)
    pitch = 2.0 * xp.arctan2(xp.hypot(w + y, x - z), xp.hypot(w - y, x + z)) - 0.5 * math.pi
    if wrap_to_2pi:
        turn = 2.0 * math.pi
        return roll % turn, pitch % turn, yaw % turn
    return roll, pitch, yaw


def _once_round(angle: Array) -> Array:
    """Angles of (-3π, 3π) in [-π, π]; those that are there already do not change by a bit."""
    xp, angle = common(angle)
    turn = 2.0 * math.pi
    return xp.where(angle > math.pi, angle - turn, xp.where(angle < -math.pi, angle + turn, angle))


def matrix_from_euler(euler_angles: Array, convention: str) -> Array:
    """Rotation matrices, (..., 3, 3), from angles, (..., 3), about moving axes in the order of ``convention``.

    ``"XYZ"`` is R_x(a₀) R_y(a₁) R_z(a₂).

    Raises:
        ValueError: not three angles, or the convention is not three of X, Y, Z, neighbours different.
    """
    _, euler_angles = common(euler_angles)
    if euler_angles.shape[-1] != 3:
        raise ValueError(f"Euler angles have shape (..., 3), not {tuple(euler_angles.shape)}")
    if len(convention) != 3 or set(convention) - set("XYZ") or convention[1] in (convention[0], convention[2]):
        raise ValueError(f"convention {convention!r}: must be three of X, Y and Z, neighbours different")
    first, second, third = (_about(axis, euler_angles[..., i]) for i, axis in enumerate(convention))
    return first @ second @ third


def _about(axis: str, angle: Array) -> Array:
    """Rotation matrices, (..., 3, 3), about a coordinate axis."""
    xp, angle = common(angle)
    c, s, zero, one = xp.cos(angle), xp.sin(angle), xp.zeros_like(angle), xp.ones_like(angle)
    rows = {
        "X": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
        "Y": [[c, zero, s], [zero, one, zero], [-s, zero, c]],
        "Z": [[c, -s, zero], [s, c, zero], [zero, zero, one]],
    }[axis]
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


# -- matrices --------------------------------------------------------------------------------------------------------


def matrix_from_quat(quaternions: Array) -> Array:
    """Rotation matrices, (..., 3, 3), of quaternions of any length but zero."""
    xp, q = common(quaternions)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    s = 2.0 / xp.sum(q * q, -1)
    rows = [
        [1.0 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1.0 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1.0 - s * (x * x + y * y)],
    ]
    return xp.stack([xp.stack(row, -1) for row in rows], -2)


def quat_from_matrix(matrix: Array) -> Array:
    """Quaternions, (..., 4), of rotation matrices, (..., 3, 3).

    Each component, squared and times four, is a sum of diagonal entries; the largest is the one to divide by (Shepperd,
    *Quaternion from rotation matrix*, 1978). That component of the result is positive.

    Raises:
        ValueError: the last dimensions are not 3 and 3.
    """
    xp, m = common(matrix)
    if tuple(m.shape[-2:]) != (3, 3):
        raise ValueError(f"rotation matrices have shape (..., 3, 3), not {tuple(m.shape)}")
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    squares = [1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz]
    # 4 times the products of two components: row and column are w, x, y, z.
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    products = [
        [squares[0], wx, wy, wz],
        [wx, squares[1], xy, xz],
        [wy, xy, squares[2], yz],
        [wz, xz, yz, squares[3]],
    ]
    largest, chosen = squares[0], xp.stack(products[0], -1)
    for square, row in zip(squares[1:], products[1:], strict=True):
        better = square > largest
        largest = xp.where(better, square, largest)
        chosen = xp.where(better[..., None], xp.stack(row, -1), chosen)
    return normalize(chosen)
