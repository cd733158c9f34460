"""Steps of an arm's joints along the Jacobian of its hand."""

from __future__ import annotations

import numpy as np

from phalanx.maths import arrays as rotations

DOWN = np.array([0.0, 1.0, 0.0, 0.0])
"""(w, x, y, z) of the hand that points downwards."""

DAMPING, LEAST = 0.05, 1e-5
"""Of damped least squares; singular values below which directions are left out."""


def turn_error(turn: np.ndarray) -> np.ndarray:
    """(3,): half the vector of the turn from an orientation to that of a hand that points down, rad for small ones."""
    w, *vector = rotations.product(DOWN, rotations.inverse(turn))
    return np.array(vector) * np.sign(w)


def at_most(vector: np.ndarray, length: float) -> np.ndarray:
    """A vector, shortened to a length if it is longer."""
    return vector * min(1.0, length / max(float(np.linalg.norm(vector)), 1e-12))


def joint_step(jacobian: np.ndarray, error: np.ndarray, method: str) -> np.ndarray:
    """What joints should turn by, (joints,), rad, so that the hand moves by what it is off, (6,).

    Damped least squares: Buss, *Introduction to Inverse Kinematics with Jacobian Transpose, Pseudoinverse and Damped
    Least Squares methods*, 2004, eq. 11.

    Raises:
        ValueError: there is no such method.
    """
    if method == "damped-least-squares":
        return jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + DAMPING**2 * np.eye(6), error)
    if method == "pseudoinverse":
        return np.linalg.pinv(jacobian) @ error
    if method == "singular-value-decomposition":
        u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
        return vt.T @ (np.where(s > LEAST, 1.0 / np.maximum(s, LEAST), 0.0) * (u.T @ error))
    if method == "transpose":
        return jacobian.T @ error
    raise ValueError(
        f"ik_method={method!r}: there are damped-least-squares, pseudoinverse, singular-value-decomposition, transpose"
    )


__all__ = ["DAMPING", "DOWN", "LEAST", "at_most", "joint_step", "turn_error"]
