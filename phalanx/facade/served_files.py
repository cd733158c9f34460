"""References of USD files to a server's files, which are those of this machine.

A file may refer to ``https://.../Assets/Isaac/<version>/Isaac/...``, as those do that were made with Isaac Sim. USD
looks for addresses that it has no resolver for below its search path, as ``https:/.../Assets/Isaac/<version>``. So a
folder of links, which lives as long as the process, is on that path, with a link to the folder of assets
(:mod:`phalanx.facade.asset_root`) for each server and version that is named. No layer is changed: what scripts save
still names the server.
"""

from __future__ import annotations

import atexit
import functools
import logging
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from phalanx.facade.asset_root import asset_root, how_to_get, is_remote, served_file
from phalanx.facade.once import tell_once
from phalanx.io.formats.usd.bindings import Ar, Sdf, Tf

_SERVER = re.compile(r"^(\w[\w+.-]*):/+(.*?/Assets/Isaac/[^/]+)/")


def find_served(layer: Any) -> None:
    """Let USD find what a layer names by a server's address, and what that names.

    Of what is not on this machine a warning says once how to get it.

    Args:
        layer: ``Sdf.Layer`` that is about to be composed.
    """
    waiting, seen = [layer], {layer.identifier}
    while waiting:
        one = waiting.pop()
        for path in filter(None, one.GetCompositionAssetDependencies()):
            if is_remote(path):
                if served_file(path) is None:
                    why = how_to_get(path)
                    tell_once(f"{one.identifier} refers to {path}, and gets nothing: {why}", logging.WARNING)
                    continue
                _link(path)
            found = _opened(one, path)
            if found is not None and found.identifier not in seen:
                seen.add(found.identifier)
                waiting.append(found)


def _opened(layer: Any, path: str) -> Any:
    """The layer at an address that a layer names; ``None`` if it cannot be read, which USD says when it composes."""
    try:
        return Sdf.Layer.FindOrOpenRelativeToLayer(layer, path)
    except Tf.ErrorException:
        return None


def _link(path: str) -> None:
    """Let the folder of the server of an address be the folder of assets."""
    match = _SERVER.match(path)
    if match is None or ".." in match[2].split("/"):
        return
    root = os.path.abspath(asset_root().removeprefix("file://"))
    link = _links() / f"{match[1]}:" / os.path.normpath(match[2])
    if link.is_symlink() and os.readlink(link) == root:
        return
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)  # the folder of assets is another one now
    link.symlink_to(root, target_is_directory=True)


@functools.cache
def _links() -> Path:
    """The folder of links, which is made and put on the search path."""
    folder = tempfile.mkdtemp(prefix="phalanx-served-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    before = [one for one in os.environ.get("PXR_AR_DEFAULT_SEARCH_PATH", "").split(os.pathsep) if one]
    Ar.DefaultResolver.SetDefaultSearchPath([*before, folder])
    return Path(folder)
