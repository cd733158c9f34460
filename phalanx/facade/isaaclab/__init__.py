"""What scripts import as ``isaaclab``. docs/isaaclab.md says what is there."""

from __future__ import annotations

import tomllib
from typing import Any

from phalanx.facade import wheel

__version__ = "0.54.2"
"""The version of the extension ``isaaclab`` in Isaac Lab 2.3.2: scripts compare it to tell versions apart."""


def __getattr__(name: str) -> Any:
    """``ISAACLAB_EXT_DIR``, the folder of the installed extension, and ``ISAACLAB_METADATA``, what its file says.

    Raises:
        AttributeError: another name.
        FileNotFoundError: Isaac Lab's wheel is not installed.
    """
    if name not in ("ISAACLAB_EXT_DIR", "ISAACLAB_METADATA"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = wheel.source()
    if found is None:
        raise FileNotFoundError(f"isaaclab.{name} is of Isaac Lab's wheel, which is not installed: {wheel.REMEDY}")
    folder = found.folder / "isaaclab"
    if name == "ISAACLAB_EXT_DIR":
        return str(folder)
    return tomllib.loads((folder / "config" / "extension.toml").read_text(encoding="utf-8"))
