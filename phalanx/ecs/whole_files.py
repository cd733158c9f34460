"""Files that are there whole or not at all, written where others may write, too.

What is written goes to a new file beside the target first, whose name nobody can guess and which nobody else can have
made, and takes the target's place when it is complete. A link is never followed: somebody may have put one there so
that something else is overwritten.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_NEW = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class NoFileError(OSError):
    """A link, a folder or a device is where a file should be written."""


def new_sibling(path: Path) -> Path:
    """A new, empty file beside one, with the same suffix."""
    while True:
        made = path.with_name(f".{path.stem}.{os.urandom(8).hex()}{path.suffix}")
        try:
            os.close(os.open(made, _NEW, 0o666))
        except FileExistsError:
            continue
        except OSError as error:  # about the file that was asked for
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        return made


def new_folder(path: Path) -> Path:
    """A new, empty folder beside a path."""
    while True:
        made = path.with_name(f".{path.name}.{os.urandom(8).hex()}.part")
        try:
            os.mkdir(made)
        except FileExistsError:
            continue
        except OSError as error:
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        return made


def refuse_links(path: str | os.PathLike[str]) -> None:
    """Refuse a target that is there and is no file.

    Raises:
        NoFileError: it is a link, a folder or a device.
    """
    path = Path(path)
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise NoFileError(f"{path}: this is a link, which is not written through; give the name of the file itself.")
    if stat.S_ISDIR(mode):
        raise NoFileError(f"{path}: this is a folder; give the name of a file.")
    if not stat.S_ISREG(mode):
        raise NoFileError(f"{path}: this is a device or a pipe; give the name of a file.")


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """The path of a new file that takes the place of ``path`` at the end of the block, unless the block fails.

    Raises:
        NoFileError: a link, a folder or a device is there.
        OSError: the file cannot be made.
    """
    path = Path(path)
    refuse_links(path)
    made = new_sibling(path)
    try:
        yield made
        os.replace(made, path)
    except BaseException:
        made.unlink(missing_ok=True)
        raise


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Make or replace a file; errors are those of :func:`replacing`."""
    with replacing(path) as made:
        made.write_bytes(data)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Make or replace a file of text in UTF-8; errors are those of :func:`replacing`."""
    write_bytes(path, text.encode())
