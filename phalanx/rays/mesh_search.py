"""Searching a mesh's tree of eight children a node: in the order of distance, with children that wait on a stack."""

import math

from phalanx.ecs import function, local_int
from phalanx.rays.directions import inverse_of
from phalanx.rays.mesh_tree import LEVELS
from phalanx.rays.primitives import as_float, count_bits, entered_children, fetch, least_key
from phalanx.rays.triangle import axes_of, in_order, ray_shear, ray_triangle_at
from phalanx.rays.wide_nodes import CHILD, KINDS, NODES, TRIANGLE, TRIANGLES, WORDS

INF = math.inf

BOTH, FRONT = range(2)
"""Sides of triangles that count."""

NOTHING = 0x7FFFFFFF
"""Instead of a triangle's number."""

NODES_AHEAD, TRIANGLES_AHEAD = 96, 192
"""Words of a node's children that are brought into the cache while it is looked which of them a ray enters. Eight
nodes have 160, eight leaves of two triangles 192."""


@function
def search_by_distance(depth, cells, nodes, triangles, root, sides, any_hit, px, py, pz, dx, dy, dz, first, limit):
    """The nearest triangle of a mesh within ``first``..``limit`` along a ray: distance, triangle.

    Args:
        depth: levels of nodes that the tree may have.
        cells: see :func:`~.primitives.warp_cells`.
        nodes, triangles: :attr:`~.mesh_tree.MeshTree.nodes`, flat, and ``triangles``, flat.
        root: node to begin with.
        sides: BOTH or FRONT.
        any_hit: 1: some hit will do.
        p, d: origin, near the mesh's box, and direction, finite and not zero; distances are in lengths of it.
        limit: below zero there is nothing to search.

    Returns:
        inf and -1 if there is none.
    """
    ix = inverse_of(dx)
    iy = inverse_of(dy)
    iz = inverse_of(dz)
    sx, sy, inverse, axis = ray_shear(dx, dy, dz)
    qx, qy, qz = in_order(axis, px, py, pz)
    best, found = search_below(
        nodes, triangles, root, sides, any_hit, px, py, pz, ix, iy, iz, qx, qy, qz, sx, sy, inverse, axes_of(axis),
        first, limit, NOTHING,
    )  # fmt: skip
    return (best, found) if found != NOTHING else (INF, -1)


@function
def search_below(
    nodes, triangles, root, sides, any_hit, px, py, pz, ix, iy, iz, qx, qy, qz, sx, sy, inverse, axes,
    first, best, found,
):  # fmt: skip
    """The search below a node, with what was found so far.

    Args:
        i: see :func:`~.directions.inverse_of`.
        q: origin :func:`~.triangle.in_order`.
        sx, sy, inverse, axes: see :func:`~.triangle.ray_shear` and :func:`~.triangle.axes_of`.
        best, found: distance and triangle; what is farther, or as far with a higher number, does not count.

    Returns:
        best and found.
    """
    keys = local_int(8 * (LEVELS + 1))  # of the children of one node a level
    owners = local_int(LEVELS + 1)
    left = local_int(LEVELS + 1)
    nearest = local_int(LEVELS + 1)  # key of those left of a level that waits
    level = 1
    owners[1] = root
    left[1] = 255
    nearest[0] = 0  # where the way up ends
    key = entered_children(nodes, root, px, py, pz, ix, iy, iz, best, keys, 1)
    while level > 0:
        if not as_float(key & -8) <= best:  # NEVER is no number
            level -= 1
            key = nearest[level]
            continue
        s = key & 7
        left[level] = left[level] & ~(1 << s)
        rest = least_key(keys, level, left[level])  # now, when nothing waits for it
        at = WORDS * owners[level]
        kinds = nodes[at + KINDS]
        before = kinds & ((1 << 4 * s) - 1)
        own = kinds >> 4 * s & 15
        if own == 8:
            child = nodes[at + CHILD] + count_bits(before & NODES)
            nearest[level] = rest
            level += 1 if as_float(rest & -8) <= best else 0
            fetch(nodes, WORDS * nodes[WORDS * child + CHILD], NODES_AHEAD)
            fetch(triangles, 12 * nodes[WORDS * child + TRIANGLE], TRIANGLES_AHEAD)
            key = entered_children(nodes, child, px, py, pz, ix, iy, iz, best, keys, level)
            owners[level] = child
            left[level] = 255
        else:
            leaf = nodes[at + TRIANGLE] + count_bits(before & TRIANGLES)
            for t in range(leaf, leaf + count_bits(own)):
                distance, area = ray_triangle_at(triangles, t, axes, qx, qy, qz, sx, sy, inverse)
                if (
                    distance >= first
                    and distance <= best
                    and (sides == BOTH or area * inverse > 0.0)
                    and (distance < best or t < found)
                ):
                    best = distance
                    found = t
            key = rest
            if any_hit == 1 and found != NOTHING:
                level = 0
    return best, found
