"""Where files of assets are kept."""

from __future__ import annotations

import os
from pathlib import Path

VARIABLE = "PHALANX_ASSET_ROOT"
"""The environment variable that says where else."""

ISAAC, LAB = "Isaac", "Isaac/IsaacLab"
"""What paths of Isaac Sim's and Isaac Lab's assets begin with, below the folder."""


def folder() -> Path:
    """The folder: what ``PHALANX_ASSET_ROOT`` says, else ``phalanx/assets`` in the user's folder of data."""
    said = os.environ.get(VARIABLE, "")
    if said and "://" not in said:
        return Path(said).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "phalanx" / "assets"
