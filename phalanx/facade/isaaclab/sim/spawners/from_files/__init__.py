"""Assets from files, and the ground."""

from phalanx.facade.isaaclab.sim.spawners.from_files.from_files import (
    spawn_from_urdf,
    spawn_from_usd,
    spawn_ground_plane,
)
from phalanx.facade.isaaclab.sim.spawners.from_files.from_files_cfg import (
    FileCfg,
    GroundPlaneCfg,
    UrdfFileCfg,
    UsdFileCfg,
)

__all__ = [
    "FileCfg",
    "GroundPlaneCfg",
    "UrdfFileCfg",
    "UsdFileCfg",
    "spawn_from_urdf",
    "spawn_from_usd",
    "spawn_ground_plane",
]
