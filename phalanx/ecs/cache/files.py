"""Files of the cache: there whole or not at all, with a checksum; a damaged one is thrown away, with one warning."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, TypeVar

from phalanx.ecs.cache.folder import CacheWarning, cache_folder, places

T = TypeVar("T")

_MARK = b"phalanx cache 1 "
_HEAD = len(_MARK) + 9

_told = False


def write(path: Path, fill: Callable[[BinaryIO], object]) -> None:
    """Let ``fill`` write a file that is there whole or not at all, whoever else writes it.

    What is in the way that is no file goes.
    """
    if path.is_dir() and not path.is_symlink():
        discard(path, "a folder is where a file should be")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")  # exclusive, mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o644)  # the folder says who may come near
            fill(file)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def put(path: Path, text: str) -> None:
    """:func:`write` a text."""
    write(path, lambda file: file.write(text.encode()))


def put_sealed(path: Path, data: bytes) -> None:
    """:func:`write` bytes with a checksum of them and the file's name, for :func:`unsealed`."""
    write(path, lambda file: file.write(_head(path, data) + data))


def content(path: Path) -> bytes:
    """The bytes of a file.

    Raises:
        FileNotFoundError: there is nothing.
        OSError: it cannot be read, or is a folder, a pipe, or a link to nothing.
    """
    _check_file(path)
    return path.read_bytes()


def _check_file(path: Path) -> None:
    """Refuse what is no file: who opens a pipe waits for somebody to write into it."""
    if not path.is_file() and os.path.lexists(path):
        raise OSError("it is no file")


def unsealed(path: Path) -> bytes | None:
    """The bytes of a sealed file; nothing where there is none, or a damaged one, which goes."""
    try:
        text = content(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        discard(path, str(error))
        return None
    data = memoryview(text)[_HEAD:]
    if text[:_HEAD] != _head(path, data):
        discard(path, "its checksum does not fit" if text else "it is empty")
        return None
    return bytes(data)


def is_sealed(path: Path) -> bool:
    """Whether a file's checksum fits; whatever it says, it stays."""
    text = content(path)
    return text[:_HEAD] == _head(path, memoryview(text)[_HEAD:])


def _head(path: Path, data: bytes | memoryview) -> bytes:
    return _MARK + f"{zlib.crc32(data, zlib.crc32(path.name.encode())):08x}\n".encode()


def recalled_file(
    name: str, read: Callable[[Path], T], make: Callable[[], T], fill: Callable[[BinaryIO, T], object]
) -> T:
    """What ``make`` made once, read from the file of a name; it is called where there is none, or a damaged one.

    Args:
        read: raises where the file is damaged.
        fill: writes what was made.
    """
    for path in places(name):
        try:
            _check_file(path)
            return read(path)
        except FileNotFoundError:  # gone since
            pass
        except Exception as error:  # whatever the reader of a format makes of bytes that are none of it
            discard(path, str(error))
    made = make()
    write(cache_folder() / name, lambda file: fill(file, made))
    return made


def folder_of(name: str) -> Path:
    """A folder in the cache; a file that is in its place goes."""
    folder = cache_folder() / name
    try:
        folder.mkdir(exist_ok=True)
    except FileExistsError:
        discard(folder, "a file is where a folder should be")
        folder.mkdir(exist_ok=True)
    return folder


def discard(path: Path, why: str) -> None:
    """Throw away something damaged, if it is ours to throw away, and say so once in a process."""
    with contextlib.suppress(OSError):  # somebody was faster, or it can only be read
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    warn_once(f"the cache of kernels was damaged: {path}: {why}. What is damaged is made anew")


def warn_once(message: str) -> None:
    """Warn of the cache, but once in a process: what is wrong with one file is mostly wrong with many."""
    global _told
    if not _told:
        _told = True
        warnings.warn(f"{message}. (Said once.)", CacheWarning, stacklevel=4)
