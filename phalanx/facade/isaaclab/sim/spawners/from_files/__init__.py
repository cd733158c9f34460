"""Assets from files, and the ground."""

from phalanx.facade.isaaclab.sim.spawners.from_files.from_files import (
    spawn_from_mjcf,
    spawn_from_urdf,
    spawn_from_usd,
    spawn_from_usd_with_compliant_contact_material,
    spawn_ground_plane,
)
from phalanx.facade.isaaclab.sim.spawners.from_files.from_files_cfg import (
    FileCfg,
    GroundPlaneCfg,
    MjcfFileCfg,
    UrdfFileCfg,
    UsdFileCfg,
    UsdFileWithCompliantContactCfg,
)

__all__ = [
    "FileCfg",
    "GroundPlaneCfg",
    "MjcfFileCfg",
    "UrdfFileCfg",
    "UsdFileCfg",
    "UsdFileWithCompliantContactCfg",
    "spawn_from_mjcf",
    "spawn_from_urdf",
    "spawn_from_usd",
    "spawn_from_usd_with_compliant_contact_material",
    "spawn_ground_plane",
]
