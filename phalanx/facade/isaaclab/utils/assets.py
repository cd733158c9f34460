"""Files of assets by path or by address; see :mod:`phalanx.facade.asset_root` for where those of servers are."""

from __future__ import annotations

import io
import os
from typing import Literal

from phalanx.facade.asset_root import asset_root, below_root, existing_file, is_remote, local_path

NUCLEUS_ASSET_ROOT_DIR = asset_root()
"""The folder, or the address that stands for it, below which assets are, as it was when this module was imported."""

NVIDIA_NUCLEUS_DIR = f"{NUCLEUS_ASSET_ROOT_DIR}/NVIDIA"
"""Materials, skies and other assets that are not of Isaac Sim."""

ISAAC_NUCLEUS_DIR = f"{NUCLEUS_ASSET_ROOT_DIR}/Isaac"
"""Assets of Isaac Sim."""

ISAACLAB_NUCLEUS_DIR = f"{ISAAC_NUCLEUS_DIR}/IsaacLab"
"""Assets of Isaac Lab."""


def check_file_path(path: str) -> Literal[0, 1, 2]:
    """Where a file is: 0 nowhere, 1 at this path, 2 in the folder that stands for the server of assets."""
    found = local_path(path)
    if found is None or not os.path.isfile(found):
        return 0
    return 2 if is_remote(path) or below_root(str(path)) else 1


def retrieve_file_path(path: str, download_dir: str | None = None, force_download: bool = True) -> str:
    """The absolute path of a file of this machine that a path or an address means.

    Args:
        path: of the file.
        download_dir, force_download: without a meaning here: files of addresses are read where they are.

    Raises:
        FileNotFoundError: there is none; it says where to put it.
    """
    return os.path.abspath(existing_file(path))


def read_file(path: str) -> io.BytesIO:
    """The contents of a file.

    Raises:
        FileNotFoundError: there is none; it says where to put it.
    """
    with open(existing_file(path), "rb") as file:
        return io.BytesIO(file.read())


def check_usd_path_with_timeout(usd_path: str, timeout: float = 300.0, log_interval: float = 30.0) -> bool:
    """Whether there is a file that a path or an address means. Nothing is waited for."""
    return check_file_path(usd_path) != 0


__all__ = [
    "ISAACLAB_NUCLEUS_DIR",
    "ISAAC_NUCLEUS_DIR",
    "NUCLEUS_ASSET_ROOT_DIR",
    "NVIDIA_NUCLEUS_DIR",
    "check_file_path",
    "check_usd_path_with_timeout",
    "read_file",
    "retrieve_file_path",
]
