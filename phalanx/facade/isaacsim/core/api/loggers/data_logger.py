"""What is recorded of a world, frame by frame."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

from phalanx.ecs.whole_files import write_text
from phalanx.facade.isaacsim.core.utils.types import DataFrame

KEY = "Isaac Sim Data"
"""Under which frames are in files."""


class DataLogger:
    """Keeps frames of data, while it is not paused; it begins paused."""

    def __init__(self) -> None:
        self._pause = True
        self._data_frames: list[DataFrame] = []
        self._data_frame_logging_func: Callable[..., dict[str, Any]] | None = None

    def add_data(self, data: dict[str, Any], current_time_step: float, current_time: float) -> None:
        """Keep a frame; nothing while it is paused.

        Args:
            data: values by name; for :meth:`save`, what JSON can hold.
            current_time_step: number of the step.
            current_time: s.
        """
        if not self._pause:
            self._data_frames.append(DataFrame(current_time_step, current_time, data))  # pyright: ignore[reportArgumentType]

    def get_num_of_data_frames(self) -> int:
        """Number of frames that it has."""
        return len(self._data_frames)

    def pause(self) -> None:
        """Keep no frames until :meth:`start`."""
        self._pause = True

    def start(self) -> None:
        """Keep frames, besides those that it has."""
        self._pause = False

    def is_started(self) -> bool:
        """Whether it keeps frames."""
        return not self._pause

    def reset(self) -> None:
        """Forget all frames, and pause."""
        self._pause = True
        self._data_frames = []

    def get_data_frame(self, data_frame_index: int) -> DataFrame:
        """A frame by its number; IndexError if there is none."""
        return self._data_frames[data_frame_index]

    def add_data_frame_logging_func(self, func: Callable[..., dict[str, Any]]) -> None:
        """Set the function that a world calls at each step for its frame, with ``tasks`` by name, and ``scene``."""
        self._data_frame_logging_func = func

    def save(self, log_path: str | os.PathLike[str]) -> None:
        """Write all frames to a JSON file.

        Raises:
            TypeError: a frame has data that JSON cannot hold, such as arrays; nothing is written then.
            OSError: the file cannot be written.
        """
        text = json.dumps({KEY: [frame.get_dict() for frame in self._data_frames]})
        write_text(log_path, text)

    def load(self, log_path: str | os.PathLike[str]) -> None:
        """Have the frames of a file instead, and pause.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is no file of :meth:`save`.
        """
        with open(log_path, encoding="utf-8") as file:
            found = json.load(file)
        if not isinstance(found, dict) or not isinstance(found.get(KEY), list):
            raise ValueError(f"{log_path} has no list {KEY!r}: it is no file of a data logger")
        self._data_frames = [DataFrame.init_from_dict(each) for each in found[KEY]]
        self._pause = True


__all__ = ["DataLogger"]
