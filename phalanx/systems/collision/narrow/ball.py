"""The ball that stands for a fast shape; see :mod:`phalanx.systems.collision.narrow.guard`."""

import math

from phalanx.components.shape import BOX, CONE, CYLINDER
from phalanx.ecs import function

FAST = 0.5
"""A shape is fast if it may go this many times the radius of its ball in a substep."""


@function
def inner_radius(kind, sx, sy, sz):
    """Radius of the largest ball about a primitive's origin that lies within it, m."""
    if kind == BOX:
        return min(sx, min(sy, sz))
    if kind == CYLINDER:
        return min(sx, sy)
    if kind == CONE:
        return min(sy, sx * sy / math.sqrt(4.0 * sy * sy + sx * sx))
    return sx


@function
def ball_radius(x, y, z, radius, way_length):
    """Radius of the ball about the centre of mass of a shape, m; 0 if there is none, or no need.

    Args:
        x, y, z: from the shape's origin to the centre of mass.
        radius: of the largest ball about the shape's origin that lies within it, m.
        way_length: bound on what the shapes come nearer, m.
    """
    left = radius - math.sqrt(x * x + y * y + z * z)
    return left if left > 0.0 and way_length > FAST * left else 0.0
