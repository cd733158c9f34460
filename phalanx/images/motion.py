"""Where what a pixel shows was in the image before."""

import math

from phalanx.ecs import function
from phalanx.rays.primitives import Int, Ints, Reals, load_floats, split
from phalanx.rays.scene_kernels import FRAME, to_local


@function
def earlier_place(frames, last_frames, f, x, y, z):
    """Where the place of placed instance f that is at x, y, z was, world; see :func:`~.place_instances`."""
    px, py, pz = to_local(frames, f, x, y, z)
    a0, a1, a2, ax = load_floats(last_frames, FRAME * f)
    b0, b1, b2, ay = load_floats(last_frames, FRAME * f + 4)
    c0, c1, c2, az = load_floats(last_frames, FRAME * f + 8)
    px = px - ax
    py = py - ay
    pz = pz - az
    u0 = b1 * c2 - b2 * c1
    u1 = b2 * c0 - b0 * c2
    u2 = b0 * c1 - b1 * c0
    inverse = 1.0 / (a0 * u0 + a1 * u1 + a2 * u2)
    return (
        (px * u0 + py * (c1 * a2 - c2 * a1) + pz * (a1 * b2 - a2 * b1)) * inverse,
        (px * u1 + py * (c2 * a0 - c0 * a2) + pz * (a2 * b0 - a0 * b2)) * inverse,
        (px * u2 + py * (c0 * a1 - c1 * a0) + pz * (a0 * b1 - a1 * b0)) * inverse,
    )


@function
def moved_direction(directions, p, u, v, width, height, cx, cy, cz, x, y, z):
    """How many pixels from pixel p the direction x, y, z is, to first order; both in the camera's frame.

    Args:
        directions: of all pixels, 3 each, of any length; p is the number of one at column u, row v of the image.
        c: the pixel's direction, a unit vector.
    """
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    x = x * scale - cx
    y = y * scale - cy
    z = z * scale - cz
    one = 1 if u + 1 < width else -1
    other = 1 if v + 1 < height else -1
    ax, ay, az = step_toward(directions, p + (one if width > 1 else 0), cx, cy, cz)
    bx, by, bz = step_toward(directions, p + (other * width if height > 1 else 0), cx, cy, cz)
    aa = ax * ax + ay * ay + az * az
    ab = ax * bx + ay * by + az * bz
    bb = bx * bx + by * by + bz * bz
    da = ax * x + ay * y + az * z
    db = bx * x + by * y + bz * z
    area = aa * bb - ab * ab
    inverse = 1.0 / area if area > 1e-6 * aa * bb else 0.0
    right = 1.0 if one == 1 else -1.0
    down = 1.0 if other == 1 else -1.0
    return right * (da * bb - db * ab) * inverse, down * (db * aa - da * ab) * inverse


@function
def step_toward(directions, q, cx, cy, cz):
    """From a direction c to that of pixel q, which is made a unit vector."""
    x = directions[3 * q]
    y = directions[3 * q + 1]
    z = directions[3 * q + 2]
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    return x * scale - cx, y * scale - cy, z * scale - cz


def remember_frames(
    row,
    rows: Int,
    environments: Int,
    envs: Ints,
    has_envs: Int,
    shared: Int,
    own: Int,
    frames: Reals,
    position: Reals,
    orientation: Reals,
    last_frames: Reals,
    last_position: Reals,
    last_orientation: Reals,
    known: Ints,
):
    """Keep where one instance of an environment is, and its camera, until the next image.

    Args:
        row: number of the environment in ``envs`` (if it has them) * rows + instance.
        rows: instances an environment, at least 1.
        known: result: 1 of the environment.
        others: see :func:`~.draw_pixels`.
    """
    n, k = split(row, rows)
    e = n
    if has_envs == 1:
        e = int(envs[n])
    within = e >= 0 and e < environments
    if within and k < own:
        at = FRAME * (shared + e * own + k)
        for j in range(FRAME):
            last_frames[at + j] = frames[at + j]
    if within and k == 0:
        known[e] = 1
        for j in range(3):
            last_position[3 * e + j] = position[3 * e + j]
        for j in range(4):
            last_orientation[4 * e + j] = orientation[4 * e + j]
