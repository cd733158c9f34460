"""What the commands share: the user's own mistakes, progress bars, and checks of output files."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from phalanx.io.reading.errors import LoadError

VIDEO_SIZE = (640, 480)
"""Width and height of videos, unless told otherwise."""

COMPILING = "Compiling the engine for this robot, once; later runs start at once ..."


class UserError(Exception):
    """Something that the user can put right; the message is one line."""


class Interrupted(Exception):
    """Ctrl-C, after everything was closed; the message says what was kept."""


@contextlib.contextmanager
def user_mistakes(*kinds: type[Exception]) -> Iterator[None]:
    """Turn errors that come from the user's files and options into :class:`UserError`.

    ``LoadError``, ``OSError`` and too little memory (``MemoryError``, ``CapacityError``) always count, others
    (``ValueError``, say) where they are named. A reader of our output that goes away is nobody's mistake.
    """
    from phalanx.ecs.errors import CapacityError, DeviceError
    from phalanx.images.pictures.video import VideoError
    from phalanx.io.recordings.folder import RecordingError

    try:
        yield
    except BrokenPipeError:
        raise
    except MemoryError as error:
        raise UserError(f"There is not enough memory; use fewer environments. ({error})") from error
    except (LoadError, RecordingError, CapacityError, DeviceError, VideoError, OSError, *kinds) as error:
        raise UserError(" ".join(str(error).split())) from error


def check_output(path: Path | None, suffix: str | None = None) -> None:
    """Complain now and not after the simulation that a file cannot be written."""
    if path is None:
        return
    if suffix is not None and path.suffix.lower() != suffix:
        raise UserError(f"{path}: the name must end in {suffix}.")
    if path.is_dir():
        raise UserError(f"{path}: is a folder; give a file name.")
    if not path.parent.is_dir():
        raise UserError(f"{path}: there is no folder {path.parent}; make it first.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UserError(f"{path}: no permission to write there.")


def progress_bar(total: int, unit: str, description: str) -> Any:
    """A bar with the rate in ``unit`` a second, once something has taken two seconds; only on a terminal."""
    from tqdm import tqdm

    return tqdm(
        total=total,
        unit=unit,
        unit_scale=True,
        desc=description,
        delay=2,
        dynamic_ncols=True,
        leave=False,
        file=sys.stderr,
        mininterval=0.2,
        disable=None,
    )


@contextlib.contextmanager
def patience(message: str, seconds: float = 2.0) -> Iterator[None]:
    """Say what is going on if it takes longer than this."""
    timer = threading.Timer(seconds, lambda: print(message, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def host(value: Any) -> Any:
    """A NumPy array of an array on any device."""
    return value.get() if hasattr(value, "get") else value


def folder_size(path: Path) -> str:
    """Size of a file, or of everything in a folder, in words."""
    files = path.rglob("*") if path.is_dir() else [path]
    size = float(sum(file.stat().st_size for file in files if file.is_file()))
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"
