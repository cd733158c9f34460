"""What scripts import as ``omni.ext``: extensions of Kit, which here are modules of the facade."""

from __future__ import annotations

import importlib.util
import os
from typing import Any

from phalanx.facade.asset_root import asset_root

_FACADE = "phalanx.facade"


def folder(name: str) -> str | None:
    """The folder of the module of the facade with a name; ``None`` if there is none."""
    try:
        found = importlib.util.find_spec(f"{_FACADE}.{name}")
    except ModuleNotFoundError:
        return None
    if found is None:
        return None
    places = found.submodule_search_locations
    return os.path.abspath(next(iter(places)) if places else os.path.dirname(found.origin or "."))


def files(name: str) -> str | None:
    """The folder of an extension's files: ``exts/NAME`` below the root of assets, else that of the facade's module.

    Files that come with Isaac Sim's own extensions, ``data/urdf/...``, are not Phalanx's; a copy of them goes there.
    """
    kept = os.path.join(asset_root(), "exts", name)
    return kept if name and os.path.isdir(kept) else folder(name)


class IExt:
    """What extensions of users derive from. None is loaded by the application; scripts call these themselves."""

    def on_startup(self, ext_id: str) -> None:
        """What it does when it is loaded."""

    def on_shutdown(self) -> None:
        """What it does when it is unloaded."""


class ExtensionManager:
    """Knows extensions: there is one of each name that the facade has a module of, and it is enabled."""

    def __init__(self) -> None:
        self._asked: dict[str, bool] = {}

    def is_extension_enabled(self, ext_id: str) -> bool:
        """Whether there is a module of its name, or somebody has said that it is enabled."""
        name = ext_id.partition("-")[0]
        return self._asked.get(name, folder(name) is not None)

    def set_extension_enabled(self, ext_id: str, enabled: bool) -> bool:
        """Keep whether an extension is enabled; nothing is loaded or unloaded. Whether the facade has it."""
        name = ext_id.partition("-")[0]
        self._asked[name] = bool(enabled)
        return folder(name) is not None

    set_extension_enabled_immediate = set_extension_enabled

    def get_enabled_extension_id(self, name: str) -> str:
        """Name and version, which is Phalanx's; empty if there is none of the name."""
        from phalanx import __version__

        return f"{name}-{__version__}" if self.is_extension_enabled(name) and folder(name) is not None else ""

    get_extension_id_by_module = get_enabled_extension_id

    def get_extension_path(self, ext_id: str) -> str:
        """The folder of its files, see :func:`files`; empty if there is none."""
        return files(ext_id.partition("-")[0]) or ""

    get_extension_path_by_module = get_extension_path

    def get_extensions(self) -> list[dict[str, Any]]:
        """Name, id and whether it is enabled, of those that somebody has asked for."""
        return [{"name": name, "id": name, "enabled": on} for name, on in self._asked.items()]

    def get_extension_dict(self, ext_id: str) -> dict[str, Any]:
        """What is known about an extension."""
        return {"package": {"name": ext_id.partition("-")[0]}, "path": self.get_extension_path(ext_id)}

    def add_path(self, path: str, type: Any = None) -> None:
        """Nothing: extensions are modules; add their folder to ``sys.path``."""


__all__ = ["ExtensionManager", "IExt"]
