"""Cameras that are added to a recording for a dataset: a picture for each observation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from phalanx.images.world_camera import WorldCamera
from phalanx.io.recordings.playback import Playback
from phalanx.io.recordings.replay import Recording

_NAME = re.compile(r"[\w-]{1,100}")
ALIKE = 32
"""Pictures that are drawn at a time."""


@dataclass(frozen=True)
class View:
    """A camera of a dataset.

    Attributes:
        body: that carries it, ``"actor/body"``; it stands without one.
        eye, target: where it is and where it looks, m, in the frame of the body, or of the environment.
        angle: degrees that it sees from its lower edge to its upper one.
        width, height: pixels, both even.
    """

    body: str | None = None
    eye: tuple[float, float, float] = (2.0, 2.0, 1.5)
    target: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angle: float = 60.0
    width: int = 320
    height: int = 240

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 2 or self.width % 2 or self.height % 2:
            raise ValueError(f"a camera of {self.width} x {self.height} pixels: both must be even, and 2 or more")

    @classmethod
    def parse(cls, text: str) -> tuple[str, View]:
        """A name and a view of words such as ``"front body=robot/base eye=0.3,0,0.1 target=1,0,0 size=128,96"``.

        Raises:
            ValueError: with what is wrong.
        """
        name, *words = text.split()
        known: dict[str, Any] = {}
        for word in words:
            key, _, value = word.partition("=")
            try:
                if key == "body":
                    known[key] = value
                elif key in ("eye", "target"):
                    x, y, z = (float(number) for number in value.split(","))
                    known[key] = (x, y, z)
                elif key == "angle":
                    known[key] = float(value)
                elif key == "size":
                    known["width"], known["height"] = (int(number) for number in value.split(","))
                else:
                    raise ValueError
            except ValueError:
                raise ValueError(
                    f"camera {text!r}: {word!r} is not understood; words are body=ACTOR/BODY, eye=X,Y,Z, "
                    "target=X,Y,Z, angle=DEGREES and size=WIDTH,HEIGHT"
                ) from None
        return name, cls(**known)


class RecordedCameras:
    """Draws what cameras would have seen.

    Args:
        recording: from :func:`phalanx.open_recording`.
        views: by name.

    Raises:
        LoadError: what was recorded does not say where things were.
        ValueError: a camera has no name, or there is no such body.
        TypeError: cameras are no dictionary of views.
    """

    def __init__(self, recording: Recording, views: Mapping[str, View]) -> None:
        if not isinstance(views, Mapping) or not all(isinstance(view, View) for view in views.values()):
            raise TypeError('cameras: must be a dictionary of views by name, such as {"front": View(body="base")}')
        self.views = dict(views)
        odd = [name for name in views if not isinstance(name, str) or not _NAME.fullmatch(name)]
        if odd:
            raise ValueError(f"camera {odd[0]!r:.100}: a name of at most 100 letters, digits, - and _ is needed")
        self._playback = Playback(recording, [0])
        self._playback.limit(ALIKE)
        self._cameras = {
            name: WorldCamera(
                self._playback.world,
                view.height,
                view.width,
                body=view.body,
                eye=view.eye,
                target=view.target,
                angle=view.angle,
            )
            for name, view in self.views.items()
        }

    def frames(self, env: int, start: int, stop: int) -> Any:
        """Of pieces of some samples of an environment, by camera (pictures, height, width, 3) uint8."""
        playback = self._playback
        playback.envs = np.array([env])
        for first in range(start, stop, playback.batch):
            last = min(stop, first + playback.batch)
            playback.bodies(first, last)
            yield {name: self._seen(camera)[: last - first] for name, camera in self._cameras.items()}

    def _seen(self, camera: WorldCamera) -> np.ndarray:
        rgb = camera.capture()["rgb"]
        return np.asarray(rgb.get() if hasattr(rgb, "get") else rgb)[..., :3]
