"""Where files of assets are that scripts name by addresses of a server: below a folder of this machine.

Nothing is fetched. Assets that Isaac Sim's server has under ``<root>/Isaac/...`` and ``<root>/NVIDIA/...`` are looked
for below the folder of the environment variable ``PHALANX_ASSET_ROOT``, or else of the setting
``/persistent/isaac/asset_root/cloud`` (or ``.../default``), or else where ``phalanx assets`` puts files, in the same
subfolders. Of a stand-in it is said once that it is one. Addresses such as
``https://.../Assets/Isaac/5.1/Isaac/Robots/...``, of any version, mean these files, too.
"""

from __future__ import annotations

import functools
import logging
import os
import re
from pathlib import Path

from phalanx.assets.places import VARIABLE, folder
from phalanx.facade.once import tell_once

SETTINGS = ("/persistent/isaac/asset_root/cloud", "/persistent/isaac/asset_root/default")
"""The settings that count where the environment variable is not set, first one first."""

NOWHERE = "omniverse://localhost/NVIDIA/Assets/Isaac/5.1"
"""What the root is called where nobody has said where it is."""

_SERVED = re.compile(r"^\w[\w+.-]*://.*?/Assets/Isaac/[^/]+/(.+)$")


def asset_root() -> str:
    """The folder below which assets are, or an address that stands for it if there is none."""
    from phalanx.facade.carb.settings import get_settings

    found = os.environ.get(VARIABLE) or next((text for name in SETTINGS if (text := get_settings().get(name))), None)
    if found is None:
        found = folder() if folder().is_dir() else NOWHERE
    return str(found).rstrip("/")


def is_remote(path: object) -> bool:
    """Whether a path is an address, ``https://...`` or ``omniverse://...``, and not a file's."""
    return "://" in str(path) and not str(path).startswith("file://")


def local_path(path: object) -> str | None:
    """The file or folder of this machine that a path or an address means; ``None`` for addresses without one.

    Whether there is such a file is not looked at.
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else str(path)
    if not is_remote(text):
        return text.removeprefix("file://")
    root, served = asset_root(), _SERVED.match(text)
    if served is None or is_remote(root):
        return None
    return os.path.join(root.removeprefix("file://"), served[1])


def existing_file(path: object, what: str = "file") -> str:
    """The file of this machine that a path or an address means.

    Args:
        path: of the file.
        what: what it is called in the error.

    Raises:
        FileNotFoundError: there is none; it says where the file was looked for, and where to put it.
    """
    found = local_path(path)
    if found is not None and os.path.isfile(found):
        _tell_stand_in(found)
        return found
    message = f"{what[0].upper()}{what[1:]} not found at path: '{path}'"
    if is_remote(path):
        raise FileNotFoundError(f"{message}: {how_to_get(str(path))}")
    if below_root(str(path)):
        raise FileNotFoundError(f"{message}: {_stand_in_advice(str(path))}{_advice(str(path))}")
    raise FileNotFoundError(f"{message} (the current folder is {os.getcwd()})")


def served_file(path: str) -> str | None:
    """The file of this machine that an address means; ``None`` if there is none."""
    found = local_path(path)
    if found is None or not os.path.isfile(found):
        return None
    _tell_stand_in(found)
    return found


def how_to_get(path: str) -> str:
    """What to do for the file of an address."""
    return f"files on servers are not fetched; {_stand_in_advice(path)}{_advice(path)}"


def below_root(path: str) -> str:
    """What a path has below the root; empty if it is elsewhere."""
    served, root = _SERVED.match(path), asset_root().removeprefix("file://")
    if served is not None:
        return served[1]
    return path[len(root) + 1 :] if path.startswith(f"{root}/") else ""


def _stand_in_advice(path: str) -> str:
    """How to get a stand-in, if there is one for the path."""
    from phalanx.assets.catalogue import standing_in_for

    one = standing_in_for(below_root(path))
    return "" if one is None else f"`phalanx assets build {one.name}` makes a stand-in; or "


@functools.cache
def _tell_stand_in(file: str) -> None:
    """Say once of a file of the root that it is a stand-in."""
    from phalanx.assets.building import stand_in_origin

    if (name := below_root(file)) and (origin := stand_in_origin(Path(file))) is not None:
        tell_once(f"{name} is a stand-in, made from {origin}", logging.WARNING)


def _advice(path: str) -> str:
    """Where to put a file of a server."""
    served, found = _SERVED.match(path), local_path(path)
    if found is not None:
        return f"put it at '{found}'"
    if served is None:
        return "download it, and give the path of the file"
    return (
        f"put it at <folder>/{served[1]} and let the environment variable {VARIABLE}, or the setting "
        f"'{SETTINGS[0]}', be that folder"
    )
