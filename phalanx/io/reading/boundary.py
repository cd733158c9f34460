"""One error for whatever a parser throws: a :class:`~.errors.LoadError` with file and place.

Parsers of others fail in as many ways as there are: index errors, codec errors, recursion, overflow. Each reader puts
this around the parts that it can name, the narrowest places first.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from phalanx.io.reading import limits
from phalanx.io.reading.errors import LoadError


def of_file(path: str | os.PathLike[str]) -> Callable[[str], LoadError]:
    """What makes errors about a file."""
    return lambda text: LoadError(f"{path}: {text}")


@contextlib.contextmanager
def place(error: Callable[[str], LoadError]) -> Iterator[None]:
    """Turn what is raised in the block into what ``error`` makes of a text; errors with a place stay as they are."""
    try:
        yield
    except (LoadError, ImportError):  # a package that is missing is no fault of the file
        raise
    except MemoryError as reason:
        raise error("it takes more memory than there is; make it smaller.") from reason
    except RecursionError as reason:
        raise error("its parts are nested too deeply; flatten it.") from reason
    except FileNotFoundError as reason:
        raise error(f"the file {reason.filename} is missing.") from reason
    except OSError as reason:
        raise error(f"it cannot be read: {reason.strerror or reason}.") from reason
    except Exception as reason:
        text = " ".join(str(reason).split())[:200]
        raise error(f"it cannot be used ({type(reason).__name__}: {text}); correct it, or export it again.") from reason


def read_bytes(path: str | os.PathLike[str], most: str = "mesh_bytes") -> bytes:
    """A file's content.

    Args:
        most: the limit of its size.

    Raises:
        LoadError: it is missing, a folder, unreadable, empty or too large.
    """
    error = of_file(path)
    try:
        size = os.stat(path).st_size
        if os.path.isfile(path):
            limits.check(most, size, error)
        data = Path(path).read_bytes() if os.path.isfile(path) else _not_a_file(path)
    except FileNotFoundError:
        raise LoadError(f"{path}: no such file; check the path (the current folder is {Path.cwd()}).") from None
    except (OSError, ValueError) as reason:
        if isinstance(reason, LoadError):
            raise
        raise LoadError(f"{path}: cannot be read: {reason}.") from None
    if not data.strip():
        raise LoadError(f"{path}: the file is empty.")
    return data


def _not_a_file(path: str | os.PathLike[str]) -> bytes:
    if os.path.isdir(path):
        raise LoadError(f"{path}: this is a folder; give the file inside it.")
    raise LoadError(f"{path}: this is a device or a pipe; give a file.")


class Clock:
    """Whether one file has taken too long."""

    def __init__(self, error: Callable[[str], LoadError]) -> None:
        self._begin, self._error = time.monotonic(), error

    def check(self) -> None:
        """Raise if it has."""
        limits.check("seconds", time.monotonic() - self._begin, self._error)
