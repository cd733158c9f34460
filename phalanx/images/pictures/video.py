"""Videos: .mp4 (H.264, by PyAV) and .gif (by Pillow), there whole or not at all."""

from __future__ import annotations

import importlib.util
import itertools
import os
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from phalanx.ecs.whole_files import new_sibling, refuse_links

SUFFIXES = (".mp4", ".gif")
"""Kinds of files, by their endings."""

MOST_OF_GIF = 50
"""Frames a second of a GIF: it counts in hundredths of a second, and viewers show what is shorter than two slowly."""

_QUALITY = 19  # constant rate factor of H.264: 18 is about what the eye cannot tell from the original, 23 the default
_PRESET = "veryfast"  # half the time of "medium", for one more decibel of noise at the same rate factor


class VideoError(ValueError):
    """A video cannot be written; the message says why and what to do."""


def check_video(path: Path, fps: float, size: tuple[int, int]) -> None:
    """Complain now, and not at the first frame, of what a :class:`VideoWriter` would refuse.

    Raises:
        VideoError: an ending that is none of :data:`SUFFIXES`, a rate or a size (width, height) that the format cannot
            have, or a package that is missing.
    """
    kind = path.suffix.lower()
    if kind not in SUFFIXES:
        raise VideoError(f"{path}: the name of a video must end in {' or '.join(SUFFIXES)}.")
    if not 0.0 < fps < float("inf"):
        raise VideoError(f"{fps} frames a second: must be a positive number.")
    if kind == ".gif" and fps > MOST_OF_GIF:
        raise VideoError(f"{path}: a GIF shows {MOST_OF_GIF} frames a second at most, not {fps:g}; write an .mp4 file.")
    if kind == ".mp4" and any(n % 2 for n in size):
        raise VideoError(f"{path}: width and height of an .mp4 file must be even, not {size[0]} x {size[1]}.")
    if kind == ".mp4" and importlib.util.find_spec("av") is None:
        raise VideoError(
            f"{path}: .mp4 files need the package av: pip install av, or install phalanx with its extra video. "
            "A .gif file needs nothing more."
        )


class VideoWriter:
    """Writes frames to a file that appears when the block ends, and not if it ends by an error or Ctrl-C.

    >>> with VideoWriter("out.mp4", fps=30) as video:  # doctest: +SKIP
    ...     video.add(image)  # (height, width, 3) uint8, all of one size

    Args:
        path: its ending, one of :data:`SUFFIXES`, says which format.
        fps: frames a second.
        key_frames: of .mp4: every so many-th frame is whole, for readers that jump; as the codec likes by default.
    """

    def __init__(self, path: str | os.PathLike[str], fps: float = 30.0, key_frames: int | None = None) -> None:
        self.path, self.fps, self._key_frames = Path(path), float(fps), key_frames
        self.frames = 0
        """How many were added."""
        self._size: tuple[int, int] | None = None
        self._file: _Mp4 | _Gif | None = None
        self._temporary: Path | None = None

    def __enter__(self) -> VideoWriter:
        check_video(self.path, self.fps, (2, 2))
        if not self.path.parent.is_dir():
            raise VideoError(f"{self.path}: there is no folder {self.path.parent}; make it first.")
        return self

    def add(self, image: np.ndarray) -> None:
        """Add a frame, (height, width, 3) uint8.

        Raises:
            VideoError: it is no such array, or of another size than the first.
        """
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise VideoError(f"a frame must be (height, width, 3) uint8, not {image.shape} {image.dtype}.")
        size = (image.shape[1], image.shape[0])
        if self._file is None:
            check_video(self.path, self.fps, size)
            self._size = size
            refuse_links(self.path)
            self._temporary = new_sibling(self.path)
            if self.path.suffix.lower() == ".mp4":
                self._file = _Mp4(self._temporary, self.fps, size, self._key_frames)
            else:
                self._file = _Gif(self._temporary, self.fps, size)
        if size != self._size:
            raise VideoError(f"a frame is {size[0]} x {size[1]}, the first was {self._size}; all must be alike.")
        self._file.add(np.ascontiguousarray(image))
        self.frames += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        file, self._file = self._file, None
        try:
            if file is not None:
                file.close(error is None)
                if error is None:
                    os.replace(file.path, self.path)
            elif error is None:
                raise VideoError(f"{self.path}: no frame was added.")
        finally:
            if self._temporary is not None:
                self._temporary.unlink(missing_ok=True)


class _Mp4:
    """H.264 as every player takes it: 8 bits, 4:2:0, its index before the pictures."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int], key_frames: int | None) -> None:
        import av

        self.path = path
        self._av = av
        self._container: Any = av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"})
        rate = Fraction(fps).limit_denominator(1001)
        self._stream = self._container.add_stream("h264", rate=rate)
        self._stream.width, self._stream.height = size
        self._stream.pix_fmt = "yuv420p"
        keys = {} if key_frames is None else {"g": str(key_frames), "bf": "0"}
        self._stream.options = {"crf": str(_QUALITY), "preset": _PRESET, **keys}

    def add(self, image: np.ndarray) -> None:
        frame = self._av.VideoFrame.from_ndarray(image, format="rgb24")
        self._container.mux(self._stream.encode(frame))

    def close(self, whole: bool) -> None:
        try:
            if whole:
                self._container.mux(self._stream.encode(None))
        finally:
            self._container.close()


class _Gif:
    """Frames are kept, a byte a pixel, until the end."""

    def __init__(self, path: Path, fps: float, size: tuple[int, int]) -> None:
        self.path, self._fps = path, fps
        self._frames: list[Any] = []

    def add(self, image: np.ndarray) -> None:
        from PIL import Image

        self._frames.append(Image.fromarray(image).quantize(256, dither=Image.Dither.NONE))

    def close(self, whole: bool) -> None:
        if not whole:
            return
        # Hundredths of a second, of each so many that errors do not add up.
        ends = [round(100.0 * i / self._fps) for i in range(len(self._frames) + 1)]
        durations = [10 * (b - a) for a, b in itertools.pairwise(ends)]
        first, *rest = self._frames
        first.save(self.path, format="GIF", save_all=True, append_images=rest, duration=durations, loop=0)
