"""Colours of pixels from depth buffers, in the language of kernels (:mod:`phalanx.rays.generate`)."""

import math

from phalanx.ecs import function, real
from phalanx.images.shading import reflected
from phalanx.rays.primitives import Bytes, Int, Ints, Reals, split

SAMPLES = 4
"""See :data:`.kernels.SAMPLES`."""

BRIGHTEST = 131071
"""The last of the table of finished colours."""

TAPS = 3
"""Squares of the sun's depth buffer on a side over which shadows are smoothed."""

TILE = 8
"""Texels on a side that are looked at together first."""

SLOPE = 3.0
"""Texels along its normal that a place is looked up from, so that a surface does not shade itself."""

SUN, EXPOSURE, SKY, EARTH, TEXEL, COLUMNS, ROWS, MAP = 0, 6, 7, 10, 13, 14, 15, 16
"""Where numbers are in ``light``: unit vector to the sun and its colour, exposure, what the sky and the ground give,
m of a texel, texels across and down, and rows (4 each) from the world to texels and nearness there."""

EYE, AXES, FOCAL, CENTER = 0, 3, 12, 13
"""Where numbers are in ``camera``: place, right, down and forward, focal length and principal point in pixels."""


@function
def sun_seen(light, shadows, tiles, px, py, pz):
    """Share of the sun, 0 to 1, that is seen from a place: by the depth buffer, smoothed over some texels."""
    u = light[MAP] * px + light[MAP + 1] * py + light[MAP + 2] * pz + light[MAP + 3] - 0.5 * real(TAPS)
    v = light[MAP + 4] * px + light[MAP + 5] * py + light[MAP + 6] * pz + light[MAP + 7] - 0.5 * real(TAPS)
    near = light[MAP + 8] * px + light[MAP + 9] * py + light[MAP + 10] * pz + light[MAP + 11]
    columns = int(light[COLUMNS])
    rows = int(light[ROWS])
    found = 1.0
    if u > 0.0 and v > 0.0 and u < real(columns - TAPS - 1) and v < real(rows - TAPS - 1):
        i = int(u)
        j = int(v)
        # Most places are far from a shadow's edge: what is nearest and farthest about them says so.
        tile = 2 * ((j // TILE) * ((columns + TILE - 1) // TILE) + i // TILE)
        if tiles[tile] > near:
            found = 0.0
        elif tiles[tile + 1] > near:
            found = smoothed(shadows, columns, i, j, u - real(i), v - real(j), near)
    return found


@function
def smoothed(shadows, columns, i, j, a, b, near):
    """Share of a square of TAPS texels that sees the sun; it begins a and b of a texel beyond texel (i, j)."""
    free = 0.0
    for y in range(TAPS + 1):
        down = 1.0
        if y == 0:
            down = 1.0 - b
        if y == TAPS:
            down = b
        for x in range(TAPS + 1):
            across = down
            if x == 0:
                across = down * (1.0 - a)
            if x == TAPS:
                across = down * a
            free = free + (across if shadows[(j + y) * columns + i + x] <= near else 0.0)
    return min(free / real(TAPS * TAPS), 1.0)


def shade_pixels(
    pixel,
    left: Int,
    top: Int,
    across: Int,
    stride: Int,
    width: Int,
    camera: Reals,
    light: Reals,
    shadows: Reals,
    tiles: Reals,
    offsets: Reals,
    nearness: Reals,
    numbers: Ints,
    places: Reals,
    owners: Ints,
    instances: Ints,
    corners: Reals,
    normals: Reals,
    colors: Reals,
    looks: Reals,
    turns: Reals,
    has_ground: Int,
    floor: Reals,
    lit: Reals,
    dark: Reals,
    table: Bytes,
    image: Bytes,
):
    """Colour one pixel: each surface that its samples see once, and the ground.

    Args:
        pixel: of the rectangle, row by row.
        left, top, across, stride: of the rectangle: its upper left, its width, and samples in a row of the buffer.
        width: of the picture.
        camera, light: numbers, see :data:`EYE` and :data:`SUN`.
        shadows, tiles: depth buffer from the sun, and of each TILE x TILE of it the farthest and the nearest in it and
            in the next one to the right and below.
        offsets: of samples, 2 each.
        nearness, numbers: of the rectangle, SAMPLES a pixel, see :func:`.kernels.fill`; -1 is no triangle.
        places: of triangles, 9 each.
        owners: instance of each triangle.
        instances: 2 each: first triangle among all, first face of the geometry.
        corners, normals, colors: of faces, 9, 9 and 3 each.
        looks: of instances, 8 each.
        turns: of instances, 9 each: from the geometry's frame to the world, of normals, of any length.
        has_ground: 1 if there is a level ground,
        floor: at this height, the only number.
        lit, dark: 3 a pixel of the picture: what is seen where there are no bodies, finished, in the sun and in shadow.
        table: bytes of finished linear colours.
        image: result, 3 a pixel of the picture.
    """
    row, column = split(pixel, across)
    u = left + column
    v = top + row
    at = v * width + u
    ex = camera[EYE]
    ey = camera[EYE + 1]
    ez = camera[EYE + 2]
    focal = camera[FOCAL]
    red = 0.0
    green = 0.0
    blue = 0.0
    last = -1
    r = 0.0
    g = 0.0
    b = 0.0
    bodies = 0
    x = 0.0
    y = 0.0
    dx = 0.0
    dy = 0.0
    dz = 0.0
    near = 0.0
    for s in range(SAMPLES):
        k = row * stride + SAMPLES * column + s
        t = int(numbers[k])
        if t >= 0:
            x = real(u) + 0.5 + offsets[2 * s]
            y = real(v) + 0.5 + offsets[2 * s + 1]
            rx = (x - camera[CENTER]) / focal
            ry = (y - camera[CENTER + 1]) / focal
            dx = rx * camera[AXES] + ry * camera[AXES + 3] + camera[AXES + 6]
            dy = rx * camera[AXES + 1] + ry * camera[AXES + 4] + camera[AXES + 7]
            dz = rx * camera[AXES + 2] + ry * camera[AXES + 5] + camera[AXES + 8]
            near = nearness[k]
            if has_ground == 1 and (floor[0] - ez) * near * dz > 0.0 and (floor[0] - ez) * near / dz < 1.0:
                t = -1  # below the ground
        if t >= 0 and t == last:
            bodies += 1
            red = red + r
            green = green + g
            blue = blue + b
        elif t >= 0:
            bodies += 1
            last = t
            i = owners[t]
            face = instances[2 * i + 1] + t - instances[2 * i]
            depth = 1.0 / near
            px = ex + depth * dx
            py = ey + depth * dy
            pz = ez + depth * dz
            # Shares of the second and third corner in the picture, and then on the surface.
            bx = places[9 * t + 3] - places[9 * t]
            by = places[9 * t + 4] - places[9 * t + 1]
            cx = places[9 * t + 6] - places[9 * t]
            cy = places[9 * t + 7] - places[9 * t + 1]
            area = bx * cy - cx * by
            scale = 1.0 / area if area != 0.0 else 0.0
            mx = x - places[9 * t]
            my = y - places[9 * t + 1]
            second = min(max((cy * mx - cx * my) * scale, 0.0), 1.0) * places[9 * t + 5] * depth
            third = min(max((bx * my - by * mx) * scale, 0.0), 1.0) * places[9 * t + 8] * depth
            second = min(second, 1.0)
            third = min(third, 1.0 - second)
            one = 1.0 - second - third
            ax = corners[9 * face + 3] - corners[9 * face]
            ay = corners[9 * face + 4] - corners[9 * face + 1]
            az = corners[9 * face + 5] - corners[9 * face + 2]
            bx = corners[9 * face + 6] - corners[9 * face]
            by = corners[9 * face + 7] - corners[9 * face + 1]
            bz = corners[9 * face + 8] - corners[9 * face + 2]
            gx, gy, gz = unit_turned(turns, i, ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)
            mx = one * normals[9 * face] + second * normals[9 * face + 3] + third * normals[9 * face + 6]
            my = one * normals[9 * face + 1] + second * normals[9 * face + 4] + third * normals[9 * face + 7]
            mz = one * normals[9 * face + 2] + second * normals[9 * face + 5] + third * normals[9 * face + 8]
            nx, ny, nz = unit_turned(turns, i, mx, my, mz)
            if nx * gx + ny * gy + nz * gz <= 0.0:
                nx = gx
                ny = gy
                nz = gz
            scale = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
            dx = dx * scale
            dy = dy * scale
            dz = dz * scale
            if gx * dx + gy * dy + gz * dz > 0.0:  # seen from behind
                gx = -gx
                gy = -gy
                gz = -gz
                nx = -nx
                ny = -ny
                nz = -nz
            cr = looks[8 * i] * colors[3 * face]
            cg = looks[8 * i + 1] * colors[3 * face + 1]
            cb = looks[8 * i + 2] * colors[3 * face + 2]
            up = 0.5 + 0.5 * nz
            r = looks[8 * i + 4] + cr * (light[EARTH] + up * (light[SKY] - light[EARTH]))
            g = looks[8 * i + 5] + cg * (light[EARTH + 1] + up * (light[SKY + 1] - light[EARTH + 1]))
            b = looks[8 * i + 6] + cb * (light[EARTH + 2] + up * (light[SKY + 2] - light[EARTH + 2]))
            lx = light[SUN]
            ly = light[SUN + 1]
            lz = light[SUN + 2]
            facing = lx * nx + ly * ny + lz * nz
            if facing > 0.0 and lx * gx + ly * gy + lz * gz > 0.0:
                away = SLOPE * light[TEXEL]
                free = sun_seen(light, shadows, tiles, px + away * gx, py + away * gy, pz + away * gz)
                if free > 0.0:
                    sr, sg, sb = reflected(
                        facing, nx, ny, nz, lx, ly, lz, dx, dy, dz, looks[8 * i + 3], looks[8 * i + 7], cr, cg, cb
                    )
                    r = r + free * light[SUN + 3] * sr
                    g = g + free * light[SUN + 4] * sg
                    b = b + free * light[SUN + 5] * sb
            # No brighter than what the sensor of pictures has.
            r = min(r, 1.0) / light[EXPOSURE]
            g = min(g, 1.0) / light[EXPOSURE]
            b = min(b, 1.0) / light[EXPOSURE]
            red = red + r
            green = green + g
            blue = blue + b
    sun = 1.0
    if has_ground == 1 and bodies < SAMPLES:  # in the pixel's middle
        rx = (real(u) + 0.5 - camera[CENTER]) / focal
        ry = (real(v) + 0.5 - camera[CENTER + 1]) / focal
        dz = rx * camera[AXES + 2] + ry * camera[AXES + 5] + camera[AXES + 8]
        depth = (floor[0] - ez) / dz if dz != 0.0 else -1.0
        if depth > 0.0:
            dx = rx * camera[AXES] + ry * camera[AXES + 3] + camera[AXES + 6]
            dy = rx * camera[AXES + 1] + ry * camera[AXES + 4] + camera[AXES + 7]
            sun = sun_seen(light, shadows, tiles, ex + depth * dx, ey + depth * dy, floor[0])
    if bodies > 0 or sun < 1.0:
        rest = real(SAMPLES - bodies)
        share = 1.0 / real(SAMPLES)
        red = share * (red + rest * (dark[3 * at] + sun * (lit[3 * at] - dark[3 * at])))
        green = share * (green + rest * (dark[3 * at + 1] + sun * (lit[3 * at + 1] - dark[3 * at + 1])))
        blue = share * (blue + rest * (dark[3 * at + 2] + sun * (lit[3 * at + 2] - dark[3 * at + 2])))
        image[3 * at] = table[min(int(65536.0 * red + 0.5), BRIGHTEST)]
        image[3 * at + 1] = table[min(int(65536.0 * green + 0.5), BRIGHTEST)]
        image[3 * at + 2] = table[min(int(65536.0 * blue + 0.5), BRIGHTEST)]


@function
def unit_turned(turns, i, x, y, z):
    """A normal in the frame of an instance's geometry, as a unit vector in the world; 0 stays 0."""
    a = turns[9 * i] * x + turns[9 * i + 1] * y + turns[9 * i + 2] * z
    b = turns[9 * i + 3] * x + turns[9 * i + 4] * y + turns[9 * i + 5] * z
    c = turns[9 * i + 6] * x + turns[9 * i + 7] * y + turns[9 * i + 8] * z
    square = a * a + b * b + c * c
    scale = 1.0 / math.sqrt(square) if square > 0.0 else 0.0
    return a * scale, b * scale, c * scale


@function
def covered(x, width):
    """Mean over a window about x of a wave that is 1 where floor(x) is even and -1 elsewhere, of a period of 2."""
    low = 0.5 * (x - 0.5 * width)
    high = 0.5 * (x + 0.5 * width)
    low = low - math.floor(low)
    high = high - math.floor(high)
    # Its integral is a triangle of height 1, which goes up and down once a period.
    rise = 1.0 - math.fabs(2.0 * high - 1.0) - (1.0 - math.fabs(2.0 * low - 1.0))
    return rise / width


def shade_ground(
    pixel,
    width: Int,
    camera: Reals,
    light: Reals,
    ground: Reals,
    haze: Reals,
    lit: Reals,
    dark: Reals,
):
    """Colour one pixel of the ground, of squares whose edges are smooth, in the sun and in shadow, and of the sky.

    Args:
        ground: x and y of a square's corner, height, side (0: there is no ground), colours of both squares, of the
            horizon and of the zenith.
        haze: of each pixel, share of the horizon's colour.
        lit, dark: results, 3 a pixel.
    """
    v, u = split(pixel, width)
    focal = camera[FOCAL]
    rx = (real(u) + 0.5 - camera[CENTER]) / focal
    ry = (real(v) + 0.5 - camera[CENTER + 1]) / focal
    dx = rx * camera[AXES] + ry * camera[AXES + 3] + camera[AXES + 6]
    dy = rx * camera[AXES + 1] + ry * camera[AXES + 4] + camera[AXES + 7]
    dz = rx * camera[AXES + 2] + ry * camera[AXES + 5] + camera[AXES + 8]
    side = ground[3]
    depth = -1.0
    if side > 0.0 and dz != 0.0:
        depth = (ground[2] - camera[EYE + 2]) / dz
    if depth > 0.0:
        x = (camera[EYE] + depth * dx - ground[0]) / side
        y = (camera[EYE + 1] + depth * dy - ground[1]) / side
        # How far the place moves from one pixel to the next, along the row and along the column.
        step = depth / (focal * side)
        slip = dz if math.fabs(dz) > 1e-6 else 1e-6
        across = step * max(
            math.fabs(camera[AXES] - dx * camera[AXES + 2] / slip),
            math.fabs(camera[AXES + 3] - dx * camera[AXES + 5] / slip),
        )
        along = step * max(
            math.fabs(camera[AXES + 1] - dy * camera[AXES + 2] / slip),
            math.fabs(camera[AXES + 4] - dy * camera[AXES + 5] / slip),
        )
        share = 0.5
        if across < 1e4 and along < 1e4:
            share = 0.5 + 0.5 * covered(x, max(across, 1e-4)) * covered(y, max(along, 1e-4))
        facing = max(light[SUN + 2], 0.0) if dz < 0.0 else 0.0
        for k in range(3):
            color = ground[7 + k] + share * (ground[4 + k] - ground[7 + k])
            shade = color * (light[SKY + k] if dz < 0.0 else light[EARTH + k])
            bright = shade + color * facing * light[SUN + 3 + k]
            shade = min(shade, 1.0) / light[EXPOSURE]
            bright = min(bright, 1.0) / light[EXPOSURE]
            dark[3 * pixel + k] = shade + haze[pixel] * (ground[10 + k] - shade)
            lit[3 * pixel + k] = bright + haze[pixel] * (ground[10 + k] - bright)
    else:
        scale = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
        share = min(max(dz * scale, 0.0), 1.0)
        for k in range(3):
            sky = ground[10 + k] + share * (ground[13 + k] - ground[10 + k])
            dark[3 * pixel + k] = sky
            lit[3 * pixel + k] = sky
