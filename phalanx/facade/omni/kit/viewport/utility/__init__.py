"""What scripts import as ``omni.kit.viewport.utility``: which camera the main window looks through.

There is no window, so nothing is drawn; scripts that choose and move its camera find what they chose, and cameras of
the stage really move.
"""

from __future__ import annotations

from typing import Any

from phalanx.facade import stage as stages
from phalanx.facade.viewpoint import PATH
from phalanx.io.formats.usd.bindings import Sdf, Stage

NAME = "Viewport"
"""Of the main window."""

RESOLUTION = (1280, 720)
"""Pixels, across and down, unless a script sets others."""


class Viewport:
    """What a window would show.

    Attributes:
        resolution: (width, height), pixels.
    """

    def __init__(self) -> None:
        self.resolution: tuple[int, int] = RESOLUTION
        self._camera = str(PATH)

    @property
    def camera_path(self) -> Any:
        """``Sdf.Path`` of the camera that it looks through; setting takes texts, too."""
        return Sdf.Path(self._camera)

    @camera_path.setter
    def camera_path(self, path: Any) -> None:
        self._camera = str(Sdf.Path(str(path)))

    @property
    def stage(self) -> Stage | None:
        """The stage, ``None`` once it has been closed."""
        return stages.process_stage()

    def get_active_camera(self) -> Any:
        """``Sdf.Path`` of the camera that it looks through."""
        return self.camera_path

    def set_active_camera(self, path: Any) -> None:
        """Look through another camera."""
        self.camera_path = path

    def get_texture_resolution(self) -> tuple[int, int]:
        """(width, height), pixels."""
        return self.resolution

    def set_texture_resolution(self, resolution: tuple[int, int]) -> None:
        """Set width and height, pixels."""
        self.resolution = (int(resolution[0]), int(resolution[1]))


_main = Viewport()


def get_active_viewport(usd_context_name: str = "") -> Viewport:
    """The main window's view."""
    return _main


def get_viewport_from_window_name(window_name: str = NAME) -> Viewport | None:
    """The view of a window by its title; ``None`` if it is not the main one, ``"Viewport"``."""
    return _main if window_name == NAME else None


def get_active_viewport_camera_path(usd_context_name: str = "") -> Any:
    """``Sdf.Path`` of the camera that the main window looks through."""
    return _main.camera_path


__all__ = ["Viewport", "get_active_viewport", "get_active_viewport_camera_path", "get_viewport_from_window_name"]
