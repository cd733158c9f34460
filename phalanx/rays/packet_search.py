"""Searching a mesh's tree with eight rays at once, on the CPU: neighbours go much the same way.

Those that look the same way, by octant and longest axis, go through the tree together: a node's boxes are tested one by
one, each by eight rays. The child that is nearest to one of them is next; where only few enter it, each goes on alone
(:mod:`~.mesh_search`). What a ray meets is the same to the bit, whatever its neighbours are.
"""

import math

from phalanx.ecs import function, local, local_int
from phalanx.rays.directions import STEEP
from phalanx.rays.lanes import (
    eight,
    flag_bits,
    flags_of,
    greater,
    greatest_lane,
    lanes_at,
    lesser,
    packet_keys,
    put_lanes,
    side_lanes,
    where,
)
from phalanx.rays.mesh_search import BOTH, NODES_AHEAD, NOTHING, TRIANGLES_AHEAD, search_below
from phalanx.rays.mesh_tree import LEVELS
from phalanx.rays.primitives import NEVER, as_float, count_bits, fetch, fma, highest_bit, least_key, load_corners
from phalanx.rays.triangle import axes_of, edge, in_order
from phalanx.rays.wide_nodes import (
    CHILD,
    HIGH_X,
    HIGH_Y,
    HIGH_Z,
    KINDS,
    LOW_X,
    LOW_Y,
    LOW_Z,
    MIDDLE,
    NODES,
    TRIANGLE,
    TRIANGLES,
    WORDS,
)

INF = math.inf

FEW = 3
"""So many rays that are left at a node, or fewer, are searched for one by one."""

PX, PY, PZ, DX, DY, DZ, FIRST, BEST = range(8)
"""Rows of a packet: of each ray, what :func:`search_packet` is given. BEST is its limit, and then its result."""

IX, IY, IZ, QX, QY, QZ, SX, SY, INVERSE = range(8, 17)
"""And what it makes of that, see :func:`~.mesh_search.search_below`."""

ROWS = 17


@function
def enter_lanes(ax, ay, az, bx, by, bz, ix, iy, iz, ox, oy, oz, best):
    """Where rays enter a box before ``best``; inf if they don't.

    Args:
        a, b: near and far sides.
        i, o: slopes and offsets, from sides to where they are on the ray.
    """
    low = greater(greater(greater(fma(ax, ix, ox), fma(ay, iy, oy)), fma(az, iz, oz)), eight(0.0))
    high = lesser(lesser(lesser(fma(bx, ix, ox), fma(by, iy, oy)), fma(bz, iz, oz)), best)
    return where(low <= high, low, eight(INF))


@function
def packet_children(nodes, node, octant, packet, best, lows, keys, level):
    """Find the children of a node that some of the rays enter; the least of their keys.

    Args:
        octant: bits of axes along which the rays go up.
        best: eight: what is entered later does not matter.
        lows, keys: of a level, see :func:`~.lanes.packet_keys`.
    """
    at = WORDS * node
    ix = lanes_at(packet, IX)
    iy = lanes_at(packet, IY)
    iz = lanes_at(packet, IZ)
    ox = (eight(as_float(nodes[at + MIDDLE])) - lanes_at(packet, PX)) * ix
    oy = (eight(as_float(nodes[at + MIDDLE + 1])) - lanes_at(packet, PY)) * iy
    oz = (eight(as_float(nodes[at + MIDDLE + 2])) - lanes_at(packet, PZ)) * iz
    near_x = at + (LOW_X if octant & 1 else HIGH_X)
    near_y = at + (LOW_Y if octant & 2 else HIGH_Y)
    near_z = at + (LOW_Z if octant & 4 else HIGH_Z)
    far_x = at + (HIGH_X if octant & 1 else LOW_X)
    far_y = at + (HIGH_Y if octant & 2 else LOW_Y)
    far_z = at + (HIGH_Z if octant & 4 else LOW_Z)
    for k in range(4):
        ax, cx = side_lanes(nodes, near_x + k)
        ay, cy = side_lanes(nodes, near_y + k)
        az, cz = side_lanes(nodes, near_z + k)
        bx, dx = side_lanes(nodes, far_x + k)
        by, dy = side_lanes(nodes, far_y + k)
        bz, dz = side_lanes(nodes, far_z + k)
        first = enter_lanes(ax, ay, az, bx, by, bz, ix, iy, iz, ox, oy, oz, best)
        second = enter_lanes(cx, cy, cz, dx, dy, dz, ix, iy, iz, ox, oy, oz, best)
        put_lanes(lows, 8 * level + 2 * k, first)
        put_lanes(lows, 8 * level + 2 * k + 1, second)
    return packet_keys(lows, keys, level)


@function
def packet_triangle(triangles, t, axes, sides, packet, inside, best, found):
    """Distances and numbers of the nearest triangles so far, triangle t included (:func:`~.triangle.ray_seen`).

    Args:
        axes: see :func:`~.triangle.axes_of`, the same for all rays.
        inside: flags of rays that count.
    """
    ax, bx, cx, ay, by, cy, az, bz, cz = load_corners(triangles, t, axes)
    qx = lanes_at(packet, QX)
    qy = lanes_at(packet, QY)
    qz = lanes_at(packet, QZ)
    sx = lanes_at(packet, SX)
    sy = lanes_at(packet, SY)
    aw = eight(az) - qz
    bw = eight(bz) - qz
    cw = eight(cz) - qz
    au = fma(sx, aw, eight(ax) - qx)
    av = fma(sy, aw, eight(ay) - qy)
    bu = fma(sx, bw, eight(bx) - qx)
    bv = fma(sy, bw, eight(by) - qy)
    cu = fma(sx, cw, eight(cx) - qx)
    cv = fma(sy, cw, eight(cy) - qy)
    u = edge(cu, bv, cv, bu)
    v = edge(au, cv, av, cu)
    w = edge(bu, av, bv, au)
    zero = eight(0.0)
    hit = inside & ((lesser(u, lesser(v, w)) >= zero) | (greater(u, greater(v, w)) <= zero))
    if flag_bits(hit) != 0:
        inverse = lanes_at(packet, INVERSE)
        total = u + v + w
        distance = fma(u, aw, fma(v, bw, w * cw)) * inverse / total  # no number where the area is none
        number = eight(t)
        hit = hit & (distance >= lanes_at(packet, FIRST)) & (distance <= best)
        hit = hit & ((distance < best) | (number < found))
        if sides != BOTH:
            hit = hit & (total * inverse > zero)
        best = where(hit, distance, best)
        found = where(hit, number, found)
    return best, found


@function
def inverse_lanes(d, size):
    """:func:`~.directions.inverse_of` of eight numbers of some sizes."""
    steep = eight(STEEP)
    one = eight(1.0)
    return where(size * steep < one, where(d < eight(0.0), -steep, steep), one / d)


@function
def like(bits, i):
    """Which of eight bits are as bit i."""
    return bits if bits >> i & 1 else ~bits


@function
def search_alike(nodes, triangles, root, sides, any_hit, packet, found, lanes, octant, axes):
    """:func:`search_packet` for rays that look the same way, given as bits.

    Args:
        octant: bits of axes along which they go up.
        axes: see :func:`~.triangle.axes_of`.
    """
    lows = local(64 * (LEVELS + 1))
    keys = local_int(8 * (LEVELS + 1))
    owners = local_int(LEVELS + 1)
    left = local_int(LEVELS + 1)
    nearest = local_int(LEVELS + 1)
    few = 8 if any_hit == 1 else FEW
    alike = flags_of(lanes)
    best = where(alike, lanes_at(packet, BEST), eight(-1.0))
    numbers = lanes_at(found, 0)
    reach = greatest_lane(best)
    child = root
    level = 1
    left[1] = 0
    nearest[0] = 0  # where the way up ends
    nearest[1] = NEVER
    key = NEVER
    while level > 0:
        if child >= 0:
            fetch(nodes, WORDS * nodes[WORDS * child + CHILD], NODES_AHEAD)
            fetch(triangles, 12 * nodes[WORDS * child + TRIANGLE], TRIANGLES_AHEAD)
            if count_bits(lanes) <= few:
                put_lanes(packet, BEST, where(alike, best, lanes_at(packet, BEST)))
                put_lanes(found, 0, numbers)
                while lanes != 0:
                    i = highest_bit(lanes)
                    lanes ^= 1 << i
                    packet[8 * BEST + i], found[i] = search_below(
                        nodes, triangles, child, sides, any_hit,
                        packet[8 * PX + i], packet[8 * PY + i], packet[8 * PZ + i],
                        packet[8 * IX + i], packet[8 * IY + i], packet[8 * IZ + i],
                        packet[8 * QX + i], packet[8 * QY + i], packet[8 * QZ + i],
                        packet[8 * SX + i], packet[8 * SY + i], packet[8 * INVERSE + i], axes,
                        packet[8 * FIRST + i], packet[8 * BEST + i], found[i],
                    )  # fmt: skip
                best = where(alike, lanes_at(packet, BEST), eight(-1.0))
                numbers = lanes_at(found, 0)
                reach = greatest_lane(best)
            else:
                nearest[level] = key
                level += 1 if as_float(key & -8) <= reach else 0
                owners[level] = child
                left[level] = 255
                key = packet_children(nodes, child, octant, packet, best, lows, keys, level)
            child = -1
        if as_float(key & -8) <= reach:
            slot = key & 7
            left[level] &= ~(1 << slot)
            key = least_key(keys, level, left[level])
            inside = lanes_at(lows, 8 * level + slot) <= best
            lanes = flag_bits(inside)
            if lanes != 0:
                at = WORDS * owners[level]
                kinds = nodes[at + KINDS]
                before = kinds & ((1 << 4 * slot) - 1)
                own = kinds >> 4 * slot & 15
                if own == 8:
                    child = nodes[at + CHILD] + count_bits(before & NODES)
                else:
                    leaf = nodes[at + TRIANGLE] + count_bits(before & TRIANGLES)
                    for t in range(leaf, leaf + count_bits(own)):
                        best, numbers = packet_triangle(triangles, t, axes, sides, packet, inside, best, numbers)
                    reach = greatest_lane(best)
        else:
            level -= 1
            key = nearest[level]
    put_lanes(packet, BEST, where(alike, best, lanes_at(packet, BEST)))
    put_lanes(found, 0, numbers)


@function
def search_packet(nodes, triangles, root, sides, any_hit, packet, lanes, found):
    """The nearest triangle along each of eight rays, as :func:`~.mesh_search.search_by_distance` finds it.

    Args:
        packet: float32 array of ROWS of eight: what is needed, and what was found, is in the first.
        lanes: bits of the rays that there are.
        found: int32 array of eight: result, NOTHING if there is none.
    """
    px = lanes_at(packet, PX)
    py = lanes_at(packet, PY)
    pz = lanes_at(packet, PZ)
    dx = lanes_at(packet, DX)
    dy = lanes_at(packet, DY)
    dz = lanes_at(packet, DZ)
    size_x = greater(dx, -dx)
    size_y = greater(dy, -dy)
    size_z = greater(dz, -dz)
    along_x = flag_bits((size_x >= size_y) & (size_x >= size_z))
    along_y = flag_bits(size_y >= size_z) & ~along_x
    ix = inverse_lanes(dx, size_x)
    iy = inverse_lanes(dy, size_y)
    iz = inverse_lanes(dz, size_z)
    put_lanes(packet, IX, ix)
    put_lanes(packet, IY, iy)
    put_lanes(packet, IZ, iz)
    zero = eight(0.0)
    up_x = flag_bits(ix >= zero)
    up_y = flag_bits(iy >= zero)
    up_z = flag_bits(iz >= zero)
    put_lanes(found, 0, eight(NOTHING))
    waiting = lanes
    while waiting != 0:
        i = highest_bit(waiting)
        lanes = waiting & like(along_x, i) & like(along_y, i) & like(up_x, i) & like(up_y, i) & like(up_z, i)
        waiting ^= lanes
        octant = (up_x >> i & 1) | (up_y >> i & 1) << 1 | (up_z >> i & 1) << 2
        axis = 0 if along_x >> i & 1 else (1 if along_y >> i & 1 else 2)
        # Frames as ray_shear has them.
        kx, ky, kz = in_order(axis, dx, dy, dz)
        inverse = eight(1.0) / kz
        put_lanes(packet, SX, -kx * inverse)
        put_lanes(packet, SY, -ky * inverse)
        put_lanes(packet, INVERSE, inverse)
        qx, qy, qz = in_order(axis, px, py, pz)
        put_lanes(packet, QX, qx)
        put_lanes(packet, QY, qy)
        put_lanes(packet, QZ, qz)
        search_alike(nodes, triangles, root, sides, any_hit, packet, found, lanes, octant, axes_of(axis))
