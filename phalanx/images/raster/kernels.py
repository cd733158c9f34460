"""Depth buffers: triangles to pixels. Numba's functions for the CPU, over a share of the work each."""

from __future__ import annotations

import math

import numpy as np

from phalanx.ecs.cache.kernels import kept

SAMPLES = 4
"""Points of a pixel at which it is looked what is seen."""

OFFSETS = np.array([(-0.125, -0.375), (0.375, -0.125), (0.125, 0.375), (-0.375, 0.125)])
"""(SAMPLES, 2): right and down of the pixel's middle, pixels: a turned square, so that each has its row and column."""

REACH = 0.375
"""Pixels from a pixel's middle to a sample, along x and y."""

NEAR = 1e-3
"""m before a camera: what is nearer is not drawn."""

_EDGE = 1e-6  # of a triangle, beyond its sides, that is in it: neighbours leave nothing between them
_WIDE = 8  # pixels: rows of triangles that are wider are not looked through from side to side
EVEN = 8
"""Samples in a row of a depth buffer are a multiple of so many."""

_FAST = {"nogil": True, "error_model": "numpy", "boundscheck": False}


@kept(
    "int64(int64, int64, float32[:,::1], int64[::1], int64[::1], int64[::1], float64[:,::1], float64, float64, float64,"
    " int64, float32[:,::1], float64[::1])",
    **_FAST,
)
def project(low, high, corners, first, start, count, frames, focal, middle_x, middle_y, parallel, places, bounds):
    """Bring triangles of instances ``low`` to ``high - 1`` into a picture.

    Args:
        corners: (faces, 9), m, in frames of geometries.
        first, start, count: of instances, see :class:`~.surfaces.Surfaces`.
        frames: (instances, 12): rows of the matrix, and offset, that bring the geometry's frame to the camera's.
        focal, middle_x, middle_y: pixels, and the principal point; for ``parallel`` 1, pixels a metre.
        places: (triangles, 9): x, y (pixels) and nearness of three corners: 1 / depth, or for ``parallel`` -depth;
            what is not finite, or behind the camera, has no x of its first corner.
        bounds: (4,): least and greatest x and y; grows.

    Returns:
        how many triangles are partly behind the camera.
    """
    cut = 0
    for i in range(low, high):
        m = frames[i]
        for k in range(count[i]):
            into = places[first[i] + k]
            behind = 0
            for c in range(3):
                x = np.float64(corners[start[i] + k, 3 * c])
                y = np.float64(corners[start[i] + k, 3 * c + 1])
                z = np.float64(corners[start[i] + k, 3 * c + 2])
                u = m[0] * x + m[1] * y + m[2] * z + m[3]
                v = m[4] * x + m[5] * y + m[6] * z + m[7]
                d = m[8] * x + m[9] * y + m[10] * z + m[11]
                scale = focal
                nearness = -d
                if parallel == 0:
                    if not d > NEAR:
                        behind += 1
                    nearness = 1.0 / d
                    scale = focal * nearness
                into[3 * c] = middle_x + scale * u
                into[3 * c + 1] = middle_y + scale * v
                into[3 * c + 2] = nearness
            if behind > 0:
                if behind < 3 and math.isfinite(m[11]):
                    cut += 1
                into[0] = np.nan
            elif math.isfinite(into[0] + into[3] + into[6]):
                bounds[0] = min(bounds[0], min(into[0], min(into[3], into[6])))
                bounds[1] = max(bounds[1], max(into[0], max(into[3], into[6])))
                bounds[2] = min(bounds[2], min(into[1], min(into[4], into[7])))
                bounds[3] = max(bounds[3], max(into[1], max(into[4], into[7])))
            else:
                into[0] = np.nan
    return cut


@kept(inline="always")
def _bounds_of(places, t, left, top):
    """x and y of a triangle's corners in a buffer, and twice its area; 0 where something is no number."""
    x0 = np.float64(places[t, 0]) - left
    y0 = np.float64(places[t, 1]) - top
    x1 = np.float64(places[t, 3]) - left
    y1 = np.float64(places[t, 4]) - top
    x2 = np.float64(places[t, 6]) - left
    y2 = np.float64(places[t, 7]) - top
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    return x0, y0, x1, y1, x2, y2, area if math.isfinite(area) else 0.0


@kept(inline="always")
def _row_range(y, x0, limits, least_x, most_x, wider):
    """Where a triangle begins and ends in a row, y below its first corner, and ``wider`` than in the row's middle."""
    start = least_x
    end = most_x
    for k in range(3):
        reach = x0 + limits[k, 0] * y + limits[k, 1]
        slack = wider * (1.0 + abs(limits[k, 0]))
        if limits[k, 2] > 0.0:
            start = max(start, reach - slack)
        elif limits[k, 2] < 0.0:
            end = min(end, reach + slack)
    return start, end


@kept(inline="always")
def _put_limits(limits, ax, ay, bx, by):
    """Of a triangle's sides, x as slope * y + constant, and 1 or -1 where x is not below or not above that."""
    for k in range(3):
        cx = ax if k == 0 else (bx if k == 1 else -ax - bx)
        cy = ay if k == 0 else (by if k == 1 else -ay - by)
        base = 1.0 if k == 2 else 0.0
        scale = 1.0 / cx if cx != 0.0 else 0.0
        limits[k, 0] = -cy * scale
        limits[k, 1] = -base * scale
        limits[k, 2] = 0.0 if cx == 0.0 else (1.0 if cx > 0.0 else -1.0)


@kept(
    "void(int64, int64, float32[:,::1], int64, float64, float32[::1], float32[::1], float32[:,::1], int32[:,::1],"
    " int64, int64, int64)",
    **_FAST,
)
def fill(low, high, places, samples, reach, across, down, nearness, numbers, left, top, numbered):
    """Draw triangles into rows ``low`` to ``high - 1`` of a depth buffer: the nearest at each sample.

    Args:
        places: see :func:`project`.
        samples, reach: of a pixel, and how far they are from its middle along x and y at most.
        across, down: where samples of a row are, from the middle of the first pixel on, as many as there are in a row.
        nearness: (rows, columns * samples), cleared to less than any; EVEN samples or more.
        numbers: of triangles there, likewise, if ``numbered`` is 1.
        left, top: of the buffer in the picture, pixels.
    """
    width = nearness.shape[1]
    columns = width // samples
    limits = np.empty((3, 3))
    lowest = np.float32(-_EDGE)
    one = np.float32(1.0)
    never = np.float32(-np.inf)
    for t in range(len(places)):
        x0, y0, x1, y1, x2, y2, area = _bounds_of(places, t, left, top)
        least_x = min(x0, min(x1, x2))
        most_x = max(x0, max(x1, x2))
        first_v = max(np.int64(math.ceil(min(y0, min(y1, y2)) - 0.5 - reach)), low)
        last_v = min(np.int64(math.floor(max(y0, max(y1, y2)) - 0.5 + reach)), high - 1)
        first_u = max(np.int64(math.ceil(least_x - 0.5 - reach)), 0)
        last_u = min(np.int64(math.floor(most_x - 0.5 + reach)), columns - 1)
        if area == 0.0 or first_v > last_v or first_u > last_u:
            continue
        scale = 1.0 / area
        w0 = np.float64(places[t, 2])
        w1 = places[t, 5] - w0
        w2 = places[t, 8] - w0
        # Shares of the second and third corner are linear in x and y from the first corner on; nearness is, too.
        ax = (y2 - y0) * scale
        ay = -(x2 - x0) * scale
        bx = -(y1 - y0) * scale
        by = (x1 - x0) * scale
        wx = w1 * ax + w2 * bx
        wy = w1 * ay + w2 * by
        second_x = np.float32(ax)
        second_y = np.float32(ay)
        third_x = np.float32(bx)
        third_y = np.float32(by)
        w_x = np.float32(wx)
        w_y = np.float32(wy)
        number = np.int32(t)
        wide = last_u - first_u > _WIDE
        if wide:
            _put_limits(limits, ax, ay, bx, by)
        for v in range(first_v, last_v + 1):
            y = v + 0.5 - y0
            start = first_u
            end = last_u
            if wide:
                begin, past = _row_range(y, x0, limits, least_x, most_x, reach)
                start = max(np.int64(math.ceil(begin - 0.5 - reach - _EDGE)), start)
                end = min(np.int64(math.floor(past - 0.5 + reach + _EDGE)), end)
                if end < start:
                    continue
            # Whole vectors of samples: those beside the triangle fail its test.
            first = start * samples // EVEN * EVEN
            count = min(((end + 1) * samples - first + EVEN - 1) // EVEN * EVEN, width - first)
            x = first // samples + 0.5 - x0
            second = np.float32(ax * x + ay * y)
            third = np.float32(bx * x + by * y)
            w = np.float32(w0 + wx * x + wy * y)
            # Unsigned, or Numba would look whether each counts from the end, one at a time.
            row = np.uint64(v)
            at = np.uint64(first)
            if numbered == 1:
                for k in range(np.uint64(count)):
                    b = second + second_x * across[k] + second_y * down[k]
                    c = third + third_x * across[k] + third_y * down[k]
                    near = w + w_x * across[k] + w_y * down[k]
                    near = near if min(min(b, c), one - b - c) >= lowest else never
                    last = nearness[row, at + k]
                    numbers[row, at + k] = number if near > last else numbers[row, at + k]
                    nearness[row, at + k] = near if near > last else last
            else:
                for k in range(np.uint64(count)):
                    b = second + second_x * across[k] + second_y * down[k]
                    c = third + third_x * across[k] + third_y * down[k]
                    near = w + w_x * across[k] + w_y * down[k]
                    near = near if min(min(b, c), one - b - c) >= lowest else never
                    last = nearness[row, at + k]
                    nearness[row, at + k] = near if near > last else last
