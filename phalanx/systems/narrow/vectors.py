"""Unit vectors."""

import math

from phalanx.ecs import function


@function
def unit(x, y, z):
    """A vector at length 1; of zero the x axis."""
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    return x * scale if length > 0.0 else 1.0, y * scale, z * scale


@function
def perpendicular(x, y, z):
    """A unit vector perpendicular to a vector of any length."""
    by_x = math.fabs(x) <= math.fabs(y) and math.fabs(x) <= math.fabs(z)
    by_y = math.fabs(y) <= math.fabs(z)
    return unit(
        0.0 if by_x else (-z if by_y else y),
        z if by_x else (0.0 if by_y else -x),
        -y if by_x else (x if by_y else 0.0),
    )
