"""Checkpoints that are played in the viewer, and exchanged while they are: by hand, or as training writes them."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phalanx.commands.common import UserError

if TYPE_CHECKING:
    from phalanx.viewer.viewer import Viewer

EVERY = 1.0
"""s of real time between two looks into the folder."""


def checkpoints(folder: Path) -> list[Path]:
    """``model_N.*`` of a folder, the earliest first."""
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := _NAME.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def chosen(path: Path) -> Path:
    """A checkpoint, or the newest one of a folder.

    Raises:
        UserError: there is none in the folder.
    """
    if not path.is_dir():
        return path
    found = checkpoints(path)
    if not found:
        raise UserError(f"{path}: there is no checkpoint model_N.pt in this folder yet.")
    return found[-1]


class Checkpoints:
    """A choice among the checkpoints of a folder, and a box that has the newest one loaded as soon as it is there.

    Args:
        viewer: gets the widgets.
        first: is loaded; others are those beside it.
        load: takes another one.
        newest: whether the box is ticked.
    """

    def __init__(self, viewer: Viewer, first: Path, load: Callable[[Path], object], newest: bool) -> None:
        self._viewer, self._load, self._folder = viewer, load, first.parent
        self.loaded = first
        self._looked = time.perf_counter()
        names = tuple(path.name for path in checkpoints(self._folder)) or (first.name,)
        self.choice = viewer.add_dropdown("Checkpoint", names, first.name, self._chosen)
        self.newest = viewer.add_checkbox("Newest", newest)

    def after_step(self) -> None:
        """Look for new ones, now and then; called after each step, where the policy may be changed."""
        now = time.perf_counter()
        if now - self._looked < EVERY:
            return
        self._looked = now
        found = checkpoints(self._folder)
        names = tuple(path.name for path in found)
        if names and names != tuple(self.choice.options):
            self.choice.options = names
        if found and self.newest.value and found[-1] != self.loaded:
            self._take(found[-1])

    def _chosen(self, name: Any) -> None:
        self.newest.value = False
        if self._folder / name != self.loaded:
            self._take(self._folder / name)

    def _take(self, path: Path) -> None:
        from phalanx.learn.trainer import CheckpointError

        try:
            self._load(path)
        except CheckpointError as error:
            warnings.warn(f"{path.name} was not loaded: {error}", stacklevel=2)
            self._viewer.tell(str(error), "This checkpoint was not loaded")
            self.newest.value = False
            self.choice.value = self.loaded.name
            return
        self.loaded = path
        self.choice.value = path.name
        print(f"checkpoint   {path}", flush=True)


_NAME = re.compile(r"model_(\d+)\.(pt|zip)")
