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
    bits_of_one,
    byte_above_one,
    count_bits,
    fma,
    highest_bit,
    load_words,
    narrow,
)
from phalanx.rays.triangle import ray_frame, ray_triangle_at

INF = math.inf

NOTHING = 0x7FFFFFFF
"""Instead of a triangle's number."""


@function
def entered(children, slot, k, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit):
    """``children`` and the bit of a slot, if a ray enters the child whose sides are bytes k of a (near) and b (far).

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
    """``children`` and the bits of four slots, of those that a ray enters."""
    children = entered(children, slot, 0, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    children = entered(children, slot + 1, 1, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    children = entered(children, slot + 2, 2, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)
    return entered(children, slot + 3, 3, one, ax, bx, ay, by, az, bz, sx, sy, sz, ox, oy, oz, limit)


@function
def exchanged(bits, octant):
    """Eight bits, of which bit s goes to place s ^ octant."""
    if octant & 1:
        bits = (bits & 0x55) << 1 | bits >> 1 & 0x55
    if octant & 2:
        bits = (bits & 0x33) << 2 | bits >> 2 & 0x33
    if octant & 4:
        bits = (bits & 0x0F) << 4 | bits >> 4 & 0x0F
    return bits


@function
def search_by_octant(nodes, triangles, root, sides, any_hit, px, py, pz, dx, dy, dz, first, limit):
    """As :func:`~.mesh_search.search_by_distance`."""
    bases = local_int(LEVELS)
    masks = local_int(LEVELS)
    ix = inverse_of(dx)
    iy = inverse_of(dy)
    iz = inverse_of(dz)
    x0, x1, x2, y0, y1, y2, z0, z1, z2 = ray_frame(dx, dy, dz)
    sign = z0 + z1 + z2
    octant = (0 if ix < 0.0 else 1) + (0 if iy < 0.0 else 2) + (0 if iz < 0.0 else 4)
    one = bits_of_one()
    best = limit
    found = NOTHING
    level = 0
    node = narrow(root)
    going = True
    while going:
        at = 20 * node
        cx, cy, cz, steps = load_words(nodes, at)
        base, leaves, metas, more_metas = load_words(nodes, at + 4)
        lx0, lx1, ly0, ly1 = load_words(nodes, at + 8)
        lz0, lz1, hx0, hx1 = load_words(nodes, at + 12)
        hy0, hy1, hz0, hz1 = load_words(nodes, at + 16)
        # The steps' exponents become floats; 2**15 makes up for what byte_above_one divides by.
        sx = as_float((steps & 255) << 23) * ix * 32768.0
        sy = as_float((steps >> 8 & 255) << 23) * iy * 32768.0
        sz = as_float((steps >> 16 & 255) << 23) * iz * 32768.0
        ox = (as_float(cx) - px) * ix - sx
        oy = (as_float(cy) - py) * iy - sy
        oz = (as_float(cz) - pz) * iz - sz
        hits = entered_four(
            0, 0, one,
            lx0 if ix >= 0.0 else hx0, hx0 if ix >= 0.0 else lx0,
            ly0 if iy >= 0.0 else hy0, hy0 if iy >= 0.0 else ly0,
            lz0 if iz >= 0.0 else hz0, hz0 if iz >= 0.0 else lz0,
            sx, sy, sz, ox, oy, oz, best,
        )  # fmt: skip
        hits = entered_four(
            hits, 4, one,
            lx1 if ix >= 0.0 else hx1, hx1 if ix >= 0.0 else lx1,
            ly1 if iy >= 0.0 else hy1, hy1 if iy >= 0.0 else ly1,
            lz1 if iz >= 0.0 else hz1, hz1 if iz >= 0.0 else lz1,
            sx, sy, sz, ox, oy, oz, best,
        )  # fmt: skip
        inner = steps >> 24
        leaf_hits = narrow(hits & (inner ^ 255))
        while leaf_hits != 0:
            s = highest_bit(leaf_hits)
            leaf_hits = narrow(leaf_hits ^ (1 << s))
            meta = (metas if s < 4 else more_metas) >> 8 * (s & 3)
            t = narrow(leaves + (meta & 31))
            last = narrow(t + (meta >> 5 & 7))
            while t <= last:
                distance, area = ray_triangle_at(triangles, t, px, py, pz, x0, x1, x2, y0, y1, y2, z0, z1, z2)
                seen = sides == BOTH or area * sign > 0.0
                if seen and distance >= first and distance <= best and (found == NOTHING or distance < best):
                    best = distance
                    found = t
                t = narrow(t + 1)
        mask = narrow(exchanged(hits & inner, octant) | inner << 8)
        if any_hit == 1 and found != NOTHING:
            going = False
        elif mask & 255 == 0:
            going = level > 0
            if going:
                level = narrow(level - 1)
                base = narrow(bases[level])
                mask = narrow(masks[level])
        if going:
            bit = highest_bit(mask & 255)
            mask = narrow(mask ^ (1 << bit))
            s = bit ^ octant
            if mask & 255 != 0:
                bases[level] = base
                masks[level] = mask
                level = narrow(level + 1)
            node = narrow(base + count_bits(mask >> 8 & ((1 << s) - 1)))
    return (best, found) if found != NOTHING else (INF, -1)
