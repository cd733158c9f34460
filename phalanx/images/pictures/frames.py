"""Frames of a film, drawn anew only where something has moved, with more rays only where colours change.

A background is kept for the camera's place: everything as it was in the first frame, but without what has moved since.
A frame is the background, and the pixels in which what has moved, or its shadow, can be seen now. Where a body moves
for the first time, the background is drawn again there without it. Each pixel is the same as if all were drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from phalanx.images.looks import DECODED, encoded
from phalanx.images.pictures.footprints import footprints
from phalanx.images.pictures.framing import corner_points

_CONTRAST = 4  # of 255: a pixel that differs more from a neighbour gets all passes
_BRIGHTEST = 2.0  # linear; what is brighter is white
_FINE = 1 << 16  # steps of a linear number to 1, of which 8 bits are looked up


@dataclass
class View:
    """A camera: see :func:`~.footprints.footprints`."""

    eye: np.ndarray
    axes: np.ndarray
    focal: float
    size: tuple[int, int]
    light: np.ndarray


@dataclass
class Layers:
    """A frame, pixel after pixel.

    Attributes:
        first: (pixels, 3) uint8: of the first pass.
        ground: (pixels,) bool: whether it shows the ground there.
        image: (pixels, 3) uint8: finished.
    """

    first: np.ndarray
    ground: np.ndarray
    image: np.ndarray

    def copy(self) -> Layers:
        """The same in arrays of its own."""
        return Layers(self.first.copy(), self.ground.copy(), self.image.copy())


class Frames:
    """Draws one frame after the other.

    Args:
        boxes: (body, corners (8, 3) in its frame) about shapes.
        floor: height of the ground, m, if there is one.
        offsets: (environments, 3), m, where they stand.
        place: puts bodies at poses (environments, bodies, 7); those that are not finite are not seen.
        cast: draws pixels (numbers, or ``None``: all) of a pass: colours (n, 3) uint8 and whether they show the ground,
            (n,).
        passes: how many.
        finish: linear colours (n, 3) of pixels (numbers or ``None``), means of passes, and how much of each is ground
            (n, 1), to those that :func:`developed_by_table` takes.
    """

    def __init__(
        self,
        boxes: Sequence[tuple[int, np.ndarray]],
        floor: float | None,
        offsets: np.ndarray,
        place: Callable[[np.ndarray], None],
        cast: Callable[[np.ndarray | None, int], tuple[np.ndarray, np.ndarray]],
        passes: int,
        finish: Callable[[np.ndarray | None, np.ndarray, np.ndarray], np.ndarray],
    ) -> None:
        self._boxes, self._floor, self._offsets = boxes, floor, offsets
        self._bodies = np.array([body for body, _ in boxes])
        self._place, self._cast, self._passes, self._finish = place, cast, passes, finish
        self._contrast = _CONTRAST
        self._eye: np.ndarray | None = None
        self._poses, self._moved = np.zeros((0, 0, 7), np.float32), np.zeros((0, 0), np.bool_)
        self._background: Layers | None = None

    def draw(self, poses: np.ndarray, view: View) -> np.ndarray:
        """(height, width, 3) uint8 of bodies at poses (environments, bodies, 7)."""
        shape = (view.size[1], view.size[0], 3)
        if self._background is None or self._eye is None or not np.array_equal(self._eye, view.eye):
            return self._begin(poses, view).reshape(shape)
        new = self._differ(poses) & ~self._moved
        if new.any():
            left = self._moved | new
            where = self._footprints(self._poses, new, ~left, view)
            if where is None:
                return self._begin(poses, view).reshape(shape)
            self._moved = left
            self._place(np.where(self._moved[..., None], np.nan, self._poses).astype(np.float32))
            self._render(self._background, where, view.size)
        where = self._footprints(poses, self._moved, ~self._moved, view)
        self._place(poses)
        if where is None:
            return self._whole(view.size).image.reshape(shape)
        frame = self._background.copy()
        self._render(frame, where, view.size)
        return frame.image.reshape(shape)

    def forget(self) -> None:
        """Draw everything anew in the next frame."""
        self._background = None

    def _begin(self, poses: np.ndarray, view: View) -> np.ndarray:
        """Draw everything, and keep it as the background."""
        self._place(poses)
        self._eye, self._poses = view.eye.copy(), np.array(poses, np.float32)
        self._moved = np.zeros(poses.shape[:2], np.bool_)
        self._background = self._whole(view.size)
        return self._background.image.copy()

    def _differ(self, poses: np.ndarray) -> np.ndarray:
        """(environments, bodies) bool: whether a body is elsewhere than it was at first."""
        now = np.asarray(poses, np.float32)
        return ((now != self._poses) & ~(np.isnan(now) & np.isnan(self._poses))).any(axis=-1)

    def _footprints(self, poses: np.ndarray, which: np.ndarray, others: np.ndarray, view: View) -> np.ndarray | None:
        """Pixels of bodies and of their shadows on the ground, and on other bodies where there are any."""
        corners = corner_points(self._boxes, np.asarray(poses, float)) + self._offsets[:, None]
        corners = corners.reshape(len(poses), -1, 8, 3)
        mine, standing = which[:, self._bodies], corners[others[:, self._bodies]]
        standing = standing[np.isfinite(standing).all(axis=(1, 2))]
        heights = [self._floor] if self._floor is not None else []
        heights += [float(standing[..., 2].min())] if len(standing) else []
        return footprints(
            corners[mine],
            view.eye,
            view.axes,
            view.focal,
            view.size,
            view.light,
            min(heights, default=None),
            len(standing) > 0,
        )

    # -- pixels ----------------------------------------------------------------------------------------------

    def _whole(self, size: tuple[int, int]) -> Layers:
        count = size[0] * size[1]
        made = Layers(np.zeros((count, 3), np.uint8), np.zeros(count, bool), np.zeros((count, 3), np.uint8))
        self._render(made, None, size)
        return made

    def _render(self, layers: Layers, where: np.ndarray | None, size: tuple[int, int]) -> None:
        """Draw pixels (height, width), or all, of what is placed: once, and where colours change more often."""
        pixels = None if where is None else np.flatnonzero(where).astype(np.int32)
        if pixels is not None and not len(pixels):
            return
        into = slice(None) if pixels is None else pixels
        layers.first[into], layers.ground[into] = self._cast(pixels, 0)
        total = DECODED[layers.first[into]]
        grounds = layers.ground[into].astype(np.float32)[:, None]
        edges = _edges(layers, where, size, self._contrast)
        chosen = np.flatnonzero(edges if pixels is None else edges[pixels])
        if self._passes > 1 and len(chosen):
            listed = chosen.astype(np.int32) if pixels is None else pixels[chosen]
            more, on_ground = total[chosen], grounds[chosen]
            for n in range(1, self._passes):
                colors, ground = self._cast(listed, n)
                more += DECODED[colors]
                on_ground += ground[:, None]
            total[chosen], grounds[chosen] = more / self._passes, on_ground / self._passes
        layers.image[into] = developed_by_table(self._finish(pixels, total, grounds))


def _edges(layers: Layers, where: np.ndarray | None, size: tuple[int, int], contrast: int) -> np.ndarray:
    """(pixels,) bool: which differ from a neighbour by more than the contrast; those of ``where``, of others some."""
    shape = (size[1], size[0])
    found = np.zeros(shape, bool)
    rows, columns = slice(None), slice(None)
    if where is not None:  # the rectangle about it and its neighbours
        v, u = np.flatnonzero(where.any(axis=1)), np.flatnonzero(where.any(axis=0))
        rows, columns = slice(max(v[0] - 1, 0), v[-1] + 2), slice(max(u[0] - 1, 0), u[-1] + 2)
    first, ground = layers.first.reshape(*shape, 3)[rows, columns], layers.ground.reshape(shape)[rows, columns]
    part = found[rows, columns]
    for one, two in ((np.s_[:-1], np.s_[1:]), (np.s_[:, :-1], np.s_[:, 1:])):
        a, b = first[one], first[two]
        differ = (np.maximum(a, b) - np.minimum(a, b) > contrast).any(axis=-1) | (ground[one] != ground[two])
        part[one] |= differ
        part[two] |= differ
    return found.reshape(-1)


def _rolled_off(linear: np.ndarray) -> np.ndarray:
    """Linear colours, the brightest drawn in below 1."""
    return np.where(linear > 0.8, 0.8 + 0.2 * (1.0 - np.exp(-(linear - 0.8) / 0.2)), linear)


def developed(linear: np.ndarray) -> np.ndarray:
    """8-bit sRGB, brightest parts rolled off."""
    return encoded(_rolled_off(linear))


TABLE = developed(np.arange(int(_BRIGHTEST * _FINE)) / _FINE)
"""Of linear colours up to 2, in steps of 1 / 65536."""


def developed_by_table(linear: np.ndarray) -> np.ndarray:
    """As :func:`developed`, from a table; where numbers are dark, one in twenty may be rounded to the other side."""
    return TABLE[np.clip(linear * _FINE + 0.5, 0, len(TABLE) - 1).astype(np.int32)]
