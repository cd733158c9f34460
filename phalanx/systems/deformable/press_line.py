"""The line along which two shapes press a particle, and what friction bears on of what they press with."""

import math

from phalanx.ecs import function


@function
def press_line(ax, ay, az, bx, by, bz):
    """Line along which two shapes with the normals a and b press a particle, equally hard.

    Returns:
        The unit vector towards which the first pushes, and the sine and cosine of the angle to its normal.
    """
    x, y, z = ax - bx, ay - by, az - bz
    length = math.sqrt(x * x + y * y + z * z)
    inverse = 1.0 / length if length > 0.0 else 0.0
    ux, uy, uz = ax + bx, ay + by, az + bz
    return inverse * x, inverse * y, inverse * z, 0.5 * math.sqrt(ux * ux + uy * uy + uz * uz), 0.5 * length


@function
def bearing(push, rub, sine, cosine, friction):
    """Of an impulse along the line, what friction may bear on: its part along the normal, less what the line and what
    rubs across it take.
    """
    return max(push * cosine - ((push * sine + rub) / friction if friction > 0.0 else 0.0), 0.0)


@function
def give_together(one, other, sum_at_end):
    """By how much each of two contacts that press gets less than its gap at the start: what they come together in all.

    A particle cannot keep both gaps, so that contacts which try to would push without bound.

    Args:
        one, other: their gaps at the start of the small step, m.
        sum_at_end: of both gaps, which does not depend on where the particle is between them.
    """
    return 0.5 * max(min(one, 0.0) + min(other, 0.0) - sum_at_end, 0.0)


@function
def past(x, y, z, ax, ay, az):
    """The part of a vector a that is across a line with the unit vector x, y, z."""
    along = x * ax + y * ay + z * az
    return ax - along * x, ay - along * y, az - along * z
