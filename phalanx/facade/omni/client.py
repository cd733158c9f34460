"""What scripts import as ``omni.client``: files by path or address. Only files of this machine are there.

See :mod:`phalanx.facade.asset_root` for files that an address stands for.
"""

from __future__ import annotations

import enum
import os
from dataclasses import dataclass

from phalanx.facade.asset_root import local_path


class Result(enum.IntEnum):
    """How it went."""

    OK = 0
    ERROR_NOT_FOUND = 9


class CopyBehavior(enum.IntEnum):
    """What copying does with what is there already."""

    ERROR_IF_EXISTS = 0
    OVERWRITE = 1


@dataclass(frozen=True)
class ListEntry:
    """A file or a folder: its name and its size in bytes."""

    relative_path: str = ""
    size: int = 0


def stat(url: str) -> tuple[Result, ListEntry]:
    """Whether there is a file or a folder, and what is known of it."""
    path = local_path(url)
    if path is None or not os.path.exists(path):
        return Result.ERROR_NOT_FOUND, ListEntry()
    return Result.OK, ListEntry(os.path.basename(path), os.path.getsize(path))


def read_file(url: str) -> tuple[Result, str, memoryview]:
    """How reading a file went, its version (empty), and its contents."""
    path = local_path(url)
    if path is None or not os.path.isfile(path):
        return Result.ERROR_NOT_FOUND, "", memoryview(b"")
    with open(path, "rb") as file:
        return Result.OK, "", memoryview(file.read())


__all__ = ["CopyBehavior", "ListEntry", "Result", "read_file", "stat"]
