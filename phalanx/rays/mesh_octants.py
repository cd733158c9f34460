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
    add_entered,
    as_float,
    as_int,
    bits_of_one,
    byte_above_one,
    count_bits,
    fma,
    four_above,
    four_below,
    highest_bit,
    lane_number,
    load_words,
    marked,
    members,
    narrow,
    narrow_signed,
    not_above,
    pair_at,
    put_pair,
    votes,
    word,
)
from phalanx.rays.triangle import frame_rows, ray_shear, ray_triangle_at
from phalanx.rays.wide_nodes import NODES, TRIANGLES

INF = math.inf

NOTHING = 0x7FFFFFFF
"""Instead of a triangle's number."""

FIRST = 0x80000000
"""Bits of a node's children that are to be entered: the nearest."""

PATIENCE = 4
"""Triangles are tested when more than one thread of so many that have something to do waits for that. Each waits for
its own before it looks at another node, so what a ray meets, and in which order, does not depend on others."""

HIGHEST = 0x80808080
"""The highest bits of four bytes."""

RAY, LEVEL_0 = 0, 7
"""Rows of cells: of rays, and of levels; those between are :mod:`~.scene_kernels`'."""


@function
def entered(children, slot, k, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit):
    """``children`` and the bits of a slot, if a ray enters the child whose sides are bytes k of a (near) and b (far).

    Args:
        one: :func:`~.bits_of_one`.
        s, o: slopes and offsets, from bytes to where sides are on the ray.
    """
    return add_entered(
        children, slot,
        fma(byte_above_one(ax, k, one), sx, ox), fma(byte_above_one(ay, k, one), sy, oy),
        fma(byte_above_one(az, k, one), sz, oz),
        fma(byte_above_one(bx, k, one), sx, ox), fma(byte_above_one(by, k, one), sy, oy),
        fma(byte_above_one(bz, k, one), sz, oz), limit,
    )  # fmt: skip


@function
def entered_four(children, slot, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit):
    """``children`` and the bits of four slots, every second one, of those that a ray enters."""
    children = entered(children, slot, 0, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    children = entered(children, slot + 2, 1, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    children = entered(children, slot + 4, 2, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    return entered(children, slot + 6, 3, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)


@function
def overlapped(steps, px, py, pz, end, cx, cy, cz, lx0, lx1, ly0, ly1, lz0, lz1, hx0, hx1, hy0, hy1, hz0, hz1):
    """Bits of the slots whose boxes a ray along z enters, from p to where z is ``end``: compared in whole steps.

    Args:
        steps, c, l, h: of the node.
    """
    x = (px - cx) * as_float(narrow(0x7F000000 - ((steps & 255) << 23)))  # by 1 / step
    y = (py - cy) * as_float(narrow(0x7F000000 - ((steps >> 8 & 255) << 23)))
    per_z = as_float(narrow(0x7F000000 - ((steps >> 16 & 255) << 23)))
    ax = four_below(x)
    bx = four_above(x)
    ay = four_below(y)
    by = four_above(y)
    az = four_below((max(pz, end) - cz) * per_z)
    bz = four_above((min(pz, end) - cz) * per_z)
    even = narrow(
        not_above(lx0, ax) & not_above(bx, hx0) & not_above(ly0, ay) & not_above(by, hy0)
        & not_above(lz0, az) & not_above(bz, hz0) & HIGHEST
    )  # fmt: skip
    odd = narrow(
        not_above(lx1, ax) & not_above(bx, hx1) & not_above(ly1, ay) & not_above(by, hy1)
        & not_above(lz1, az) & not_above(bz, hz1) & HIGHEST
    )  # fmt: skip
    found = narrow(even >> 4 | odd)
    return narrow(found | (found - (found >> 3)))


@function
def exchanged(bits, octant):
    """Eight bits, the highest of each of eight slots, of which that of slot s goes to slot s ^ octant."""
    if octant & 1:
        bits = (bits & 0x08080808) << 4 | bits >> 4 & 0x08080808
    if octant & 2:
        bits = (bits & 0x00880088) << 8 | bits >> 8 & 0x00880088
    if octant & 4:
        bits = (bits & 0x00008888) << 16 | bits >> 16 & 0x00008888
    return bits


@function
def search_by_octant(depth, cells, nodes, triangles, root, sides, any_hit, px, py, pz, dx, dy, dz, first, limit):
    """As :func:`~.mesh_search.search_by_distance`."""
    deep = local_int(2 * (LEVELS + LEVEL_0))
    rows = depth + LEVEL_0
    lane = lane_number()
    warp = members()
    ix = inverse_of(dx)
    iy = inverse_of(dy)
    iz = inverse_of(dz)
    sx, sy, inverse, axis = ray_shear(dx, dy, dz)
    put_pair(cells, deep, rows, RAY, lane, as_int(sx), as_int(sy))
    put_pair(cells, deep, rows, RAY + 1, lane, as_int(inverse), axis)
    put_pair(cells, deep, rows, RAY + 2, lane, as_int(first), as_int(dz))
    straight = votes(warp, dx != 0.0 or dy != 0.0) == 0  # along z, as grids are scanned: a third less for a node
    octant = (0 if ix < 0.0 else 1) + (0 if iy < 0.0 else 2) + (0 if iz < 0.0 else 4)
    one = bits_of_one()
    best = limit
    # Words: what the compiler knows to be of 32 bits takes one register in loops, not two.
    found = word(NOTHING)
    level = word(0)
    # As if the root were the only child of a node.
    base = word(root)
    mask = word(FIRST)
    kinds = word(0)
    leaves = word(0)
    pending = word(0)
    waiting = word(0)
    going = word(warp)
    while going != 0:
        if count_bits(waiting) * PATIENCE > count_bits(going):
            if pending != 0:
                bit = highest_bit(pending)
                pending = word(pending ^ (1 << bit))
                t = narrow(leaves + count_bits(kinds & TRIANGLES & ((1 << bit) - 1)))
                slope_x, slope_y = pair_at(cells, deep, rows, RAY, lane)
                scale, longest = pair_at(cells, deep, rows, RAY + 1, lane)
                least, _one = pair_at(cells, deep, rows, RAY + 2, lane)
                x0, x1, x2, y0, y1, y2, z0, z1, z2 = frame_rows(
                    as_float(slope_x), as_float(slope_y), as_float(scale), longest
                )
                distance, area = ray_triangle_at(triangles, t, px, py, pz, x0, x1, x2, y0, y1, y2, z0, z1, z2)
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
            at = 20 * node
            cx, cy, cz, steps = load_words(nodes, at)
            base, leaves, kinds, _unused = load_words(nodes, at + 4)
            lx0, lx1, ly0, ly1 = load_words(nodes, at + 8)
            lz0, lz1, hx0, hx1 = load_words(nodes, at + 12)
            hy0, hy1, hz0, hz1 = load_words(nodes, at + 16)
            if straight:
                _least, along = pair_at(cells, deep, rows, RAY + 2, lane)
                hits = overlapped(
                    steps, px, py, pz, pz + best * as_float(along), as_float(cx), as_float(cy), as_float(cz),
                    lx0, lx1, ly0, ly1, lz0, lz1, hx0, hx1, hy0, hy1, hz0, hz1,
                )  # fmt: skip
            else:
                # The steps' exponents become floats; 2**15 makes up for what byte_above_one divides by.
                ax = as_float((steps & 255) << 23) * ix * 32768.0
                ay = as_float((steps >> 8 & 255) << 23) * iy * 32768.0
                az = as_float((steps >> 16 & 255) << 23) * iz * 32768.0
                ox = (as_float(cx) - px) * ix - ax
                oy = (as_float(cy) - py) * iy - ay
                oz = (as_float(cz) - pz) * iz - az
                hits = entered_four(
                    0, 0, one,
                    lx0 if ix >= 0.0 else hx0, hx0 if ix >= 0.0 else lx0,
                    ly0 if iy >= 0.0 else hy0, hy0 if iy >= 0.0 else ly0,
                    lz0 if iz >= 0.0 else hz0, hz0 if iz >= 0.0 else lz0,
                    ax, ay, az, ox, oy, oz, best,
                )  # fmt: skip
                hits = entered_four(
                    hits, 1, one,
                    lx1 if ix >= 0.0 else hx1, hx1 if ix >= 0.0 else lx1,
                    ly1 if iy >= 0.0 else hy1, hy1 if iy >= 0.0 else ly1,
                    lz1 if iz >= 0.0 else hz1, hz1 if iz >= 0.0 else lz1,
                    ax, ay, az, ox, oy, oz, best,
                )  # fmt: skip
            hits = hits & kinds
            pending = word(hits & TRIANGLES)
            mask = word(exchanged(hits & NODES, octant) | (kinds & NODES) >> 1)
        waiting = word(marked(warp, pending))
        going = word(waiting | marked(warp, mask & NODES | level))
    return (best, narrow_signed(found)) if found != NOTHING else (INF, -1)
