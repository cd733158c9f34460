"""The folder that kernels are kept in. What lies there is executed, so nobody else may be able to write to it."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

GENERATED = "_phalanx_"
"""How names of generated modules begin. Their files never change, and their machine code lies beside them."""


class CacheWarning(UserWarning):
    """Something is wrong with the cache; all works, but kernels are compiled again. The message says what to do."""


@dataclass(frozen=True)
class Folders:
    """``own`` is read and written; ``shared``, if there is one, is only read, and comes first."""

    own: Path
    shared: Path | None = None


def cache_folder() -> Path:
    """Where kernels go: ``$PHALANX_CACHE_DIR``, else ``phalanx/kernels`` in ``$XDG_CACHE_HOME`` or ``~/.cache``.

    A folder that is somebody else's, that others can write to, or that is a link is not used: a warning says so, and
    this process has a fresh one, which goes when it ends. Where there is no home folder to write to, the folder is in
    the temporary folder.

    Raises:
        OSError: ``$PHALANX_CACHE_DIR`` cannot be made.
    """
    return folders().own


def folders() -> Folders:
    """The folder of :func:`cache_folder`, and one that can only be read."""
    return _folders(*(os.environ.get(name) for name in ("PHALANX_CACHE_DIR", "XDG_CACHE_HOME", "HOME")), os.getuid())


def places(name: str) -> list[Path]:
    """Where something of a name is kept, the first place to look first."""
    both = folders()
    return [f / name for f in (both.shared, both.own) if f is not None and os.path.lexists(f / name)]


def unsafe(folder: Path) -> str:
    """Why what lies in a folder may come from somebody else, or nothing. What root alone can write to is safe."""
    status = folder.lstat()
    if stat.S_ISLNK(status.st_mode):
        return "it is a link"
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    if status.st_uid not in (os.getuid(), 0):
        return f"it belongs to another user ({status.st_uid})"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"others can write to it (mode {stat.S_IMODE(status.st_mode):04o})"
    return ""


@cache
def _folders(chosen: str | None, cache_home: str | None, home: str | None, user: int) -> Folders:
    """Depends on the environment and the user alone, so that it is decided, and told of, once."""
    if chosen:
        folder = Path(chosen)
        try:
            _make(folder)
        except OSError as error:
            raise OSError(f"PHALANX_CACHE_DIR={chosen} cannot be used: {error.strerror}") from error
        if problem := unsafe(folder):
            return Folders(_fresh(folder, problem, "point PHALANX_CACHE_DIR at a folder that only you can write to"))
        return Folders(folder) if _writable(folder) else Folders(_in_home(cache_home).own, folder)
    return _in_home(cache_home)


def _in_home(cache_home: str | None) -> Folders:
    try:  # relative paths do not count, says the XDG Base Directory Specification
        base = Path(cache_home) if cache_home and os.path.isabs(cache_home) else Path.home() / ".cache"
        folder = base / "phalanx" / "kernels"
        if folder.is_file() and not unsafe(folder.parent):  # not ours
            folder.unlink()
        _make(folder)
    except (OSError, RuntimeError):  # no home, or nothing can be written there
        return Folders(_in_temporary())
    if problem := unsafe(folder):
        return Folders(_fresh(folder, problem, f"remove it, for what is in it is not to be trusted: rm -r {folder}"))
    if not _writable(folder):
        return Folders(_in_temporary(), folder)
    if folder.stat().st_uid == os.getuid():
        folder.chmod(0o700)
    return Folders(folder)


def _in_temporary() -> Path:
    """A folder of this user in the temporary folder, where others may have been faster."""
    folder = Path(tempfile.gettempdir()) / f"phalanx-kernels-{os.getuid()}"
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    problem = unsafe(folder)
    parent = folder.parent.stat()
    if not problem and parent.st_mode & stat.S_IWOTH and not parent.st_mode & stat.S_ISVTX:
        problem = "others can replace it"
    if not problem and folder.stat().st_uid != os.getuid():
        problem = "it belongs to another user (0)"
    if problem:
        return _fresh(folder, problem, "point PHALANX_CACHE_DIR at a folder that only you can write to")
    return folder


def _fresh(instead_of: Path, problem: str, remedy: str) -> Path:
    """A folder that nobody knew of, for as long as this process runs."""
    folder = Path(tempfile.mkdtemp(prefix="phalanx-kernels-"))
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(folder, ignore_errors=True) if os.getpid() == owner else None)
    warnings.warn(
        f"kernels are not kept in {instead_of}: {problem}. This process compiles its own, which takes longer; {remedy}",
        CacheWarning,
        stacklevel=2,
    )
    return folder


def _make(folder: Path) -> None:
    """Make a folder that is only ours, if there is nothing."""
    if not os.path.lexists(folder):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    elif not folder.is_dir() and not folder.is_symlink():
        raise NotADirectoryError(20, os.strerror(20), str(folder))


def _writable(folder: Path) -> bool:
    return os.access(folder, os.W_OK | os.X_OK)
