"""The kernel that draws images: a ray a pixel, and from what it hits rays to lights; all results in one go."""

import math

from phalanx.components.shape import MESH
from phalanx.ecs import function, real
from phalanx.images.layout import DIMS, LOOK_NUMBERS, OPACITY, SEEN, SHADES
from phalanx.images.motion import earlier_place, moved_direction
from phalanx.images.shading import encoded_byte, light_at, reflected
from phalanx.images.surface import SMOOTH, smooth_normal, surface_color
from phalanx.maths.kernels import rotate
from phalanx.rays.primitives import Bytes, Int, Ints, Real, Reals, Words, load_floats, split
from phalanx.rays.scene_kernels import (
    ENTRIES,
    FARTHEST,
    GROUP,
    MESHES,
    TRANSPARENT,
    cast_one,
    hit_ids,
    hit_normal,
    to_local,
    turned_to_local,
)

INF = math.inf

SHADED = 1
"""1 where colours are asked for; kernels are made without what nobody asked for."""

MOTION = 1
"""1 where motion vectors are asked for."""

SHADOWS = 2
"""0, 1 or more lights that cast shadows."""

ORIGINS = 1
"""1 where pixels have places of their own from which they look."""

LAYERS = 8
"""Surfaces that are seen behind each other, at most: the last of so many hides what is behind it. Light goes through
no more of them, either."""

FAINT = 1e-3
"""What is hidden by all but so much is not looked for."""


@function
def pixel_direction(intrinsics, e, directions, has_directions, p, pixels, u, v):
    """Direction of a pixel in the camera's frame: a unit vector, or 0 if it has none."""
    x = 0.0
    y = 0.0
    z = 1.0
    if has_directions == 0:
        fx, fy, cx, cy = load_floats(intrinsics, 4 * e)
        x = (real(u) + 0.5 - cx) / fx
        y = (real(v) + 0.5 - cy) / fy
    else:
        at = 3 * p if has_directions == 1 else 3 * (e * pixels + p)
        x = directions[at]
        y = directions[at + 1]
        z = directions[at + 2]
    square = x * x + y * y + z * z
    scale = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
    return x * scale, y * scale, z * scale


def draw_pixels(
    pixel,
    width: Int,
    height: Int,
    columns: Int,
    rows: Int,
    environments: Int,
    envs: Ints,
    has_envs: Int,
    chosen: Ints,
    has_chosen: Int,
    intrinsics: Reals,
    directions: Reals,
    has_directions: Int,
    origins: Reals,
    spread: Real,
    position: Reals,
    orientation: Reals,
    near: Real,
    far: Real,
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
    looks: Reals,
    places: Ints,
    textures: Ints,
    texels: Words,
    decoded: Reals,
    attributes: Reals,
    lights: Reals,
    lamps: Int,
    traced: Int,
    sky: Reals,
    last_frames: Reals,
    last_position: Reals,
    last_orientation: Reals,
    known: Ints,
    rgb: Bytes,
    has_rgb: Int,
    rgba: Words,
    has_rgba: Int,
    to_camera: Reals,
    has_to_camera: Int,
    to_plane: Reals,
    has_to_plane: Int,
    normals: Reals,
    has_normals: Int,
    motion: Reals,
    ids: Ints,
    has_ids: Int,
):
    """Draw one pixel.

    Args:
        pixel: number of the environment in ``envs`` (or itself) * 32 * columns * rows + pixel, in tiles of 8 x 4 which
            neighbouring threads do alike; those beyond the image's borders do nothing.
        width, height, columns, rows: of the image, and of its tiles.
        environments: how many there are; numbers in ``envs`` beyond them are passed over.
        chosen, has_chosen: if there are any, pixels by number, row by row, environment after environment: ``pixel`` is
            an index of it.
        intrinsics: fx, fy, cx, cy of each environment's camera, or else:
        directions, has_directions: 3 a pixel, in the camera's frame: 1: one image of them for all, 2: each its own.
        origins: then, if there are any, where pixels look from, likewise.
        spread: then the angle between neighbours, rad.
        position, orientation: of cameras, 3 and 4 an environment; x right, y down, z forward.
        near, far: m along the optical axis, or, with directions, along rays.
        shared .. samples: see :func:`~.cast_one`; groups of the table are SEEN, SHADES and DIMS.
        looks .. lights: see :class:`~.LookTables`; lamps of them, of which the last ``traced`` cast shadows.
        sky: 4 each: horizon and zenith, ambient light on what looks up and on what looks down.
        last_frames .. known: what :func:`~.remember_frames` kept.
        rgb .. ids: results, row by row; each with 1 if it is wanted. All but colours are of the first surface that is
            seen, also where it hides only some of what is behind it.
    """
    n, rest = split(pixel, 32 * columns * rows)
    tile, lane = split(rest, 32)
    tv, tu = split(tile, columns)
    u = 8 * tu + (lane & 7)
    v = 4 * tv + (lane >> 3)
    e = n
    if has_envs == 1:
        e = int(envs[n])
    if has_chosen == 1:
        e, rest = split(int(chosen[pixel]), width * height)
        v, u = split(rest, width)
    if u < width and v < height and e >= 0 and e < environments:
        p = v * width + u
        at = e * width * height + p
        cx, cy, cz = pixel_direction(intrinsics, e, directions, has_directions, p, width * height, u, v)
        qw = orientation[4 * e]
        qx = orientation[4 * e + 1]
        qy = orientation[4 * e + 2]
        qz = orientation[4 * e + 3]
        ox = position[3 * e]
        oy = position[3 * e + 1]
        oz = position[3 * e + 2]
        vx, vy, vz = rotate(qw, qx, qy, qz, cx, cy, cz)
        bx = 0.0
        by = 0.0
        bz = 0.0
        if ORIGINS:
            begin = 3 * p if has_directions == 1 else 3 * at
            bx = origins[begin]
            by = origins[begin + 1]
            bz = origins[begin + 2]
            mx, my, mz = rotate(qw, qx, qy, qz, bx, by, bz)
            ox = ox + mx
            oy = oy + my
            oz = oz + mz
        per_metre = cz if has_directions == 0 else 1.0
        start = near / per_metre
        ox = ox + start * vx
        oy = oy + start * vy
        oz = oz + start * vz
        limit = min(far / per_metre - start, FARTHEST)
        place = shared + e * own
        first_group = e * ((own + GROUP - 1) // GROUP)
        dx = vx
        dy = vy
        dz = vz
        square = dx * dx + dy * dy + dz * dz
        going = math.fabs(ox) + math.fabs(oy) + math.fabs(oz) < FARTHEST and square > 0.9 and square < 1.1
        groups = SEEN
        stage = 0
        hit = -1
        red = 0.0
        green = 0.0
        blue = 0.0
        # What a light gives if nothing is in its way.
        more_red = 0.0
        more_green = 0.0
        more_blue = 0.0
        r = 0.0
        g = 0.0
        b = 0.0
        px = 0.0
        py = 0.0
        pz = 0.0
        nx = 0.0
        ny = 0.0
        nz = 0.0
        gx = 0.0
        gy = 0.0
        gz = 0.0
        slack = 0.0
        k = 0
        # Of surfaces one behind the other: how many were passed, what they let through, their light so far.
        layer = 0
        through = 1.0
        step = 0.0
        last = -INF
        left = -1
        other = -1
        crowd = 0
        passed = 0
        all_red = 0.0
        all_green = 0.0
        all_blue = 0.0
        while stage == 0 or going:
            t = INF
            met = -1
            face = -1
            mx = 0.0
            my = 0.0
            mz = 0.0
            if going:
                t, met, face, mx, my, mz = cast_one(
                    table, sizes, frames, boxes, bounds, nodes, triangles, samples,
                    shared, own, place, first_group, groups, 0, stage & 1, ox, oy, oz, dx, dy, dz, limit,
                    left if stage == 0 else -1, other if stage == 0 else -1, 2.0 * step,
                )  # fmt: skip
            going = False
            following = 1
            if stage == 0:
                hit = met
                f = hit if hit < shared else place + hit - shared
                if hit >= 0:
                    px = ox + t * vx
                    py = oy + t * vy
                    pz = oz + t * vz
                    gx, gy, gz = hit_normal(
                        table, sizes, frames, triangles, samples, shared, place, hit, face, mx, my, mz
                    )
                    nx = gx
                    ny = gy
                    nz = gz
                    if SMOOTH and MESHES and table[ENTRIES * hit] == MESH:
                        lx, ly, lz = to_local(frames, f, px, py, pz)
                        nx, ny, nz = smooth_normal(
                            places, attributes, frames, f, triangles, hit, face, lx, ly, lz, nx, ny, nz
                        )
                t = t + start
                first = TRANSPARENT == 0 or layer == 0
                if first and has_to_camera == 1:
                    to_camera[at] = t if hit >= 0 else INF
                if first and has_to_plane == 1:
                    to_plane[at] = t * cz if hit >= 0 else INF
                if first and has_normals == 1:
                    normals[3 * at] = nx
                    normals[3 * at + 1] = ny
                    normals[3 * at + 2] = nz
                if first and has_ids == 1:
                    ids[3 * at], ids[3 * at + 1], ids[3 * at + 2] = hit_ids(table, triangles, hit, face)
                if MOTION and first:
                    mu = 0.0
                    mv = 0.0
                    if known[e] == 1:
                        wx = vx
                        wy = vy
                        wz = vz
                        if hit >= 0:
                            wx = px
                            wy = py
                            wz = pz
                            if hit >= shared:
                                wx, wy, wz = earlier_place(frames, last_frames, f, px, py, pz)
                            wx = wx - last_position[3 * e]
                            wy = wy - last_position[3 * e + 1]
                            wz = wz - last_position[3 * e + 2]
                        wx, wy, wz = rotate(
                            last_orientation[4 * e], -last_orientation[4 * e + 1], -last_orientation[4 * e + 2],
                            -last_orientation[4 * e + 3], wx, wy, wz,
                        )  # fmt: skip
                        if ORIGINS and hit >= 0:
                            wx = wx - bx
                            wy = wy - by
                            wz = wz - bz
                        if has_directions == 0:
                            fx, fy, mid_u, mid_v = load_floats(intrinsics, 4 * e)
                            if wz > 0.0:
                                mu = fx * (wx / wz) + mid_u - (real(u) + 0.5)
                                mv = fy * (wy / wz) + mid_v - (real(v) + 0.5)
                        else:
                            q = p if has_directions == 1 else e * width * height + p
                            mu, mv = moved_direction(directions, q, u, v, width, height, cx, cy, cz, wx, wy, wz)
                    motion[2 * at] = mu
                    motion[2 * at + 1] = mv
                if SHADED and hit < 0:
                    share = min(max(vz, 0.0), 1.0)
                    red = sky[0] + share * (sky[4] - sky[0])
                    green = sky[1] + share * (sky[5] - sky[1])
                    blue = sky[2] + share * (sky[6] - sky[2])
                if SHADED and hit >= 0:
                    slant = gx * vx + gy * vy + gz * vz
                    # Side of a square as large as what the pixel shows of the surface.
                    across = t * spread
                    turned = 1.0
                    if has_directions == 0:
                        across = t * cz / intrinsics[4 * e]
                        turned = cz
                    across = across * math.sqrt(turned / max(math.fabs(slant), 0.01))
                    lx, ly, lz = to_local(frames, f, px, py, pz)
                    mx, my, mz = turned_to_local(frames, f, gx, gy, gz)
                    r, g, b = surface_color(
                        table, frames, f, triangles, looks, places, textures, texels, decoded, attributes,
                        hit, face, lx, ly, lz, mx, my, mz, across,
                    )  # fmt: skip
                    if slant > 0.0:  # seen from behind
                        gx = -gx
                        gy = -gy
                        gz = -gz
                        nx = -nx
                        ny = -ny
                        nz = -nz
                    red, green, blue, _metal = load_floats(looks, LOOK_NUMBERS * hit + 4)
                    share = 0.5 + 0.5 * nz
                    red = red + r * (sky[12] + share * (sky[8] - sky[12]))
                    green = green + g * (sky[13] + share * (sky[9] - sky[13]))
                    blue = blue + b * (sky[14] + share * (sky[10] - sky[14]))
                    # Away from the surface, by more than the place's rounding.
                    slack = 1e-4 + 4e-6 * (math.fabs(px) + math.fabs(py) + math.fabs(pz) + t)
                    if TRANSPARENT:
                        # On from a little before, since what is behind may be in the same plane, as a ground is that
                        # this stands on; but of three in a plane not for ever from one to the next.
                        step = slack / max(math.fabs(slant), 0.05)
                        if t - last > 2.0 * step:
                            other = -1
                            crowd = 0
                        elif hit != left:
                            other = left
                            crowd += 1
                        left = hit
                        if crowd > 1:
                            left = -1
                            other = -1
                        last = t
            elif TRANSPARENT and stage == 1 and met < 0:
                # Nothing opaque is in the light's way; now what dims it, one after the other.
                following = 2
                passed = 0
                groups = DIMS
                going = True
            elif TRANSPARENT and stage == 2 and met >= 0 and passed < LAYERS:
                _one, _two, opacity, _three = load_floats(looks, LOOK_NUMBERS * met + OPACITY - 2)
                more_red = more_red * (1.0 - opacity)
                more_green = more_green * (1.0 - opacity)
                more_blue = more_blue * (1.0 - opacity)
                ahead = t + 1e-4 + 4e-6 * (math.fabs(ox) + math.fabs(oy) + math.fabs(oz) + t)
                ox = ox + ahead * dx
                oy = oy + ahead * dy
                oz = oz + ahead * dz
                limit = max(limit - ahead, 0.0)
                passed += 1
                following = 2
                going = True
            elif met < 0 or stage == 2:
                red = red + more_red
                green = green + more_green
                blue = blue + more_blue
            if SHADED and hit >= 0 and (SHADOWS > 1 or stage == 0):
                while k < lamps and not going:
                    lx, ly, lz, reach, more_red, more_green, more_blue = light_at(lights, k, px, py, pz)
                    facing = lx * nx + ly * ny + lz * nz
                    if facing > 0.0 and lx * gx + ly * gy + lz * gz > 0.0:
                        _one, _two, _three, rough = load_floats(looks, LOOK_NUMBERS * hit)
                        _one, _two, _three, metal = load_floats(looks, LOOK_NUMBERS * hit + 4)
                        sr, sg, sb = reflected(facing, nx, ny, nz, lx, ly, lz, vx, vy, vz, rough, metal, r, g, b)
                        more_red = more_red * sr
                        more_green = more_green * sg
                        more_blue = more_blue * sb
                        if SHADOWS and k >= lamps - traced:
                            going = True
                            ox = px + slack * gx
                            oy = py + slack * gy
                            oz = pz + slack * gz
                            dx = lx
                            dy = ly
                            dz = lz
                            limit = reach
                            groups = SHADES
                        else:
                            red = red + more_red
                            green = green + more_green
                            blue = blue + more_blue
                    k += 1
            if TRANSPARENT and not going:
                opacity = 1.0
                if hit >= 0 and layer + 1 < LAYERS:
                    _one, _two, opacity, _three = load_floats(looks, LOOK_NUMBERS * hit + OPACITY - 2)
                all_red = all_red + through * opacity * red
                all_green = all_green + through * opacity * green
                all_blue = all_blue + through * opacity * blue
                if hit >= 0:
                    through = through * (1.0 - opacity)
                    if through > FAINT:  # what is behind it
                        layer += 1
                        following = 0
                        going = True
                        k = 0
                        back = step if left >= 0 else -step
                        start = last - back
                        ox = px - back * vx
                        oy = py - back * vy
                        oz = pz - back * vz
                        dx = vx
                        dy = vy
                        dz = vz
                        limit = max(min(far / per_metre - start, FARTHEST), 0.0)
                        groups = SEEN
            stage = following
        if SHADED:
            cover = 255
            if TRANSPARENT:
                red = all_red
                green = all_green
                blue = all_blue
                if hit < 0:
                    cover = int(255.0 * (1.0 - through) + 0.5)
            elif hit < 0:
                cover = 0
            one = encoded_byte(red)
            two = encoded_byte(green)
            three = encoded_byte(blue)
            if has_rgb == 1:
                rgb[3 * at] = one
                rgb[3 * at + 1] = two
                rgb[3 * at + 2] = three
            if has_rgba == 1:
                rgba[at] = one | two << 8 | three << 16 | cover << 24
