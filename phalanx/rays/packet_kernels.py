"""The CPU's kernels for casts at one mesh that is all there is: eight rays at once, results as of
:mod:`~.ray_kernels`.
"""

import math

from phalanx.ecs import function, local, local_int
from phalanx.rays.mesh_search import NOTHING
from phalanx.rays.packet_search import BEST, DX, DY, DZ, FIRST, PX, PY, PZ, ROWS, search_packet
from phalanx.rays.primitives import Int, Ints, Real, Reals, Words
from phalanx.rays.ray_kernels import cast_pattern, cast_rays, given_ray, pattern_ray
from phalanx.rays.scene_kernels import (
    FARTHEST,
    enter_alone,
    is_usual,
    leave_alone,
    to_local,
    turned_to_local,
    unit_direction,
    write_hit,
)

INF = math.inf

OX, OY, OZ, WX, WY, WZ, LIMIT = range(ROWS, ROWS + 7)
"""Further rows of a packet: rays in the world, and how far they reach."""

ALL_ROWS = ROWS + 7


@function
def put_ray(packet, lane, table, frames, boxes, groups, ox, oy, oz, dx, dy, dz, reach):
    """Put a ray, of any direction, into a packet; its bit if it has something to search."""
    dx, dy, dz = unit_direction(dx, dy, dz)
    limit = min(reach, FARTHEST) if is_usual(ox, oy, oz, dx, dy, dz, reach) else -1.0
    packet[8 * OX + lane] = ox
    packet[8 * OY + lane] = oy
    packet[8 * OZ + lane] = oz
    packet[8 * WX + lane] = dx
    packet[8 * WY + lane] = dy
    packet[8 * WZ + lane] = dz
    packet[8 * LIMIT + lane] = limit
    enters, start = enter_alone(table, boxes, groups, ox, oy, oz, dx, dy, dz, limit)
    if enters:
        px, py, pz = to_local(frames, 0, ox + start * dx, oy + start * dy, oz + start * dz)
        ux, uy, uz = turned_to_local(frames, 0, dx, dy, dz)
        packet[8 * PX + lane] = px
        packet[8 * PY + lane] = py
        packet[8 * PZ + lane] = pz
        packet[8 * DX + lane] = ux
        packet[8 * DY + lane] = uy
        packet[8 * DZ + lane] = uz
        packet[8 * FIRST + lane] = -start
        packet[8 * BEST + lane] = limit - start
    return (1 if enters else 0) << lane


@function
def write_ray(
    packet, lanes, found, lane, ray, table, sizes, frames, triangles, samples,
    distance, position, has_position, normal, has_normal, ids, has_ids,
):  # fmt: skip
    """Write what a ray of a packet hit."""
    triangle = int(found[lane]) if lanes >> lane & 1 else NOTHING
    t = INF
    face = -1
    if triangle != NOTHING:
        t = leave_alone(
            triangles, triangle, -packet[8 * FIRST + lane],
            packet[8 * PX + lane], packet[8 * PY + lane], packet[8 * PZ + lane],
            packet[8 * DX + lane], packet[8 * DY + lane], packet[8 * DZ + lane], packet[8 * BEST + lane],
        )  # fmt: skip
        face = triangle
    met = t <= packet[8 * LIMIT + lane]
    write_hit(
        ray, table, sizes, frames, triangles, samples, 1, 1,
        packet[8 * OX + lane], packet[8 * OY + lane], packet[8 * OZ + lane],
        packet[8 * WX + lane], packet[8 * WY + lane], packet[8 * WZ + lane],
        t if met else INF, 0 if met else -1, face if met else -1, 0.0, 0.0, 0.0,
        distance, position, has_position, normal, has_normal, ids, has_ids,
    )  # fmt: skip


def cast_packets(
    low,
    high: Int,
    per_environment: Int,
    origins: Reals,
    directions: Reals,
    limits: Reals,
    has_limits: Int,
    limit: Real,
    shared: Int,
    own: Int,
    table: Ints,
    sizes: Reals,
    frames: Reals,
    boxes: Reals,
    bounds: Reals,
    nodes: Words,
    triangles: Reals,
    samples: Reals,
    groups: Int,
    sides: Int,
    any_hit: Int,
    distance: Reals,
    position: Reals,
    has_position: Int,
    normal: Reals,
    has_normal: Int,
    ids: Ints,
    has_ids: Int,
):
    """:func:`~.ray_kernels.cast_rays` for rays ``low`` to ``high - 1``."""
    packet = local(8 * ALL_ROWS)
    found = local_int(8)
    for first in range(low, high, 8):
        lanes = 0
        for lane in range(8):
            ray = min(first + lane, high - 1)  # the last packet has the last ray more than once
            ox, oy, oz, dx, dy, dz, reach = given_ray(ray, origins, directions, limits, has_limits, limit)
            lanes |= put_ray(packet, lane, table, frames, boxes, groups, ox, oy, oz, dx, dy, dz, reach)
        if lanes != 0:
            search_packet(nodes, triangles, table[1], sides, any_hit, packet, lanes, found)
        for lane in range(8):
            write_ray(
                packet, lanes, found, lane, min(first + lane, high - 1), table, sizes, frames, triangles, samples,
                distance, position, has_position, normal, has_normal, ids, has_ids,
            )  # fmt: skip


def cast_pattern_packets(
    low,
    high: Int,
    per_environment: Int,
    width: Int,
    starts: Reals,
    has_starts: Int,
    directions: Reals,
    patterns: Int,
    sensor_position: Reals,
    sensor_orientation: Reals,
    limit: Real,
    shared: Int,
    own: Int,
    table: Ints,
    sizes: Reals,
    frames: Reals,
    boxes: Reals,
    bounds: Reals,
    nodes: Words,
    triangles: Reals,
    samples: Reals,
    groups: Int,
    sides: Int,
    any_hit: Int,
    distance: Reals,
    position: Reals,
    has_position: Int,
    normal: Reals,
    has_normal: Int,
    ids: Ints,
    has_ids: Int,
):
    """:func:`~.ray_kernels.cast_pattern` for rays ``low`` to ``high - 1``; packets of images are 4 x 2 pixels."""
    packet = local(8 * ALL_ROWS)
    found = local_int(8)
    rays = local_int(8)
    for first in range(low, high, 8):
        lanes = 0
        for lane in range(8):
            ray = min(first + lane, high - 1)
            if width > 0:  # of each 32, the eight of a quarter of their tile: bits u, u, v, u, v for u, u, u, v, v
                ray = ray & ~12 | (ray & 4) << 1 | ray >> 1 & 4
            e, p, ox, oy, oz, dx, dy, dz = pattern_ray(
                ray, per_environment, width, starts, has_starts, directions, patterns,
                sensor_position, sensor_orientation,
            )  # fmt: skip
            lanes |= put_ray(packet, lane, table, frames, boxes, groups, ox, oy, oz, dx, dy, dz, limit)
            rays[lane] = e * per_environment + p
        if lanes != 0:
            search_packet(nodes, triangles, table[1], sides, any_hit, packet, lanes, found)
        for lane in range(8):
            write_ray(
                packet, lanes, found, lane, int(rays[lane]), table, sizes, frames, triangles, samples,
                distance, position, has_position, normal, has_normal, ids, has_ids,
            )  # fmt: skip


PACKETS = {cast_rays: cast_packets, cast_pattern: cast_pattern_packets}
"""What the CPU has instead."""
