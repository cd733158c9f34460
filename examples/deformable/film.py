"""What the scripts beside this one share: their arguments, pictures and videos, and a table of figures."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path

import phalanx as px
from phalanx.images.pictures.picture import Camera, WorldPainter, save_png
from phalanx.images.pictures.video import VideoWriter

ORANGE, BLUE, GREEN, STEEL = (
    (0.91, 0.51, 0.23, 1.0),
    (0.36, 0.56, 0.69, 1.0),
    (0.45, 0.62, 0.35, 1.0),
    (0.55, 0.58, 0.62, 1.0),
)


def arguments(doc: str | None) -> argparse.Namespace:
    """The command line of a script: ``--picture FILE``, ``--video FILE``."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--picture", type=Path, help="draw what it looks like in the middle to this PNG file")
    parser.add_argument("--video", type=Path, help="write a video, .gif or .mp4 (the latter needs the extra video)")
    return parser.parse_args()


class Film:
    """Steps a world, and takes pictures of it meanwhile if there is to be a video.

    Args:
        options: of :func:`arguments`.
        camera: from where.
        size: width, height, pixels; a video has half of both.
        fps: frames a second of the video.
        env_ids: environments that are seen.
    """

    def __init__(
        self,
        world: px.World,
        options: argparse.Namespace,
        camera: Camera,
        size: tuple[int, int] = (960, 720),
        fps: float = 12.5,
        env_ids: tuple[int, ...] = (0,),
    ) -> None:
        self.world, self.options, self.camera, self.size, self.envs = world, options, camera, size, env_ids
        self._every = max(round(1 / (fps * world.dt)), 1)
        self._stack = contextlib.ExitStack()
        self._video = self._painter = None
        if options.video is not None:
            self._video = self._stack.enter_context(VideoWriter(options.video, fps))
            small = (size[0] // 2, size[1] // 2)
            self._painter = WorldPainter(world, env_ids, size=small, camera=camera)
        self._steps = 0

    def __enter__(self) -> Film:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.__exit__(*error)  # pyright: ignore[reportArgumentType]

    def step(self) -> None:
        """A step, and a frame if it is time for one."""
        self.world.step()
        self._steps += 1
        if self._video is not None and self._painter is not None and self._steps % self._every == 0:
            self._video.add(self._painter.draw())

    def picture(self) -> None:
        """Draw what is now, if a picture is asked for."""
        if self.options.picture is not None:
            save_png(
                WorldPainter(self.world, self.envs, size=self.size, camera=self.camera).draw(), self.options.picture
            )


class Figures:
    """Rows of what is seen and what is expected; prints them as they come."""

    def __init__(self) -> None:
        self.wrong = 0
        print(f"{'':<52}{'seen':>10}{'expected':>10}")

    def row(self, what: str, seen: float, expected: float, unit: str, within: float) -> None:
        """A row; ``within`` is the most that it may be off by, in the same unit."""
        off = abs(seen - expected)
        self.wrong += not off <= within
        verdict = "" if off <= within else f"   off by {off:.3g}, more than {within:.3g}"
        print(f"{what:<52}{seen:>10.4g}{expected:>10.4g} {unit}{verdict}")

    def end(self) -> None:
        """Exit with 1 if anything was off by more than it may be."""
        if self.wrong:
            sys.exit(f"{self.wrong} not as expected")
        print("as expected")
