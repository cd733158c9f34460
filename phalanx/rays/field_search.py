"""Rays against height fields: blocks of cells under the ray, and the cells of those that it may touch.

A field's numbers are its heights (nx, ny), sample (i, j) at i * ny + j, and then, for each block of :data:`BLOCK` x
:data:`BLOCK` cells, its least and greatest height. Cells and triangles are as in
:mod:`phalanx.models.meshes.height_fields`.
"""

import math

from phalanx.ecs import function, real
from phalanx.rays.directions import SLACK, inverse_of
from phalanx.rays.mesh_search import BOTH
from phalanx.rays.primitives import fma, inverse
from phalanx.rays.triangle import ray_corners, ray_frame

INF = math.inf

BLOCK = 8
"""Cells along a side of a block."""


@function
def cell_at(place, last):
    """The cell that a coordinate in cells falls in, of 0..last; the first if it is no number."""
    place = place if place >= 0.0 else 0.0
    end = real(last)
    return int(place if place < end else end)


@function
def while_between(left, right, o, i, low, high):
    """The part of low..high in which o + t / i is in left..right."""
    a = (left - o) * i
    b = (right - o) * i
    return max(low, min(a, b)), min(high, max(a, b))


@function
def place_of(i, origin, spacing):
    """Coordinate of sample i; the same from both of its cells."""
    return fma(real(i), spacing, origin)


@function
def search_cell(
    samples, base, ny, i, j, ox, oy, dx, dy, sides, px, py, pz, x0, x1, x2, y0, y1, y2, z0, z1, z2, first, best, found
):
    """``best`` and ``found`` of :func:`search_field`, or what a cell's two triangles have instead."""
    corner = base + i * ny + j
    left_x = place_of(i, ox, dx) - px
    right_x = place_of(i + 1, ox, dx) - px
    left_y = place_of(j, oy, dy) - py
    right_y = place_of(j + 1, oy, dy) - py
    z00 = samples[corner] - pz
    z11 = samples[corner + ny + 1] - pz
    for upper in range(2):
        distance, area = ray_corners(
            left_x, left_y, z00,
            right_x, right_y if upper == 1 else left_y,
            z11 if upper == 1 else samples[corner + ny] - pz,
            left_x if upper == 1 else right_x, right_y,
            samples[corner + 1] - pz if upper == 1 else z11,
            x0, x1, x2, y0, y1, y2, z0, z1, z2,
        )  # fmt: skip
        seen = sides == BOTH or area * (z0 + z1 + z2) > 0.0
        if seen and distance >= first and distance <= best and (found < 0 or distance < best):
            best = distance
            found = 2 * (i * (ny - 1) + j) + upper
    return best, found


@function
def search_field(samples, base, nx, ny, dx, dy, sides, any_hit, px, py, pz, ux, uy, uz, first, limit):
    """The nearest triangle of a height field within ``first``..``limit`` along a ray.

    Args:
        samples, base, nx, ny, dx, dy: the field: its first number, its samples and spacing along x and y.
        sides: BOTH or FRONT: from above only.
        p, u: origin, near the field's box, and direction.

    Returns:
        distance, number of the triangle (inf, -1 if there is none).
    """
    x0, x1, x2, y0, y1, y2, z0, z1, z2 = ray_frame(ux, uy, uz)
    ox = -0.5 * real(nx - 1) * dx
    oy = -0.5 * real(ny - 1) * dy
    per_x = inverse(dx)
    per_y = inverse(dy)
    slack = 8.0 * SLACK * real(max(nx, ny))
    best = limit
    found = -1
    gx = (px - ox) * per_x
    gy = (py - oy) * per_y
    one = gx + first * ux * per_x
    two = gx + limit * ux * per_x
    from_x = cell_at(min(one, two) - slack, nx - 2)
    to_x = cell_at(max(one, two) + slack, nx - 2)
    one = gy + first * uy * per_y
    two = gy + limit * uy * per_y
    from_y = cell_at(min(one, two) - slack, ny - 2)
    to_y = cell_at(max(one, two) + slack, ny - 2)
    if to_x <= from_x + 1 and to_y <= from_y + 1:  # straight down, or nearly so
        for i in range(from_x, to_x + 1):
            for j in range(from_y, to_y + 1):
                best, found = search_cell(
                    samples, base, ny, i, j, ox, oy, dx, dy, sides,
                    px, py, pz, x0, x1, x2, y0, y1, y2, z0, z1, z2, first, best, found,
                )  # fmt: skip
    else:
        # Along a the ray goes through more cells than along b.
        by_x = math.fabs(ux) * dy >= math.fabs(uy) * dx
        ga = gx if by_x else gy
        gb = gy if by_x else gx
        da = ux * per_x if by_x else uy * per_y
        db = uy * per_y if by_x else ux * per_x
        ia = inverse_of(da)
        ib = inverse_of(db)
        na = nx if by_x else ny
        nb = ny if by_x else nx
        blocks = base + nx * ny
        row = (ny - 2) // BLOCK + 1
        width = real(BLOCK)
        from_a = cell_at(ga + first * da + (-slack if da >= 0.0 else slack), na - 2) // BLOCK
        to_a = cell_at(ga + limit * da + (slack if da >= 0.0 else -slack), na - 2) // BLOCK
        step_a = 1 if da >= 0.0 else -1
        for k in range((to_a - from_a) * step_a + 1):
            block_a = from_a + step_a * k
            left = real(block_a) * width - slack
            low, high = while_between(left, left + width + 2.0 * slack, ga, ia, first, best)
            if found >= 0 and (low > best or any_hit == 1):
                break
            one = gb + low * db
            two = gb + high * db
            from_b = cell_at(min(one, two) - slack, nb - 2) // BLOCK
            to_b = cell_at(max(one, two) + slack, nb - 2) // BLOCK
            for block_b in range(from_b, to_b + 1):
                left = real(block_b) * width - slack
                enter, leave = while_between(left, left + width + 2.0 * slack, gb, ib, low, high)
                block = blocks + 2 * ((block_a * row + block_b) if by_x else (block_b * row + block_a))
                bottom = samples[block]
                top = samples[block + 1]
                pad = SLACK * (math.fabs(bottom) + math.fabs(top) + math.fabs(pz))
                height = pz + enter * uz
                other = pz + leave * uz
                if enter <= leave and min(height, other) <= top + pad and max(height, other) >= bottom - pad:
                    first_a = cell_at(ga + enter * da + (-slack if da >= 0.0 else slack), na - 2)
                    last_a = cell_at(ga + leave * da + (slack if da >= 0.0 else -slack), na - 2)
                    for ka in range((last_a - first_a) * step_a + 1):
                        a = first_a + step_a * ka
                        left = real(a) - slack
                        begin, end = while_between(left, left + 1.0 + 2.0 * slack, ga, ia, enter, leave)
                        one = gb + begin * db
                        two = gb + end * db
                        first_b = cell_at(min(one, two) - slack, nb - 2)
                        last_b = cell_at(max(one, two) + slack, nb - 2)
                        for b in range(first_b, last_b + 1):
                            best, found = search_cell(
                                samples, base, ny, a if by_x else b, b if by_x else a, ox, oy, dx, dy, sides,
                                px, py, pz, x0, x1, x2, y0, y1, y2, z0, z1, z2, first, best, found,
                            )  # fmt: skip
    return best if found >= 0 else INF, found
