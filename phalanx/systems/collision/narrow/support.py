"""Support mappings: the point of a convex shape that is farthest in a direction; and of the difference of two shapes.

A sphere or capsule is a *core* (a point, a segment) and a radius about it; the mappings here are those of the cores,
so that shapes that overlap by less than their radii still have cores apart. All other shapes are their own cores.

Two shapes are described by two scratch arrays that helpers pass on, ``pair`` (numbers, in the frame of shape a)
and ``forms`` (what they are):

    pair[0:9]     rotation, row-major: from the frame of b to that of a
    pair[9:12]    origin of b in the frame of a, m
    pair[12:15]   size of a (ShapeGeometry.size)
    pair[15:18]   size of b
    pair[18:27]   corners of b in its own frame, if it is a triangle, m
    forms[0:5]    of a: kind, first and end row of its hull's vertices, first and end row of its hull's faces
    forms[5:10]   of b: the same
"""

import math

from phalanx.components.shape import BOX, CAPSULE, CONE, CYLINDER, HULL, SPHERE, TRIANGLE
from phalanx.ecs import function

PAIR = 27
"""Numbers in ``pair``."""
FORMS = 10
"""Numbers in ``forms``."""


@function
def precision():
    """What to call equal, relative to the size: 1e-6 in float32, 1e-12 in float64."""
    return 1e-6 if 1.0 + 1e-9 == 1.0 else 1e-12


@function
def core_radius(kind, size):
    """Radius about a shape's core, given the first number of its size."""
    return size if kind == SPHERE or kind == CAPSULE else 0.0


@function
def rough_size(forms, at, pair, size, vertices):
    """A length of the order of a shape's, m; arguments as of :func:`support`."""
    kind = forms[at]
    if kind == HULL:
        v = forms[at + 1]
        return math.fabs(vertices[v, 0, 0]) + math.fabs(vertices[v, 1, 0]) + math.fabs(vertices[v, 2, 0])
    if kind == TRIANGLE:
        return math.fabs(pair[18]) + math.fabs(pair[19]) + math.fabs(pair[20])
    half = pair[size + 1] if kind != SPHERE else 0.0
    return pair[size] + half + (pair[size + 2] if kind == BOX else 0.0)


@function
def farthest_vertex(vertices, first, end, dx, dy, dz):
    """The vertex of a hull that is farthest along d; of equals the first."""
    best = first
    most = -math.inf
    for i in range(first, end):
        along = vertices[i, 0, 0] * dx + vertices[i, 1, 0] * dy + vertices[i, 2, 0] * dz
        if along > most:
            most = along
            best = i
    return best


@function
def farthest_corner(pair, dx, dy, dz):
    """Where in ``pair`` the corner of a triangle starts that is farthest along d; of equals the first."""
    best = 18
    most = -math.inf
    for i in range(18, 27, 3):
        along = pair[i] * dx + pair[i + 1] * dy + pair[i + 2] * dz
        if along > most:
            most = along
            best = i
    return best


@function
def primitive_support(kind, sx, sy, sz, dx, dy, dz):
    """Farthest point along d (any length) of the core of a sphere, capsule, box, cylinder or cone, in its frame."""
    x = 0.0
    y = 0.0
    z = 0.0
    if kind == BOX:
        x = sx if dx >= 0.0 else -sx
        y = sy if dy >= 0.0 else -sy
        z = sz if dz >= 0.0 else -sz
    elif kind == CAPSULE:
        z = sy if dz >= 0.0 else -sy
    elif kind == CYLINDER or kind == CONE:
        radial = math.sqrt(dx * dx + dy * dy)
        scale = sx / radial if radial > 0.0 else 0.0
        x = dx * scale
        y = dy * scale
        z = sy if dz >= 0.0 else -sy
        if kind == CONE:
            apex = 2.0 * sy * dz > sx * radial
            x = 0.0 if apex else x
            y = 0.0 if apex else y
            z = sy if apex else -sy
    return x, y, z


@function
def support(forms, at, pair, size, vertices, dx, dy, dz):
    """Farthest point along d of the core of one shape of a pair, in the shape's frame.

    Args:
        at: where the shape's numbers start in ``forms``: 0 for a, 5 for b.
        size: where its size starts in ``pair``: 12 for a, 15 for b.
    """
    kind = forms[at]
    if kind == HULL:
        v = farthest_vertex(vertices, forms[at + 1], forms[at + 2], dx, dy, dz)
        return vertices[v, 0, 0], vertices[v, 1, 0], vertices[v, 2, 0]
    if kind == TRIANGLE:
        c = farthest_corner(pair, dx, dy, dz)
        return pair[c], pair[c + 1], pair[c + 2]
    return primitive_support(kind, pair[size], pair[size + 1], pair[size + 2], dx, dy, dz)


@function
def into_b(pair, x, y, z):
    """A direction given in the frame of a, in the frame of b."""
    return (
        pair[0] * x + pair[3] * y + pair[6] * z,
        pair[1] * x + pair[4] * y + pair[7] * z,
        pair[2] * x + pair[5] * y + pair[8] * z,
    )


@function
def out_of_b(pair, x, y, z):
    """A point given in the frame of b, in the frame of a."""
    return (
        pair[9] + (pair[0] * x + pair[1] * y + pair[2] * z),
        pair[10] + (pair[3] * x + pair[4] * y + pair[5] * z),
        pair[11] + (pair[6] * x + pair[7] * y + pair[8] * z),
    )


@function
def difference_support(pair, forms, vertices, point, dx, dy, dz):
    """Farthest point along d of the set of differences of points of core a and points of core b; frame of a.

    Writes the difference into ``point[0:3]`` and the point of a into ``point[3:6]``.
    """
    bx = 0.0
    by = 0.0
    bz = 0.0
    ex, ey, ez = into_b(pair, -dx, -dy, -dz)
    for side in range(2):  # one call of support in the code, not two
        of_a = side == 1
        ux = dx if of_a else ex
        uy = dy if of_a else ey
        uz = dz if of_a else ez
        x, y, z = support(forms, 0 if of_a else 5, pair, 12 if of_a else 15, vertices, ux, uy, uz)
        if of_a:
            point[0] = x - bx
            point[1] = y - by
            point[2] = z - bz
            point[3] = x
            point[4] = y
            point[5] = z
        else:
            bx, by, bz = out_of_b(pair, x, y, z)


@function
def separation_along(pair, forms, vertices, point, nx, ny, nz):
    """How far the cores are apart along the unit vector n (from b to a): a lower bound of their distance.

    The signed distance of two convex sets is the greatest of this over all n, whether they overlap or not. Overwrites
    ``point[0:6]``.
    """
    difference_support(pair, forms, vertices, point, -nx, -ny, -nz)
    return point[0] * nx + point[1] * ny + point[2] * nz
