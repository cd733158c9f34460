"""Assets from files, and the ground."""

from typing import Any

from phalanx.facade.isaaclab.sim.spawners.from_files.from_files import (
    spawn_from_urdf,
    spawn_from_usd,
    spawn_ground_plane,
)
from phalanx.facade.isaaclab.sim.spawners.from_files.from_files_cfg import FileCfg, GroundPlaneCfg, UsdFileCfg


def __getattr__(name: str) -> Any:
    """``UrdfFileCfg``, when it is asked for: converters need what is here."""
    if name == "UrdfFileCfg":
        from phalanx.facade.isaaclab.sim.spawners.from_files.urdf_cfg import UrdfFileCfg

        return UrdfFileCfg
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["FileCfg", "GroundPlaneCfg", "UsdFileCfg", "spawn_from_urdf", "spawn_from_usd", "spawn_ground_plane"]
