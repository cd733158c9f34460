"""Draws frames of a scene by depth buffers: one of the camera, and one of the sun for shadows."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.ecs.cpu.threads import at_once, num_threads
from phalanx.images.raster.kernels import EVEN, OFFSETS, REACH, fill, project
from phalanx.images.raster.shade import TILE, shade_ground, shade_pixels
from phalanx.images.raster.surfaces import Surfaces
from phalanx.rays import cpu

_FINE = 1.0  # pixels, at the distance of what is looked at: a texel of the sun's depth buffer
_MOST = 4096  # texels across
_BORDER = 4  # texels


@dataclass(frozen=True)
class Daylight:
    """Lights and ground.

    Attributes:
        axes: (3, 3): right, down, and toward the sun, as rows.
        sun, sky, earth: (3,) linear: what the sun gives, what looks up gets from the sky, and what looks down.
        exposure: of all three.
        floor: height of the ground, m, or ``None``.
        corner, side: of a square of the ground, (2,) and m.
        tiles: (2, 3) colours of squares, the first that at the corner.
        horizon, zenith: (3,) of the sky.
    """

    axes: np.ndarray
    sun: np.ndarray
    sky: np.ndarray
    earth: np.ndarray
    exposure: float
    floor: float | None
    corner: tuple[float, float]
    side: float
    tiles: np.ndarray
    horizon: np.ndarray
    zenith: np.ndarray


class Raster:
    """Draws surfaces of a scene on the CPU.

    Args:
        surfaces: of the scene.
        daylight: lights and ground.
        size: width, height, pixels.
        focal: length, pixels; the principal point is the picture's middle.
        axes: of the camera: right, down and forward, as rows (3, 3).
        haze: (pixels, 1) float32: how much of the horizon's colour the ground has.
        table: (131072,) uint8: finished colours of linear ones, in steps of 1 / 65536.
        distance: m, of what is looked at.
    """

    def __init__(
        self,
        surfaces: Surfaces,
        daylight: Daylight,
        size: tuple[int, int],
        focal: float,
        axes: np.ndarray,
        haze: np.ndarray,
        table: np.ndarray,
        distance: float,
    ) -> None:
        self._surfaces, self._daylight, self._size = surfaces, daylight, size
        self._focal, self._axes, self._table = float(focal), np.asarray(axes, float), table
        self._haze = np.ascontiguousarray(haze, np.float32)
        self._scale = focal / (_FINE * distance)  # texels a metre
        count = surfaces.triangles
        self._places, self._sunward = (np.empty((count, 9), np.float32) for _ in range(2))
        self._owners = np.repeat(np.arange(len(surfaces.rows), dtype=np.int32), surfaces.count)
        self._instances = np.stack([surfaces.first, surfaces.start], axis=1).astype(np.int32)
        self._offsets = OFFSETS.astype(np.float32)
        self._shade = cpu.kernel_of(shade_pixels, ())
        self._eye: np.ndarray | None = None
        self._empty = tuple(np.zeros((0, 0), np.float32) for _ in range(2)), np.zeros((0, 0, 3), np.uint8)

    def draw(self, frames: np.ndarray, eye: np.ndarray) -> np.ndarray | None:
        """(height, width, 3) uint8, or ``None`` where a triangle reaches behind the camera.

        Args:
            frames: (rows, 12) of the scene: what brings the world to frames of geometries. Not finite: it is not seen.
            eye: (3,) of the camera, m.
        """
        matrix, turn, offset = _inverse(frames[self._surfaces.rows].astype(float))
        near = self._projected(self._places, turn, offset - eye, self._axes, self._focal, 0)
        if near is None:
            return None
        width, height = self._size
        camera = np.array([*eye, *self._axes.ravel(), self._focal, 0.5 * width, 0.5 * height], np.float32)
        shadows, light = self._shadows(turn, offset)
        tiles = _tiles(shadows)
        (lit, dark), background = self._background(camera, light, eye)
        image = background.copy()
        area = self._rectangle(near, light, shadows.shape, eye)
        left, right, top, bottom = area
        if left >= right or top >= bottom:
            return image
        rows, across = bottom - top, right - left
        nearness, numbers = self._filled(self._places, OFFSETS, REACH, (rows, across), left, top, 0.0)
        turns = np.ascontiguousarray(matrix.transpose(0, 2, 1), np.float32)
        floor, surfaces = self._daylight.floor, self._surfaces
        height_of_floor = np.array([floor or 0.0], np.float32)
        bound = cpu.bind((
            left, top, across, nearness.shape[1], width, camera, light, shadows, tiles, self._offsets, nearness,
            numbers, self._places, self._owners, self._instances, surfaces.corners, surfaces.normals, surfaces.colors,
            surfaces.looks, turns, int(floor is not None), height_of_floor, lit, dark, self._table, image,
        ))  # fmt: skip
        cpu.launch(self._shade, rows * across, bound)
        return image

    # -- steps -----------------------------------------------------------------------------------------------

    def _projected(
        self, places: np.ndarray, turn: np.ndarray, offset: np.ndarray, axes: np.ndarray, scale: float, parallel: int
    ) -> np.ndarray | None:
        """Fill ``places``; bounds x, x, y, y, or ``None`` where something is partly behind the camera."""
        matrix, moved = axes @ turn, offset @ axes.T
        frames = np.ascontiguousarray(np.concatenate([matrix, moved[..., None]], axis=-1).reshape(-1, 12))
        middle = (0.0, 0.0) if parallel else (0.5 * self._size[0], 0.5 * self._size[1])
        bounds = np.array([np.inf, -np.inf, np.inf, -np.inf])
        surfaces = self._surfaces
        cut = project(
            0, len(surfaces.rows), surfaces.corners, surfaces.first, surfaces.start, surfaces.count, frames, scale,
            *middle, parallel, places, bounds,
        )  # fmt: skip
        return None if cut else bounds

    def _shadows(self, turn: np.ndarray, offset: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sun's depth buffer (rows, columns), and the numbers of ``light`` that :mod:`.shade` reads."""
        day = self._daylight
        toward = day.axes * np.array([[1.0], [1.0], [-1.0]])
        bounds = self._projected(self._sunward, turn, offset, toward, self._scale, 1)
        assert bounds is not None
        if not np.isfinite(bounds).all():
            bounds = np.zeros(4)
        while max(bounds[1] - bounds[0], bounds[3] - bounds[2]) > _MOST:
            self._scale *= 0.5
            self._sunward[:, [0, 1, 3, 4, 6, 7]] *= np.float32(0.5)
            bounds = 0.5 * bounds
        left, top = (int(np.floor(n)) - _BORDER for n in bounds[[0, 2]])
        columns, rows = (
            int(np.ceil(n)) + _BORDER - start for n, start in zip(bounds[[1, 3]], (left, top), strict=True)
        )
        columns += -columns % EVEN
        made, _none = self._filled(self._sunward, np.zeros((1, 2)), 0.0, (rows, columns), left, top, -np.inf)
        across, down, sun = day.axes
        where = [*(self._scale * across), -left, *(self._scale * down), -top, *sun, 0.0]
        numbers = [*sun, *day.sun, day.exposure, *day.sky, *day.earth, 1.0 / self._scale, columns, rows, *where]
        return made, np.array(numbers, np.float32)

    def _background(self, camera: np.ndarray, light: np.ndarray, eye: np.ndarray) -> Any:
        """The ground and the sky, linear in the sun and in shadow, and the picture in the sun; kept for a place."""
        if self._eye is None or not np.array_equal(self._eye, eye):
            day, (width, height) = self._daylight, self._size
            side = 0.0 if day.floor is None else day.side
            ground = [*day.corner, day.floor or 0.0, side, *day.tiles.ravel(), *day.horizon, *day.zenith]
            lit, dark = (np.empty((width * height, 3), np.float32) for _ in range(2))
            numbers = np.array(ground, np.float32)
            bound = cpu.bind((width, camera, light, numbers, self._haze, lit, dark))
            cpu.launch(cpu.kernel_of(shade_ground, ()), width * height, bound)
            finished = self._table[np.clip(lit * 65536.0 + 0.5, 0, len(self._table) - 1).astype(np.int32)]
            self._empty = (lit, dark), finished.reshape(height, width, 3)
            self._eye = np.array(eye)
        return self._empty

    def _rectangle(
        self, bounds: np.ndarray, light: np.ndarray, shape: tuple[int, ...], eye: np.ndarray
    ) -> tuple[int, int, int, int]:
        """Left, right, top, bottom of the pixels in which bodies or their shadows on the ground may be."""
        width, height = self._size
        day = self._daylight
        if not np.isfinite(bounds).all():
            return 0, 0, 0, 0
        if day.floor is not None:
            right, down, sun = day.axes
            left, top = -float(light[19]), -float(light[23])
            ends = [(left + x * shape[1], top + y * shape[0]) for x in (0, 1) for y in (0, 1)]
            points = np.array([u / self._scale * right + v / self._scale * down for u, v in ends])
            points += ((day.floor - points[:, 2]) / sun[2])[:, None] * sun
            places = (points - eye) @ self._axes.T
            if (places[:, 2] <= 0.01).any():
                return 0, width, 0, height
            x, y = (0.5 * n + self._focal * places[:, k] / places[:, 2] for k, n in enumerate(self._size))
            bounds = np.array([
                min(bounds[0], x.min()), max(bounds[1], x.max()), min(bounds[2], y.min()), max(bounds[3], y.max())
            ])  # fmt: skip
        left, top = (int(np.clip(np.floor(n) - 1, 0, most)) for n, most in zip(bounds[::2], self._size, strict=True))
        right, bottom = (
            int(np.clip(np.ceil(n) + 1, 0, most)) for n, most in zip(bounds[1::2], self._size, strict=True)
        )
        return left, right, top, bottom

    def _filled(
        self,
        places: np.ndarray,
        offsets: np.ndarray,
        reach: float,
        shape: tuple[int, int],
        left: int,
        top: int,
        nothing: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """A depth buffer (rows, columns * samples, or some more), and the triangles in it, -1 for none, if there are
        several samples.
        """
        rows, samples = shape[0], len(offsets)
        width = shape[1] * samples
        width += -width % EVEN
        nearness = np.full((rows, width), nothing, np.float32)
        several = samples > 1
        numbers = np.full(nearness.shape if several else (1, 1), -1, np.int32)
        index = np.arange(width)
        across, down = (offsets[index % samples, k] + (0, index // samples)[k == 0] for k in (0, 1))
        across, down = across.astype(np.float32), down.astype(np.float32)
        arguments = (places, samples, reach, across, down, nearness, numbers, left, top, int(several))
        self._shares(fill, rows, *arguments)
        return nearness, numbers

    def _shares(self, work: Callable[..., Any], count: int, *arguments: Any) -> None:
        """Do work on so many rows by a few threads."""
        threads = max(min(num_threads(), count // 64), 1)
        ends = [count * i // threads for i in range(threads + 1)]
        at_once(work, [(a, b, *arguments) for a, b in itertools.pairwise(ends)])


def _inverse(frames: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Matrices (n, 3, 3) of frames, and what brings frames of geometries to the world, (n, 3, 3) and (n, 3): not finite
    where frames are not, or flat.
    """
    matrix, offset = frames.reshape(-1, 3, 4)[..., :3], frames.reshape(-1, 3, 4)[..., 3]
    turn = np.full_like(matrix, np.nan)
    chosen = np.flatnonzero(np.isfinite(frames).all(axis=1))
    chosen = chosen[np.linalg.det(matrix[chosen]) != 0.0]
    turn[chosen] = np.linalg.inv(matrix[chosen])
    return matrix, turn, -np.einsum("nij,nj->ni", turn, offset)


def _tiles(shadows: np.ndarray) -> np.ndarray:
    """(tiles down, tiles across, 2): least and greatest of each TILE x TILE, and of the next to the right and below."""
    found = []
    for reduce_, none in ((np.minimum, np.inf), (np.maximum, -np.inf)):
        padded = np.pad(shadows, [(0, -n % TILE) for n in shadows.shape], constant_values=-np.inf)
        each = padded.reshape(padded.shape[0] // TILE, TILE, -1)
        each = reduce_.reduce(each, axis=1).reshape(len(each), -1, TILE)
        each = np.pad(reduce_.reduce(each, axis=2), ((0, 1), (0, 1)), constant_values=none)
        found.append(reduce_(reduce_(each[:-1, :-1], each[1:, :-1]), reduce_(each[:-1, 1:], each[1:, 1:])))
    return np.ascontiguousarray(np.stack(found, axis=-1), np.float32)
