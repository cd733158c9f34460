"""Relative poses of the shapes of a pair."""

from phalanx.ecs import function


@function
def relative_rotation(
    a0, a1, a2, a3, a4, a5, a6, a7, a8,
    b0, b1, b2, b3, b4, b5, b6, b7, b8,
):  # fmt: skip
    """From the frame of b to that of a, row-major, given both shapes' rotations to world axes."""
    return (
        a0 * b0 + a3 * b3 + a6 * b6,
        a0 * b1 + a3 * b4 + a6 * b7,
        a0 * b2 + a3 * b5 + a6 * b8,
        a1 * b0 + a4 * b3 + a7 * b6,
        a1 * b1 + a4 * b4 + a7 * b7,
        a1 * b2 + a4 * b5 + a7 * b8,
        a2 * b0 + a5 * b3 + a8 * b6,
        a2 * b1 + a5 * b4 + a8 * b7,
        a2 * b2 + a5 * b5 + a8 * b8,
    )


@function
def inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z):
    """A vector in world axes, in the axes of a frame whose rotation to world axes is r."""
    return r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z


@function
def turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z):
    """A vector in the axes of a frame, in world axes."""
    return r0 * x + r1 * y + r2 * z, r3 * x + r4 * y + r5 * z, r6 * x + r7 * y + r8 * z
