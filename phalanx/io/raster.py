"""Draws triangles into depth buffers, and shades what the camera sees with many distant lights.

Every light has a depth buffer of its own, drawn by the same kernel as the picture: the sun is a dozen lights close
to each other, which makes its shadows soft, the sky is some more all around, which darkens corners and the ground
below a robot. Nearness in buffers is 1/z for the camera and -z for lights: larger is nearer, and linear on screen.
"""

from __future__ import annotations

import numba
import numpy as np

EMPTY = np.float32(-1e30)  # nearness where nothing was drawn


@numba.njit(nogil=True, cache=True, error_model="numpy")
def draw(
    corners,  # (triangles, 3, 3) float32, body frames
    normals,  # (triangles, 3, 3) float32
    parts,  # (parts, 4) int64: first triangle, count, frame, colour
    rotations,  # (frames, 3, 3) float32, world from body
    origins,  # (frames, 3) float32, m
    axes,  # (3, 3) float32: right, down, forward in world
    eye,  # (3,) float32, m
    scale,  # pixels a unit of x/z (perspective), or a metre
    perspective,  # bool
    nearness,  # (height, width) float32, in and out
    surface,  # (height, width, 3) float32 world normals, out; (0, 0, 3) when not wanted
    colours,  # (height, width) int32, out
):
    """Z-buffer triangles seen from ``eye``; the picture's middle is where ``forward`` points."""
    height, width = nearness.shape
    shaded = surface.shape[0] > 0
    half_w, half_h = np.float32(0.5 * width), np.float32(0.5 * height)
    sx, sy, near = np.empty(3, np.float32), np.empty(3, np.float32), np.empty(3, np.float32)
    turn, shift = np.empty((3, 3), np.float32), np.empty(3, np.float32)
    for part in range(len(parts)):
        first, count, frame, colour = parts[part]
        for i in range(3):
            shift[i] = np.float32(0.0)
            for k in range(3):
                shift[i] += axes[i, k] * (origins[frame, k] - eye[k])
                turn[i, k] = np.float32(0.0)
                for m in range(3):
                    turn[i, k] += axes[i, m] * rotations[frame, m, k]
        for t in range(first, first + count):
            visible = True
            for c in range(3):
                px, py, pz = corners[t, c, 0], corners[t, c, 1], corners[t, c, 2]
                x = turn[0, 0] * px + turn[0, 1] * py + turn[0, 2] * pz + shift[0]
                y = turn[1, 0] * px + turn[1, 1] * py + turn[1, 2] * pz + shift[1]
                z = turn[2, 0] * px + turn[2, 1] * py + turn[2, 2] * pz + shift[2]
                if perspective:
                    if z < np.float32(1e-3):  # behind the eye
                        visible = False
                        break
                    near[c] = np.float32(1.0) / z
                    sx[c], sy[c] = half_w + scale * x * near[c], half_h + scale * y * near[c]
                else:
                    near[c] = -z
                    sx[c], sy[c] = half_w + scale * x, half_h + scale * y
            if not visible:
                continue
            low_x = max(0, int(np.ceil(min(sx[0], sx[1], sx[2]) - np.float32(0.5))))
            high_x = min(width - 1, int(np.floor(max(sx[0], sx[1], sx[2]) - np.float32(0.5))))
            low_y = max(0, int(np.ceil(min(sy[0], sy[1], sy[2]) - np.float32(0.5))))
            high_y = min(height - 1, int(np.floor(max(sy[0], sy[1], sy[2]) - np.float32(0.5))))
            if low_x > high_x or low_y > high_y:
                continue
            area = (sx[1] - sx[0]) * (sy[2] - sy[0]) - (sx[2] - sx[0]) * (sy[1] - sy[0])
            if area == 0.0:
                continue
            inverse = np.float32(1.0) / area
            step_1, step_2 = (sy[2] - sy[0]) * inverse, (sy[0] - sy[1]) * inverse
            for row in range(low_y, high_y + 1):
                dx, dy = low_x + np.float32(0.5) - sx[0], row + np.float32(0.5) - sy[0]
                b1 = (dx * (sy[2] - sy[0]) - dy * (sx[2] - sx[0])) * inverse
                b2 = (dy * (sx[1] - sx[0]) - dx * (sy[1] - sy[0])) * inverse
                for column in range(low_x, high_x + 1):
                    b0 = np.float32(1.0) - b1 - b2
                    if b0 >= 0.0 and b1 >= 0.0 and b2 >= 0.0:
                        n0, n1, n2 = b0 * near[0], b1 * near[1], b2 * near[2]
                        w = n0 + n1 + n2
                        # Of two faces in one plane the first is seen, not a pattern of both.
                        if w > nearness[row, column] + np.float32(1e-5) * abs(nearness[row, column]):
                            nearness[row, column] = w
                            if shaded:
                                colours[row, column] = colour
                                if not perspective:
                                    n0, n1, n2 = b0, b1, b2
                                for k in range(3):
                                    value = np.float32(0.0)
                                    for m in range(3):
                                        value += rotations[frame, k, m] * (
                                            n0 * normals[t, 0, m] + n1 * normals[t, 1, m] + n2 * normals[t, 2, m]
                                        )
                                    surface[row, column, k] = value
                    b1 += step_1
                    b2 += step_2


@numba.njit(cache=True, error_model="numpy")
def _lit(px, py, pz, light, to_light, buffers):
    """How much of a distant light reaches a point past all triangles, 0 to 1; smooth between the buffer's pixels."""
    u = to_light[light, 0, 0] * px + to_light[light, 0, 1] * py + to_light[light, 0, 2] * pz + to_light[light, 0, 3]
    v = to_light[light, 1, 0] * px + to_light[light, 1, 1] * py + to_light[light, 1, 2] * pz + to_light[light, 1, 3]
    w = to_light[light, 2, 0] * px + to_light[light, 2, 1] * py + to_light[light, 2, 2] * pz + to_light[light, 2, 3]
    size = buffers.shape[1]
    if not (u >= 0.0 and v >= 0.0 and u < size - 1 and v < size - 1):
        return np.float32(1.0)
    column, row = int(u), int(v)
    fu, fv = u - np.float32(column), v - np.float32(row)
    a = np.float32(buffers[light, row, column] < w)
    b = np.float32(buffers[light, row, column + 1] < w)
    c = np.float32(buffers[light, row + 1, column] < w)
    d = np.float32(buffers[light, row + 1, column + 1] < w)
    upper, lower = a + fu * (b - a), c + fu * (d - c)
    return upper + fv * (lower - upper)


@numba.njit(parallel=True, cache=True, error_model="numpy")
def shade(
    nearness,  # (height, width) float32
    surface,  # (height, width, 3) float32
    colours,  # (height, width) int32
    palette,  # (colours, 3) float32, linear
    axes,  # (3, 3) float32
    eye,  # (3,) float32
    scale,  # pixels a unit of x/z
    lights,  # (lights, 6) float32: direction towards the light, colour
    to_light,  # (lights, 3, 4) float32: world to column, row and nearness in the light's buffer
    bias,  # m; points move this far off their surface, or it would shade itself
    buffers,  # (lights, size, size) float32
    ground,  # (8,) float32: 1 or 0, height; side of a tile, its corner's x, y; centre x, y, radius of the scene (m)
    tiles,  # (2, 3) float32: colours of the checkers, linear
    sky,  # (2, 3) float32: horizon, zenith, linear
    picture,  # (height, width, 3) float32, linear, out
):
    """Colour of every pixel, a row at a time: what is there, then light after light, then the sum."""
    height, width = nearness.shape
    one, zero = np.float32(1.0), np.float32(0.0)
    for row in numba.prange(height):
        point, normal, view = (
            np.empty((3, width), np.float32),
            np.empty((3, width), np.float32),
            np.empty((3, width), np.float32),
        )
        base, back, light_in = (
            np.empty((3, width), np.float32),
            np.empty((3, width), np.float32),
            np.zeros((3, width), np.float32),
        )
        haze, gloss, shine = np.zeros(width, np.float32), np.zeros(width, np.float32), np.zeros(width, np.float32)
        y = (np.float32(row) + np.float32(0.5) - np.float32(0.5) * height) / scale
        for i in range(width):
            x = (np.float32(i) + np.float32(0.5) - np.float32(0.5) * width) / scale
            rx = axes[0, 0] * x + axes[1, 0] * y + axes[2, 0]
            ry = axes[0, 1] * x + axes[1, 1] * y + axes[2, 1]
            rz = axes[0, 2] * x + axes[1, 2] * y + axes[2, 2]
            length = np.sqrt(rx * rx + ry * ry + rz * rz)
            view[0, i], view[1, i], view[2, i] = rx / length, ry / length, rz / length
            up = min(one, max(zero, view[2, i] * np.float32(1.6)))
            for k in range(3):
                back[k, i] = sky[0, k] + up * (sky[1, k] - sky[0, k])
            z = one / nearness[row, i] if nearness[row, i] > EMPTY else np.float32(np.inf)
            on_ground = False
            if ground[0] > 0.0 and rz * (ground[1] - eye[2]) > 0.0:
                reach = (ground[1] - eye[2]) / rz
                if reach < z:
                    z, on_ground = reach, True
            if z == np.float32(np.inf):
                haze[i] = one
                for k in range(3):
                    point[k, i] = normal[k, i] = base[k, i] = zero
                continue
            px, py, pz = eye[0] + z * rx, eye[1] + z * ry, eye[2] + z * rz
            if on_ground:
                nx, ny, nz = zero, zero, one if rz < 0.0 else -one
                away = np.sqrt((px - ground[5]) ** 2 + (py - ground[6]) ** 2) / ground[7]
                fade = min(one, max(zero, (away - np.float32(1.6)) / np.float32(4.5)))
                haze[i] = fade * fade * (np.float32(3.0) - np.float32(2.0) * fade)
                odd = (int(np.floor((px - ground[3]) / ground[2])) + int(np.floor((py - ground[4]) / ground[2]))) & 1
                # Far away, where a tile is smaller than a pixel, both colours become their mean.
                footprint = z * length / (scale * max(abs(view[2, i]), np.float32(1e-3)))
                contrast = min(one, max(zero, np.float32(1.4) - footprint / ground[2]))
                weight = np.float32(0.5) + contrast * (np.float32(0.5) if odd else np.float32(-0.5))
                for k in range(3):
                    base[k, i] = tiles[0, k] + weight * (tiles[1, k] - tiles[0, k])
            else:
                nx, ny, nz = surface[row, i, 0], surface[row, i, 1], surface[row, i, 2]
                size = max(np.sqrt(nx * nx + ny * ny + nz * nz), np.float32(1e-20))
                if nx * rx + ny * ry + nz * rz > 0.0:  # seen from behind: the file's winding is wrong
                    size = -size
                nx, ny, nz = nx / size, ny / size, nz / size
                for k in range(3):
                    base[k, i] = palette[colours[row, i], k]
                facing = one + nx * view[0, i] + ny * view[1, i] + nz * view[2, i]
                gloss[i] = np.float32(0.03) + np.float32(0.22) * facing * facing * facing * facing
            normal[0, i], normal[1, i], normal[2, i] = nx, ny, nz
            point[0, i], point[1, i], point[2, i] = px + bias * nx, py + bias * ny, pz + bias * nz
            for k in range(3):
                light_in[k, i] = np.float32(0.14) * (one - nz)  # from the ground
        for light in range(len(lights)):
            tx, ty, tz = lights[light, 0], lights[light, 1], lights[light, 2]
            for i in range(width):
                amount = normal[0, i] * tx + normal[1, i] * ty + normal[2, i] * tz
                if amount <= 0.0 or haze[i] >= one:
                    continue
                amount *= _lit(point[0, i], point[1, i], point[2, i], light, to_light, buffers)
                for k in range(3):
                    light_in[k, i] += amount * lights[light, 3 + k]
                if gloss[i] > 0.0 and amount > 0.0:
                    hx, hy, hz = tx - view[0, i], ty - view[1, i], tz - view[2, i]
                    size = max(np.sqrt(hx * hx + hy * hy + hz * hz), np.float32(1e-6))
                    half = max(zero, (hx * normal[0, i] + hy * normal[1, i] + hz * normal[2, i]) / size)
                    half *= half
                    half *= half
                    half *= half
                    half *= half
                    shine[i] += half * half * half * amount * lights[light, 4] * np.float32(0.4)
        for i in range(width):
            for k in range(3):
                value = (base[k, i] + gloss[i]) * light_in[k, i] + shine[i]
                picture[row, i, k] = value + haze[i] * (back[k, i] - value)
