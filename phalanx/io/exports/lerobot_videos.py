"""Videos of LeRobot's datasets: of each camera files of H.264, in which episodes follow each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx.images.pictures.video import VideoWriter
from phalanx.io.exports.cameras import RecordedCameras
from phalanx.io.recordings.episodes import Span

VIDEOS = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
PREFIX = "observation.images."
KEY_FRAMES = 2
"""Every so many-th frame is whole, as LeRobot has it: readers want frames in any order."""

PIXELS = 1 << 31
"""Of a file, about, at most; 200 MB at a tenth of a bit a pixel."""

SAMPLED = 100
"""Frames of an episode that statistics are of, at most."""


class Videos:
    """Writes them, episode by episode.

    Args:
        cameras: what is seen.
        root: of the dataset.
        fps: frames a second.
        chunk: files of a folder.
    """

    def __init__(self, cameras: RecordedCameras, root: Path, fps: float, chunk: int) -> None:
        self._cameras, self._root, self._fps, self._chunk = cameras, root, fps, chunk
        self._file = -1
        self._frames = 0
        self._writers: dict[str, VideoWriter] = {}

    @property
    def features(self) -> dict[str, Any]:
        """What ``meta/info.json`` says of them."""
        return {
            PREFIX + name: {
                "dtype": "video",
                "shape": [view.height, view.width, 3],
                "names": ["height", "width", "channels"],
                "info": {
                    "video.height": view.height,
                    "video.width": view.width,
                    "video.codec": "h264",
                    "video.pix_fmt": "yuv420p",
                    "video.is_depth_map": False,
                    "video.fps": self._fps,
                    "video.channels": 3,
                    "has_audio": False,
                },
            }
            for name, view in self._cameras.views.items()
        }

    def add(self, span: Span) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Draw an episode; what its row says of its videos, and some frames (n, height, width, 3) of each."""
        most = max(1, PIXELS // max(view.width * view.height for view in self._cameras.views.values()))
        if self._file < 0 or self._frames + span.steps > most:
            self.close()
            self._open()
        chosen = np.unique(np.linspace(0, span.steps - 1, min(SAMPLED, span.steps)).round().astype(int))
        kept: dict[str, list[np.ndarray]] = {name: [] for name in self._cameras.views}
        at = 0
        for pieces in self._cameras.frames(span.env, span.start, span.start + span.steps):
            count = len(next(iter(pieces.values())))
            mine = chosen[(chosen >= at) & (chosen < at + count)] - at
            for name, pictures in pieces.items():
                for picture in pictures:
                    self._writers[name].add(picture)
                kept[name].append(pictures[mine].copy())
            at += count
        row: dict[str, Any] = {}
        for name in self._cameras.views:
            key = f"videos/{PREFIX}{name}"
            row |= {
                f"{key}/chunk_index": self._file // self._chunk,
                f"{key}/file_index": self._file % self._chunk,
                f"{key}/from_timestamp": self._frames / self._fps,
                f"{key}/to_timestamp": (self._frames + span.steps) / self._fps,
            }
        self._frames += span.steps
        return row, {PREFIX + name: np.concatenate(parts) for name, parts in kept.items()}

    def _open(self) -> None:
        self._file, self._frames = self._file + 1, 0
        for name in self._cameras.views:
            at = self._root / VIDEOS.format(
                video_key=PREFIX + name, chunk_index=self._file // self._chunk, file_index=self._file % self._chunk
            )
            at.parent.mkdir(parents=True, exist_ok=True)
            self._writers[name] = VideoWriter(at, self._fps, key_frames=KEY_FRAMES).__enter__()

    def close(self, error: BaseException | None = None) -> None:
        """Finish the files, or leave them behind after an error."""
        writers, self._writers = self._writers, {}
        for writer in writers.values():
            writer.__exit__(type(error) if error is not None else None, error, None)


def picture_stats(frames: np.ndarray) -> dict[str, np.ndarray]:
    """Of channels, (3, 1, 1) each, of pictures (n, height, width, 3) whose brightest is 1."""
    rows = frames.reshape(-1, 3).astype(np.float64) / 255.0
    shape = (3, 1, 1)
    return {
        "min": rows.min(axis=0).reshape(shape),
        "max": rows.max(axis=0).reshape(shape),
        "mean": rows.mean(axis=0).reshape(shape),
        "std": rows.std(axis=0).reshape(shape),
        "count": np.array([len(frames)]),
        **{
            name: np.quantile(rows, share, axis=0).reshape(shape)
            for name, share in (("q01", 0.01), ("q10", 0.1), ("q50", 0.5), ("q90", 0.9), ("q99", 0.99))
        },
    }
