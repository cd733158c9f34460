"""Folders and files of assets; see :mod:`phalanx.facade.asset_root` for where those of servers are.

Nothing is fetched, so that a server is the folder that stands for it, or it is not there.
"""

from __future__ import annotations

import os
import shutil
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from phalanx.facade import asset_root
from phalanx.facade.asset_root import is_remote, local_path
from phalanx.facade.omni.client import CopyBehavior, Result


class Version(namedtuple("Version", "major minor patch")):
    """A version, made of text such as ``"5.1.0"``; compares as versions do.

    Raises:
        ValueError: it is not three numbers with dots between them.
    """

    __slots__ = ()

    def __new__(cls, s: str) -> Version:
        """The version that text says."""
        try:
            major, minor, patch = map(int, s.strip().split("."))
        except ValueError as error:
            raise ValueError(f"version {s!r}: must be three numbers such as '5.1.0'") from error
        return super().__new__(cls, major, minor, patch)

    def __repr__(self) -> str:
        return ".".join(map(str, self))


def _folder(path: str) -> str | None:
    """The folder of this machine that a path or an address means; ``None`` if there is none."""
    found = local_path(path)
    return found if found is not None and os.path.isdir(found) else None


# -- where assets are ----------------------------------------------------------------------------------------------


def build_server_list() -> list[str]:
    """Servers that are known: none."""
    return []


def get_assets_root_path() -> str | None:
    """The folder below which assets are; ``None`` if nobody has said where it is."""
    return _folder(asset_root.asset_root())


async def get_assets_root_path_async() -> str | None:
    """See :func:`get_assets_root_path`."""
    return get_assets_root_path()


def get_assets_server() -> str | None:
    """See :func:`get_assets_root_path`."""
    return get_assets_root_path()


def get_full_asset_path(path: str) -> str | None:
    """The path of an asset that is given below the root, ``"/Isaac/Robots/..."``; ``None`` if there is no such file."""
    root = get_assets_root_path()
    found = None if root is None else os.path.join(root, path.lstrip("/"))
    return found if found is not None and os.path.exists(found) else None


async def get_full_asset_path_async(path: str) -> str | None:
    """See :func:`get_full_asset_path`."""
    return get_full_asset_path(path)


def get_isaac_asset_root_path() -> str | None:
    """The folder of assets of Isaac Sim; ``None`` if there is none."""
    return get_full_asset_path("Isaac")


def get_nvidia_asset_root_path() -> str | None:
    """The folder of assets that are not of Isaac Sim; ``None`` if there is none."""
    return get_full_asset_path("NVIDIA")


def get_server_path(suffix: str = "") -> str | None:
    """The root of assets, if it has a subfolder; ``None`` if not."""
    root = get_assets_root_path()
    return root if root is not None and os.path.isdir(os.path.join(root, suffix.lstrip("/"))) else None


async def get_server_path_async(suffix: str = "") -> str | None:
    """See :func:`get_server_path`."""
    return get_server_path(suffix)


def find_nucleus_server(suffix: str = "/Isaac") -> tuple[bool, str]:
    """Whether the root of assets has a subfolder, and the root; empty if not."""
    root = get_server_path(suffix)
    return root is not None, root or ""


def get_url_root(url: str) -> str:
    """What an address begins with, ``"https://host"``; of paths ``"/"``, of what is neither nothing."""
    if is_remote(url):
        kind, _, rest = url.partition("://")
        return f"{kind}://{rest.partition('/')[0]}"
    return "/" if url.startswith(("/", "file:///")) else ""


def verify_asset_root_path(path: str) -> tuple[Result, str]:
    """Whether a folder is a root of assets: it has an ``Isaac`` or says its version in ``version.txt``.

    Returns:
        ``Result.OK`` or ``Result.ERROR_NOT_FOUND``, and the version, empty if it does not say.
    """
    root = _folder(path)
    if root is None:
        return Result.ERROR_NOT_FOUND, ""
    file = os.path.join(root, "version.txt")
    if not os.path.isfile(file):
        return (Result.OK if os.path.isdir(os.path.join(root, "Isaac")) else Result.ERROR_NOT_FOUND), ""
    with open(file, encoding="utf-8") as text:
        return Result.OK, text.read().strip()


# -- folders and files ---------------------------------------------------------------------------------------------


def _joined(server: str, path: str) -> str:
    return f"{server.rstrip('/')}/{path.lstrip('/')}"


def check_server(server: str, path: str, timeout: float = 10.0) -> bool:
    """Whether there is a folder or a file below a root, a path or an address."""
    found = local_path(_joined(server, path))
    return found is not None and os.path.exists(found)


async def check_server_async(server: str, path: str, timeout: float = 10.0) -> bool:
    """See :func:`check_server`."""
    return check_server(server, path, timeout)


def create_folder(server: str, path: str) -> bool:
    """Make a folder below a root on this machine; whether it could be made."""
    if is_remote(server):
        return False
    try:
        os.makedirs(_joined(server.removeprefix("file://"), path), exist_ok=True)
    except OSError:
        return False
    return True


def delete_folder(server: str, path: str) -> bool:
    """Remove a folder below a root on this machine, with all in it; whether it could be removed.

    Raises:
        ValueError: no folder is named below the root.
    """
    if not path.strip("/. "):
        raise ValueError(f"delete_folder({server!r}, {path!r}): name the folder below the root that is to go")
    folder = None if is_remote(server) else _folder(_joined(server, path))
    if folder is None:
        return False
    try:
        shutil.rmtree(folder)
    except OSError:
        return False
    return True


def is_file(path: str) -> bool:
    """Whether there is a file at a path or an address."""
    found = local_path(path)
    return found is not None and os.path.isfile(found)


async def is_file_async(path: str) -> bool:
    """See :func:`is_file`."""
    return is_file(path)


async def is_dir_async(path: str) -> bool:
    """Whether there is a folder at a path or an address."""
    return _folder(path) is not None


async def list_folder(path: str) -> tuple[list[str], list[str]]:
    """Paths of the files and of the folders in a folder, sorted.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    folder = _folder(path)
    if folder is None:
        raise FileNotFoundError(f"there is no folder {path!r}")
    entries = sorted(os.scandir(folder), key=lambda one: one.name)
    return [one.path for one in entries if one.is_file()], [one.path for one in entries if one.is_dir()]


async def recursive_list_folder(path: str) -> list[str]:
    """Paths of all files in a folder and its subfolders.

    Raises:
        FileNotFoundError: there is no such folder.
    """
    files, folders = await list_folder(path)
    for folder in folders:
        files.extend(await recursive_list_folder(folder))
    return files


async def download_assets_async(
    src: str,
    dst: str,
    progress_callback: Callable[..., Any],
    concurrency: int = 10,
    copy_behaviour: CopyBehavior = CopyBehavior.OVERWRITE,
    copy_after_delete: bool = True,
    timeout: float = 300.0,
) -> Result:
    """Not built: nothing is fetched from servers."""
    raise NotImplementedError(
        "isaacsim.core.utils.nucleus.download_assets_async: nothing is fetched; download the folder of assets, and let "
        f"the environment variable {asset_root.VARIABLE} be its path"
    )


__all__ = [
    "Version",
    "build_server_list",
    "check_server",
    "check_server_async",
    "create_folder",
    "delete_folder",
    "download_assets_async",
    "find_nucleus_server",
    "get_assets_root_path",
    "get_assets_root_path_async",
    "get_assets_server",
    "get_full_asset_path",
    "get_full_asset_path_async",
    "get_isaac_asset_root_path",
    "get_nvidia_asset_root_path",
    "get_server_path",
    "get_server_path_async",
    "get_url_root",
    "is_dir_async",
    "is_file",
    "is_file_async",
    "list_folder",
    "recursive_list_folder",
    "verify_asset_root_path",
]
