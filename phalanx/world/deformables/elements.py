"""What the elements of a deformable body do: deformation gradients, rotations and stresses, from where nodes are."""

from __future__ import annotations

from typing import Any


def deformation_gradients(pos: Any, tets: Any, inverse: Any) -> Any:
    """(n, elements, 3, 3): F, which takes edges as they are without strain to edges as they are.

    Args:
        pos: (n, nodes, 3), m.
        tets: (elements, 4).
        inverse: (elements, 3, 3), 1/m: of the matrices whose columns are the edges from the first corner, unstrained.
    """
    corners = pos[:, tets]
    edges = corners[:, :, 1:] - corners[:, :, :1]
    return edges.swapaxes(-1, -2) @ inverse


def rotations(gradients: Any, xp: Any) -> Any:
    """(..., 4) w x y z: the rotation of the polar decomposition, proper also where an element is turned over."""
    return quaternions(rotation_matrices(gradients, xp), xp)


def rotation_matrices(gradients: Any, xp: Any) -> Any:
    """(..., 3, 3): the same as matrices."""
    left, _, right = xp.linalg.svd(gradients)
    turned = xp.linalg.det(left @ right) < 0
    left = left * xp.where(turned[..., None, None], xp.asarray([1.0, 1.0, -1.0], left.dtype), 1.0)
    return left @ right


def quaternions(matrices: Any, xp: Any) -> Any:
    """(..., 4) w x y z, w not negative, of rotation matrices (..., 3, 3).

    Of four ways to write it, each row of the symmetric matrix 4 q q^T, the one with the largest diagonal is taken.
    """
    m = matrices
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    a, b, c = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    d, e, f = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = xp.stack(
        [
            xp.stack([1 + xx + yy + zz, a, b, c], -1),
            xp.stack([a, 1 + xx - yy - zz, d, e], -1),
            xp.stack([b, d, 1 - xx + yy - zz, f], -1),
            xp.stack([c, e, f, 1 - xx - yy + zz], -1),
        ],
        -2,
    )
    best = xp.argmax(xp.stack([rows[..., k, k] for k in range(4)], -1), axis=-1)
    chosen = xp.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    chosen = chosen / xp.sqrt((chosen**2).sum(axis=-1, keepdims=True))
    return xp.where(chosen[..., :1] < 0, -chosen, chosen)


def stresses(gradients: Any, young: Any, poisson: Any, xp: Any, corotational: bool = False) -> Any:
    """(n, elements, 3, 3), Pa: Cauchy stresses P F^T / J of the energy in :mod:`phalanx.systems.deformable.elasticity`,
    or of that in :mod:`phalanx.systems.deformable.corotation`.

    Args:
        gradients: (n, elements, 3, 3).
        young, poisson: (n,).
        corotational: whether the energy is the latter.

    Where an element is flat, so that J is 0, the stress is not finite.
    """
    mu = (young / (2 * (1 + poisson)))[:, None, None, None]
    change = xp.linalg.det(gradients)[..., None, None]
    if corotational:
        push = mu * (2 * poisson / (1 - 2 * poisson))[:, None, None, None] * (change - 1)
        turns = rotation_matrices(gradients, xp)
        strain = (gradients - turns) @ gradients.swapaxes(-1, -2)
        return 2 * mu / change * strain + push * xp.eye(3, dtype=gradients.dtype)
    bulk = mu * (1 + 2 * poisson / (1 - 2 * poisson))[:, None, None, None]
    push = bulk * (change - 1) - mu
    return mu / change * (gradients @ gradients.swapaxes(-1, -2)) + push * xp.eye(3, dtype=gradients.dtype)
