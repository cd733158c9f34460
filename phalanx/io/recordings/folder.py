"""The folder that a new recording gets: never one that holds something else, and gone again if the start fails."""

from __future__ import annotations

import json
import os
import shutil
import uuid
from pathlib import Path
from types import TracebackType


class RecordingError(RuntimeError):
    """A recording cannot be made or continued. The message says why and what to do."""


def is_recording(path: Path) -> bool:
    """Whether the folder is a recording (of any format)."""
    try:
        attributes = json.loads((path / "zarr.json").read_text(encoding="utf-8")).get("attributes", {})
    except (OSError, ValueError, AttributeError):
        return False
    return isinstance(attributes, dict) and "phalanx_recording" in attributes


class FreshFolder:
    """Reserve ``path`` for a new recording: on failure it is removed, and what it replaced is put back."""

    def __init__(self, path: Path, overwrite: bool):
        self._path = path
        self._earlier: Path | None = None
        if not path.parent.is_dir():
            raise RecordingError(f"Cannot record to {path}: there is no folder {path.parent}. Make it first.")
        if os.path.lexists(path):
            if not is_recording(path):
                raise RecordingError(
                    f"Cannot record to {path}: it exists and is not a recording. Choose another name, or remove it."
                )
            if not overwrite:
                raise RecordingError(
                    f"Cannot record to {path}: there is a recording already. "
                    "Choose another name, remove it, or pass overwrite=True."
                )
            self._earlier = path.with_name(f".{path.name}.{uuid.uuid4().hex}.replaced")
        if not os.access(path.parent, os.W_OK):
            raise RecordingError(f"Cannot record to {path}: no permission to write in {path.parent}.")

    def __enter__(self) -> None:
        if self._earlier is not None:
            os.rename(self._path, self._earlier)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            if self._earlier is not None:
                shutil.rmtree(self._earlier)
            return
        if self._path.exists():
            shutil.rmtree(self._path)
        if self._earlier is not None:
            os.rename(self._earlier, self._path)
        if isinstance(error, OSError):
            raise RecordingError(f"Cannot record to {self._path}: {error}.") from error
