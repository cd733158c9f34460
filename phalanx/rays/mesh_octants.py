"""Searching a mesh's tree as GPUs like it: the order of children comes from the ray's signs, and what waits is a mask.

A child's place in the mask is its slot with the bits of the ray's octant changed, so that the nearest comes highest
(Ylitie, Karras and Laine 2017). Nothing is sorted, and the stack has two words a level.
"""

import math

from phalanx.ecs import function, local_int
from phalanx.rays.directions import inverse_of
from phalanx.rays.mesh_search import BOTH
from phalanx.rays.mesh_tree import LEVELS
from phalanx.rays.primitives import (
    as_float,
    as_int,
    chosen,
    count_bits,
    entered_of,
    everyone,
    exchanged_bytes,
    fma,
    highest_bit,
    lane_number,
    load_node,
    load_sides,
    marked,
    members,
    missed,
    narrow,
    narrow_signed,
    pair_at,
    put_pair,
    way_inside,
    word,
)
from phalanx.rays.triangle import axes_of, in_order, ray_shear, ray_triangle_at
from phalanx.rays.wide_nodes import NODES, TRIANGLES

INF = math.inf

NOTHING = 0x7FFFFFFF
"""Instead of a triangle's number."""

FIRST = 0x80000000
"""Bits of a node's children that are to be entered: the nearest."""

PATIENCE = 4
"""Triangles are tested when more than one thread of so many that have something to do waits for that. Each waits for
its own before it looks at another node, so what a ray meets, and in which order, does not depend on others."""

TOGETHER = 0
"""1 where all threads of a warp search at once, each of which may have nothing to search: a limit below zero."""

HIGHEST = 0x80808080
"""The highest bits of four bytes."""

RAY, LEVEL_0 = 0, 8
"""Rows of cells: of rays, and of levels; those between are :mod:`~.scene_kernels`'."""


@function
def first_inside(ax, ay, az, bx, by, bz, ix, iy, iz, ox, oy, oz, limit):
    """:func:`~.primitives.way_inside` of the first of two slots.

    Args:
        a, b: words of near and far sides of both.
        i, o: slopes and offsets, from sides to where they are on the ray.
    """
    return way_inside(
        fma(as_float(narrow(ax << 16)), ix, ox), fma(as_float(narrow(ay << 16)), iy, oy),
        fma(as_float(narrow(az << 16)), iz, oz),
        fma(as_float(narrow(bx << 16)), ix, ox), fma(as_float(narrow(by << 16)), iy, oy),
        fma(as_float(narrow(bz << 16)), iz, oz), limit,
    )  # fmt: skip


@function
def second_inside(ax, ay, az, bx, by, bz, ix, iy, iz, ox, oy, oz, limit):
    """:func:`first_inside` of the second."""
    return way_inside(
        fma(as_float(ax), ix, ox), fma(as_float(ay), iy, oy), fma(as_float(az), iz, oz),
        fma(as_float(bx), ix, ox), fma(as_float(by), iy, oy), fma(as_float(bz), iz, oz), limit,
    )  # fmt: skip


@function
def exchanged(bits, octant, places):
    """Eight bits, the highest of each of eight slots, of which that of slot s goes to slot s ^ octant.

    Args:
        places: of bytes, see :func:`~.primitives.exchanged_bytes`.
    """
    bits = exchanged_bytes(bits, places)
    return narrow(chosen(HIGHEST, bits << 4, bits >> 4) if octant & 1 else bits)


@function
def search_by_octant(depth, cells, nodes, triangles, root, sides, any_hit, px, py, pz, dx, dy, dz, first, limit):
    """As :func:`~.mesh_search.search_by_distance`."""
    deep = local_int(2 * (LEVELS + LEVEL_0))
    rows = depth + LEVEL_0
    lane = lane_number()
    warp = everyone() if TOGETHER else members()
    ix = inverse_of(dx)
    iy = inverse_of(dy)
    iz = inverse_of(dz)
    sx, sy, inverse, axis = ray_shear(dx, dy, dz)
    qx, qy, qz = in_order(axis, px, py, pz)
    put_pair(cells, deep, rows, RAY, lane, as_int(sx), as_int(sy))
    put_pair(cells, deep, rows, RAY + 1, lane, as_int(inverse), axes_of(axis))
    put_pair(cells, deep, rows, RAY + 2, lane, as_int(qx), as_int(qy))
    put_pair(cells, deep, rows, RAY + 3, lane, as_int(qz), as_int(first))
    octant = (0 if ix < 0.0 else 1) + (0 if iy < 0.0 else 2) + (0 if iz < 0.0 else 4)
    places = 0x3210 ^ (octant >> 1) * 0x1111
    best = limit
    # Words: what the compiler knows to be of 32 bits takes one register in loops, not two.
    found = word(NOTHING)
    level = word(0)
    # As if the root were the only child of a node.
    base = word(root)
    mask = word(FIRST if limit >= 0.0 else 0)
    kinds = word(0)
    leaves = word(0)
    pending = word(0)
    waiting = word(0)
    going = word(marked(warp, mask))
    while going != 0:
        if count_bits(waiting) * PATIENCE > count_bits(going):
            if pending != 0:
                bit = highest_bit(pending)
                pending = word(pending ^ (1 << bit))
                t = narrow(leaves + count_bits(kinds & TRIANGLES & ((1 << bit) - 1)))
                slope_x, slope_y = pair_at(cells, deep, rows, RAY, lane)
                scale, axes = pair_at(cells, deep, rows, RAY + 1, lane)
                from_x, from_y = pair_at(cells, deep, rows, RAY + 2, lane)
                from_z, least = pair_at(cells, deep, rows, RAY + 3, lane)
                distance, area = ray_triangle_at(
                    triangles, t, axes, as_float(from_x), as_float(from_y), as_float(from_z),
                    as_float(slope_x), as_float(slope_y), as_float(scale),
                )  # fmt: skip
                seen = word(sides) == BOTH or area * as_float(scale) > 0.0
                if seen and distance >= as_float(least) and distance <= best and (found == NOTHING or distance < best):
                    best = distance
                    found = word(t)
                    if word(any_hit) == 1:
                        pending = word(0)
                        mask = word(0)
                        level = word(0)
        elif pending == 0 and narrow(mask & NODES | level) != 0:
            if mask & NODES == 0:
                level = word(level - 1)
                under, rest = pair_at(cells, deep, rows, LEVEL_0 + level, lane)
                base = word(under)
                mask = word(rest)
            bit = highest_bit(mask & NODES)
            mask = word(mask ^ (1 << bit))
            slot = (bit >> 2) ^ octant
            node = narrow(base + count_bits(mask & (NODES >> 1) & ((1 << 4 * slot) - 1)))
            if mask & NODES != 0:
                put_pair(cells, deep, rows, LEVEL_0 + level, lane, base, mask)
                level = word(level + 1)
            cx, cy, cz, kinds, base, leaves = load_node(nodes, node)
            ax0, ax1, ax2, ax3, bx0, bx1, bx2, bx3 = load_sides(nodes, node, octant, 0)
            ay0, ay1, ay2, ay3, by0, by1, by2, by3 = load_sides(nodes, node, octant, 1)
            az0, az1, az2, az3, bz0, bz1, bz2, bz3 = load_sides(nodes, node, octant, 2)
            ox = (cx - px) * ix
            oy = (cy - py) * iy
            oz = (cz - pz) * iz
            # Slots 2 k and 2 k + 1 are in the words of number k.
            misses = missed(
                first_inside(ax0, ay0, az0, bx0, by0, bz0, ix, iy, iz, ox, oy, oz, best),
                second_inside(ax0, ay0, az0, bx0, by0, bz0, ix, iy, iz, ox, oy, oz, best),
                first_inside(ax1, ay1, az1, bx1, by1, bz1, ix, iy, iz, ox, oy, oz, best),
                second_inside(ax1, ay1, az1, bx1, by1, bz1, ix, iy, iz, ox, oy, oz, best),
                first_inside(ax2, ay2, az2, bx2, by2, bz2, ix, iy, iz, ox, oy, oz, best),
                second_inside(ax2, ay2, az2, bx2, by2, bz2, ix, iy, iz, ox, oy, oz, best),
                first_inside(ax3, ay3, az3, bx3, by3, bz3, ix, iy, iz, ox, oy, oz, best),
                second_inside(ax3, ay3, az3, bx3, by3, bz3, ix, iy, iz, ox, oy, oz, best),
            )
            pending = word(entered_of(kinds, misses, TRIANGLES))
            inner = exchanged(entered_of(kinds, misses, NODES), octant, places)
            mask = word(inner | kinds >> 1 & NODES >> 1)
        waiting = word(marked(warp, pending))
        going = word(waiting | marked(warp, mask & NODES | level))
    return (best, narrow_signed(found)) if found != NOTHING else (INF, -1)
