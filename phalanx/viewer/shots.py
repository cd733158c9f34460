"""Pictures and films of what a browser sees, drawn by the renderer of :mod:`phalanx.images.pictures`, to keep."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.images.pictures.framing import Camera
from phalanx.images.pictures.video import VideoWriter

if TYPE_CHECKING:
    from phalanx.images.pictures.picture import WorldPainter
    from phalanx.viewer.steered import Steered
    from phalanx.world.snapshots import Snapshot

HEIGHT = 720
"""Pixels; the width is what the browser's shape asks for."""

FPS = 25.0
"""Frames a simulated second."""

LONGEST = 1500
"""Frames of a film: it ends by itself after a minute."""

FILM = "Film"

PASSES = 8
"""Of a picture: the fewest with soft shadows; the simulation waits for them."""


class Shots:
    """Two buttons: one saves a picture, one begins a film, and ends it.

    A film's camera stands where the browser's was when it began, or goes along with the body that is followed. Frames
    are a 25th of a simulated second apart, so the simulation waits while they are drawn.

    Args:
        viewer: that it is part of; widgets go to the tab that is open.
    """

    def __init__(self, viewer: Steered) -> None:
        self._viewer, gui = viewer, viewer.server.gui
        self.save = gui.add_button("Save a picture")
        self.film = gui.add_button(FILM)
        self._client: Any = None
        self._painter: WorldPainter | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._video: VideoWriter | None = None
        self._next, self._last = 0.0, 0.0
        self._origin = np.zeros(3)
        self.save.on_click(lambda event: self._ask_picture(event.client))
        self.film.on_click(lambda event: self._ask_film(event.client))

    @property
    def filming(self) -> bool:
        """Whether a film has begun."""
        return self._video is not None

    def due(self, time: float) -> bool:
        """Whether a frame of a film is to be drawn at a simulated time, s."""
        return self.filming and (time >= self._next - 1e-9 or time < self._last)

    def picture(self, camera: Camera, size: tuple[int, int]) -> np.ndarray:
        """(height, width, 3) uint8 of what is seen; called where the world may be read.

        Args:
            camera: where environments are that the viewer shows.
            size: width and height, pixels.
        """
        seen = self._viewer.seen()
        return self._viewer.painter(camera, size=size, passes=PASSES).draw(seen.poses, nodes=seen.nodes or None)

    def begin(self, camera: Camera, size: tuple[int, int], client: Any = None) -> None:
        """Begin a film; called where the world may be read.

        Args:
            camera, size: as for :meth:`picture`; both even.
            client: the browser that gets the file, with ``send_file_download``.
        """
        self.cancel()
        self._painter = self._viewer.painter(camera, size=size)
        self._origin = np.array(self._viewer.scene.origin, float)
        suffix = ".mp4" if find_spec("av") is not None else ".gif"
        self._folder = TemporaryDirectory(prefix="phalanx-film-")
        self._client = client
        self._video = VideoWriter(Path(self._folder.name) / f"phalanx{suffix}", FPS)
        self._video.__enter__()
        self.film.label = "End of the film"
        self.take(self._viewer.seen())

    def take(self, seen: Snapshot) -> None:
        """Add a frame of what is seen."""
        if self._video is None or self._painter is None:
            return
        shift = self._origin - np.array(self._viewer.scene.origin, float)
        try:
            self._video.add(self._painter.draw(seen.poses, shift, seen.nodes or None))
        except Exception:  # a full disk, say: once, and not of each frame
            self.cancel()
            self.film.label = FILM
            raise
        if seen.time < self._last or self._video.frames == 1:  # after a reset, or the first one
            self._next = seen.time
        self._next += 1.0 / FPS
        self._last = seen.time
        if self._video.frames >= LONGEST:
            self.end()

    def end(self) -> bytes:
        """End the film; the file goes to the browser that began it, and is returned."""
        video, folder, client = self._video, self._folder, self._client
        if video is None or folder is None:
            return b""
        self._video = self._folder = self._client = self._painter = None
        self.film.label = FILM
        with folder:
            video.__exit__(None, None, None)
            content = video.path.read_bytes()
        if client is not None:
            client.send_file_download(video.path.name, content, save_immediately=True)
        return content

    def cancel(self) -> None:
        """Forget a film that has begun."""
        if self._video is not None and self._folder is not None:
            error = RuntimeError("the film was cancelled")
            self._video.__exit__(RuntimeError, error, None)
            self._folder.cleanup()
        self._video = self._folder = self._client = self._painter = None

    def _ask_picture(self, client: Any) -> None:
        camera, size = self._view(client)

        def draw(_: Any) -> None:
            from PIL import Image

            file = io.BytesIO()
            Image.fromarray(self.picture(camera, size)).save(file, format="PNG")
            client.send_file_download("phalanx.png", file.getvalue(), save_immediately=True)

        self._viewer.do(draw)

    def _ask_film(self, client: Any) -> None:
        if self.filming:
            self._viewer.do(lambda _: self.end())
            return
        camera, size = self._view(client)
        self._viewer.do(lambda _: self.begin(camera, size, client))

    def _view(self, client: Any) -> tuple[Camera, tuple[int, int]]:
        """Where a browser looks from, and how large a picture of that is."""
        origin = np.array(self._viewer.scene.origin, float)
        eye, target = (np.array(each, float) - origin for each in (client.camera.position, client.camera.look_at))
        width = 2 * round(0.5 * HEIGHT * min(max(float(client.camera.aspect), 0.25), 4.0))
        camera = Camera(
            (eye[0], eye[1], eye[2]), (target[0], target[1], target[2]), np.rad2deg(float(client.camera.fov))
        )
        return camera, (width, HEIGHT)
