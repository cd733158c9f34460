"""Relative poses of the shapes of a pair."""

from phalanx.ecs import function


@function
def inverse_turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z):
    """A vector in world axes, in the axes of a frame whose rotation to world axes is r."""
    return r0 * x + r3 * y + r6 * z, r1 * x + r4 * y + r7 * z, r2 * x + r5 * y + r8 * z


@function
def turn(r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z):
    """A vector in the axes of a frame, in world axes."""
    return r0 * x + r1 * y + r2 * z, r3 * x + r4 * y + r5 * z, r6 * x + r7 * y + r8 * z
