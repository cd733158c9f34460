"""The ball that stands for a fast shape; see :mod:`phalanx.systems.collision.narrow.guard`."""

import math

from phalanx.components.shape import BOX, CONE, CYLINDER, HULL
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
def convex_inner_radius(kind, sx, sy, sz, first_face, end_face, offsets):
    """Radius of the largest ball about a convex shape's origin that lies within it, m.

    Args:
        kind: of the shape.
        sx, sy, sz: sizes of a primitive, m.
        first_face, end_face: faces of a hull.
        offsets: of the planes of all hulls' faces from the origins of their shapes, m (faces, 1).
    """
    if kind != HULL:
        return inner_radius(kind, sx, sy, sz)
    radius = math.inf
    for f in range(first_face, end_face):
        radius = min(radius, offsets[f, 0])
    return radius


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
