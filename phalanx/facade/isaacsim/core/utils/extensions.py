"""Extensions of Kit: here they are modules of the facade, which need not be enabled. There are no others."""

from __future__ import annotations

import logging

from phalanx.facade.omni.ext import files, folder
from phalanx.facade.once import tell_once


def enable_extension(extension_name: str) -> bool:
    """Whether the facade has a module of an extension's name; nothing needs to be loaded. Where not, it is logged."""
    if folder(extension_name) is not None:
        return True
    tell_once(f"enable_extension: there is no {extension_name!r} here, what it brings is missing", logging.WARNING)
    return False


def disable_extension(extension_name: str) -> bool:
    """Whether an extension could be unloaded: no, modules stay. It is logged."""
    tell_once(f"disable_extension: nothing is unloaded, {extension_name!r} neither")
    return False


def get_extension_id(extension_name: str) -> str:
    """The name of an extension with its version, which is Phalanx's; empty if the facade has no module of the name."""
    from phalanx import __version__

    return "" if folder(extension_name) is None else f"{extension_name}-{__version__}"


def get_extension_path(ext_id: str) -> str:
    """The folder of an extension's files: ``exts/NAME`` below the root of assets, else that of the facade's module.

    Raises:
        ValueError: there is none. Files that come with Isaac Sim's own extensions are not here.
    """
    name = ext_id.partition("-")[0]
    found = files(name) if name else None
    if found is None:
        raise ValueError(
            f"there is no extension {ext_id!r} here: give the path of a file that comes with it in Isaac Sim yourself, "
            "or put the extension's folder into exts below the root of assets"
        )
    return found


def get_extension_path_from_name(extension_name: str) -> str:
    """As :func:`get_extension_path`, by the name alone.

    Raises:
        ValueError: there is none.
    """
    return get_extension_path(extension_name)


__all__ = [
    "disable_extension",
    "enable_extension",
    "get_extension_id",
    "get_extension_path",
    "get_extension_path_from_name",
]
