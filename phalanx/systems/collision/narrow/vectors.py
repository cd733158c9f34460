"""Unit vectors, and what is no vector."""

import math

from phalanx.ecs import function


@function
def unit(x, y, z):
    """A vector at length 1; of zero the x axis."""
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    return x * scale if length > 0.0 else 1.0, y * scale, z * scale


@function
def direction(x, y, z):
    """A vector at length 1 (of zero the x axis), and its length; no square under- or overflows."""
    most = max(math.fabs(x), max(math.fabs(y), math.fabs(z)))
    scale = 1.0 / most if most > 1e-30 else 0.0
    x = x * scale
    y = y * scale
    z = z * scale
    ratio = math.sqrt(x * x + y * y + z * z)
    found = ratio > 0.0
    scale = 1.0 / ratio if found else 0.0
    return x * scale if found else 1.0, y * scale, z * scale, most * ratio


@function
def perpendicular(x, y, z):
    """A unit vector perpendicular to a vector of any length.

    It comes from the y axis, or from the z axis for vectors near the y axis; so it turns smoothly with all vectors
    that are near a coordinate axis, as normals of faces that rest on each other are.
    """
    by_z = y * y > 0.6 * (x * x + y * y + z * z)
    return unit(y if by_z else -z, -x if by_z else 0.0, 0.0 if by_z else x)


@function
def are_numbers(x, y, z):
    """Whether none of three is NaN. To be asked, since min and max keep NaN on the CPU and lose it on the GPU."""
    return x == x and y == y and z == z
