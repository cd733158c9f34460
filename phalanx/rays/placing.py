"""Where instances are: frames and bounds from poses and what they are made of."""

import math

from phalanx.components.shape import PLANE
from phalanx.maths.kernels import quaternion_product, rotate, rotation_matrix
from phalanx.rays.directions import SLACK
from phalanx.rays.primitives import Int, Ints, Reals, split
from phalanx.rays.scene_kernels import BOUNDS, ENTRIES, FARTHEST, FRAME, GROUP

EXTENTS = 16
"""Numbers of an instance's geometry: low x, y, z, high x, y, z, scale x, y, z, and its frame in its body: position,
orientation w, x, y, z."""


def place_instances(
    row,
    rows: Int,
    placed: Int,
    first: Int,
    table: Ints,
    extents: Reals,
    bodies: Int,
    position: Reals,
    orientation: Reals,
    shown: Ints,
    has_shown: Int,
    frames: Reals,
    boxes: Reals,
):
    """Place one instance. Where its pose is not finite, or it is not shown, rays miss it.

    Args:
        row: environment * rows + instance.
        rows: instances an environment.
        placed, first: where these placed instances begin, and the instances in ``table`` and ``extents``.
        bodies: an environment, of ``position`` (3 each), ``orientation`` (4 each: w, x, y, z of any length but 0) and
            ``shown`` (1 each); ``table`` has the one that carries the instance.
        frames, boxes: results; see :mod:`~.scene_kernels`.
    """
    e, k = split(row, rows)
    k = k + first
    f = placed + row
    body = e * bodies + table[ENTRIES * k + 7]
    w = orientation[4 * body]
    x = orientation[4 * body + 1]
    y = orientation[4 * body + 2]
    z = orientation[4 * body + 3]
    scale = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    w = w * scale
    x = x * scale
    y = y * scale
    z = z * scale
    px, py, pz = rotate(w, x, y, z, extents[EXTENTS * k + 9], extents[EXTENTS * k + 10], extents[EXTENTS * k + 11])
    px = px + position[3 * body]
    py = py + position[3 * body + 1]
    pz = pz + position[3 * body + 2]
    w, x, y, z = quaternion_product(
        w, x, y, z,
        extents[EXTENTS * k + 12], extents[EXTENTS * k + 13], extents[EXTENTS * k + 14], extents[EXTENTS * k + 15],
    )  # fmt: skip
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = rotation_matrix(w, x, y, z)
    sx = extents[EXTENTS * k + 6]
    sy = extents[EXTENTS * k + 7]
    sz = extents[EXTENTS * k + 8]
    a0, a1, a2 = r0 / sx, r3 / sx, r6 / sx
    b0, b1, b2 = r1 / sy, r4 / sy, r7 / sy
    c0, c1, c2 = r2 / sz, r5 / sz, r8 / sz
    frames[FRAME * f], frames[FRAME * f + 1], frames[FRAME * f + 2] = a0, a1, a2
    frames[FRAME * f + 4], frames[FRAME * f + 5], frames[FRAME * f + 6] = b0, b1, b2
    frames[FRAME * f + 8], frames[FRAME * f + 9], frames[FRAME * f + 10] = c0, c1, c2
    frames[FRAME * f + 3] = -(a0 * px + a1 * py + a2 * pz)
    frames[FRAME * f + 7] = -(b0 * px + b1 * py + b2 * pz)
    frames[FRAME * f + 11] = -(c0 * px + c1 * py + c2 * pz)
    mx = 0.5 * sx * (extents[EXTENTS * k] + extents[EXTENTS * k + 3])
    my = 0.5 * sy * (extents[EXTENTS * k + 1] + extents[EXTENTS * k + 4])
    mz = 0.5 * sz * (extents[EXTENTS * k + 2] + extents[EXTENTS * k + 5])
    ex = 0.5 * math.fabs(sx) * (extents[EXTENTS * k + 3] - extents[EXTENTS * k])
    ey = 0.5 * math.fabs(sy) * (extents[EXTENTS * k + 4] - extents[EXTENTS * k + 1])
    ez = 0.5 * math.fabs(sz) * (extents[EXTENTS * k + 5] - extents[EXTENTS * k + 2])
    hx = math.fabs(r0) * ex + math.fabs(r1) * ey + math.fabs(r2) * ez
    hy = math.fabs(r3) * ex + math.fabs(r4) * ey + math.fabs(r5) * ez
    hz = math.fabs(r6) * ex + math.fabs(r7) * ey + math.fabs(r8) * ez
    mx, my, mz = (
        px + r0 * mx + r1 * my + r2 * mz,
        py + r3 * mx + r4 * my + r5 * mz,
        pz + r6 * mx + r7 * my + r8 * mz,
    )
    slack = 2.0 * SLACK * (math.fabs(mx) + math.fabs(my) + math.fabs(mz) + hx + hy + hz)
    if table[ENTRIES * k] == PLANE:  # bounds of what has none; those of a pose that is not finite stay so
        slack = FARTHEST + 0.0 * slack
    if has_shown == 1 and shown[body] == 0:
        slack = math.nan
    boxes[BOUNDS * f], boxes[BOUNDS * f + 1], boxes[BOUNDS * f + 2] = mx - hx - slack, my - hy - slack, mz - hz - slack
    boxes[BOUNDS * f + 3], boxes[BOUNDS * f + 4], boxes[BOUNDS * f + 5] = (
        mx + hx + slack,
        my + hy + slack,
        mz + hz + slack,
    )


def bound_groups(row, rows: Int, own: Int, placed: Int, boxes: Reals, bounds: Reals):
    """Bounds of one group of an environment's instances, of those that can be hit.

    Args:
        row: environment * rows + group.
        rows: groups an environment.
        own: instances an environment, whose ``boxes`` begin at ``placed``.
        bounds: results, as boxes.
    """
    e, g = split(row, rows)
    lx = FARTHEST
    ly = FARTHEST
    lz = FARTHEST
    hx = -FARTHEST
    hy = -FARTHEST
    hz = -FARTHEST
    found = 0
    for k in range(GROUP * g, min(GROUP * g + GROUP, own)):
        f = BOUNDS * (placed + e * own + k)
        if boxes[f] == boxes[f] and boxes[f + 1] == boxes[f + 1] and boxes[f + 2] == boxes[f + 2]:
            found = 1
            lx = min(lx, boxes[f])
            ly = min(ly, boxes[f + 1])
            lz = min(lz, boxes[f + 2])
            hx = max(hx, boxes[f + 3])
            hy = max(hy, boxes[f + 4])
            hz = max(hz, boxes[f + 5])
    if found == 0:
        lx = math.nan
    bounds[BOUNDS * row], bounds[BOUNDS * row + 1], bounds[BOUNDS * row + 2] = lx, ly, lz
    bounds[BOUNDS * row + 3], bounds[BOUNDS * row + 4], bounds[BOUNDS * row + 5] = hx, hy, hz
