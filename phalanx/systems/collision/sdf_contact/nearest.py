"""The triangle of a mesh that is nearest to a point."""

import math

from phalanx.ecs import function, local_int
from phalanx.systems.collision.mesh_contact.tree import STACK, next_leaf

_STRAIGHT = 0.999
"""Cosine: a way to a triangle that is as near to its normal ends on its face."""


@function
def way_to_triangle(vertices, a, b, c, x, y, z):
    """From the point of a triangle (three vertices) that is nearest to a point, to that point.

    Ericson, Real-Time Collision Detection, 2005, section 5.1.5.
    """
    abx = vertices[b, 0, 0] - vertices[a, 0, 0]
    aby = vertices[b, 1, 0] - vertices[a, 1, 0]
    abz = vertices[b, 2, 0] - vertices[a, 2, 0]
    acx = vertices[c, 0, 0] - vertices[a, 0, 0]
    acy = vertices[c, 1, 0] - vertices[a, 1, 0]
    acz = vertices[c, 2, 0] - vertices[a, 2, 0]
    px = x - vertices[a, 0, 0]
    py = y - vertices[a, 1, 0]
    pz = z - vertices[a, 2, 0]
    d1 = abx * px + aby * py + abz * pz
    d2 = acx * px + acy * py + acz * pz
    d3 = d1 - (abx * abx + aby * aby + abz * abz)
    d4 = d2 - (abx * acx + aby * acy + abz * acz)
    d5 = d1 - (abx * acx + aby * acy + abz * acz)
    d6 = d2 - (acx * acx + acy * acy + acz * acz)
    va = d3 * d6 - d5 * d4
    vb = d5 * d2 - d1 * d6
    vc = d1 * d4 - d3 * d2
    v = 0.0
    w = 0.0
    if d1 > 0.0 or d2 > 0.0:
        if d3 >= 0.0 and d4 <= d3:
            v = 1.0
        elif d6 >= 0.0 and d5 <= d6:
            w = 1.0
        elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
            v = d1 / (d1 - d3)
        elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
            w = d2 / (d2 - d6)
        elif va <= 0.0 and d4 >= d3 and d5 >= d6:
            w = (d4 - d3) / ((d4 - d3) + (d5 - d6))
            v = 1.0 - w
        else:
            v = vb / (va + vb + vc)
            w = vc / (va + vb + vc)
    return px - v * abx - w * acx, py - v * aby - w * acy, pz - v * abz - w * acz


@function
def nearest_face(root, x, y, z, reach, deep, vertices, triangles, normals, lows, highs, firsts, counts):
    """The triangle over or under whose face a point lies, if no other one is nearer.

    Args:
        reach, deep: how far above and below triangles are looked for, m.
        vertices, triangles, normals: HullVertexPosition.position, MeshTriangleGeometry.vertex, .normal.
        lows, highs, firsts, counts: MeshNodeBox's fields.

    Returns:
        its number, -1 if there is none; and the height of the point above it, negative behind.
    """
    pending = local_int(STACK)
    pending[0] = root
    top = 1
    found = -1
    height = 0.0
    straight = 0.0
    radius = max(reach, deep)
    near = radius
    while top > 0:
        top, first, leaves = next_leaf(lows, highs, firsts, counts, pending, top, x, y, z, near, near, near)
        for t in range(first, first + leaves):
            px, py, pz = way_to_triangle(vertices, triangles[t, 0, 0], triangles[t, 1, 0], triangles[t, 2, 0], x, y, z)
            distance = math.sqrt(px * px + py * py + pz * pz)
            level = normals[t, 0, 0] * px + normals[t, 1, 0] * py + normals[t, 2, 0] * pz
            # Of those that meet at the nearest edge or corner the one that the point lies most squarely over.
            better = distance < 0.9999 * near or (distance <= 1.0001 * near and math.fabs(level) > math.fabs(height))
            if found < 0:
                better = distance <= near
            if better:
                found = t
                height = level
                straight = distance
                near = min(near, distance)
    if math.fabs(height) < _STRAIGHT * straight or height > reach or height < -deep:
        found = -1
    return found, height
