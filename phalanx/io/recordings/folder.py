"""The folder that a new recording gets: never one that holds something else, and gone again if the start fails."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None


class RecordingError(RuntimeError):
    """A recording cannot be made or continued. The message says why and what to do."""


def is_recording(path: Path) -> bool:
    """Whether the folder is a recording (of any format)."""
    try:
        attributes = json.loads((path / "zarr.json").read_text(encoding="utf-8")).get("attributes", {})
    except (OSError, ValueError, AttributeError):
        return False
    return isinstance(attributes, dict) and "phalanx_recording" in attributes


def claim(path: Path) -> int | None:
    """Hold a folder as the one who writes into it, until the handle is closed or the process ends, however it does.

    Returns:
        The handle; ``None`` where the file system has no such locks.

    Raises:
        RecordingError: somebody else holds it.
    """
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if error.errno == errno.EWOULDBLOCK:
            raise RecordingError(
                f"Cannot record to {path}: another recorder is writing there. Close it first, or choose another name."
            ) from None
        return None
    return handle


class FreshFolder:
    """Make ``path`` for a new recording: on failure it is removed, and what it replaced is put back.

    Of several that want one path, in this process or others, one gets it. Who has it holds it until :meth:`release`.
    """

    def __init__(self, path: Path, overwrite: bool, room: int = 0):
        """``room``: bytes that will be needed at least."""
        self._path = path
        self._earlier: Path | None = None
        self._held: int | None = None
        try:
            os.lstat(path)
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:  # a name that is too long, or that no file can have
            raise RecordingError(f"Cannot record to {str(path)[:200]!r}: {error}. Choose another name.") from None
        if not path.parent.is_dir():
            raise RecordingError(f"Cannot record to {path}: there is no folder {path.parent}. Make it first.")
        if path.is_symlink():
            raise RecordingError(
                f"Cannot record to {path}: it is a link, to {os.readlink(path)}. Give the name of the folder itself."
            )
        if is_recording(path.parent):
            raise RecordingError(
                f"Cannot record to {path}: {path.parent} is a recording itself. Choose a place outside of it."
            )
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
            self._earlier = path.with_name(f".{path.name}.{secrets.token_hex(16)}.replaced")
        if not os.access(path.parent, os.W_OK):
            raise RecordingError(f"Cannot record to {path}: no permission to write in {path.parent}.")
        free = shutil.disk_usage(path.parent).free
        if free < room:
            raise RecordingError(
                f"Cannot record to {path}: its first chunk may take {room / 1e6:.1f} MB, and {free / 1e6:.1f} MB are "
                "free. Make room, or choose another disk."
            )

    def __enter__(self) -> None:
        earlier: int | None = None
        try:
            if self._earlier is not None:
                earlier = claim(self._path)
                os.rename(self._path, self._earlier)
            try:
                os.mkdir(self._path)
            except FileExistsError:
                raise RecordingError(
                    f"Cannot record to {self._path}: another recorder has just begun there. Choose another name."
                ) from None
            self._held = claim(self._path)
        except OSError as error:
            raise RecordingError(f"Cannot record to {self._path}: {error}.") from error
        finally:
            if earlier is not None:
                os.close(earlier)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            if self._earlier is not None:
                shutil.rmtree(self._earlier)
            return
        shutil.rmtree(self._path, ignore_errors=True)
        self.release()
        if self._earlier is not None:
            with contextlib.suppress(OSError):  # the error that there is says more
                os.rename(self._earlier, self._path)
        if isinstance(error, OSError):
            raise RecordingError(f"Cannot record to {self._path}: {error}.") from error

    def release(self) -> None:
        """Let others have it."""
        if self._held is not None:
            os.close(self._held)
            self._held = None
