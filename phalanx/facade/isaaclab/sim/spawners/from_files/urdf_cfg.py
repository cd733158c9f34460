"""Assets from URDF files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.facade.isaaclab.sim.converters import UrdfConverterCfg
from phalanx.facade.isaaclab.sim.spawners.from_files import from_files
from phalanx.facade.isaaclab.sim.spawners.from_files.from_files_cfg import FileCfg
from phalanx.facade.isaaclab.utils.configclass import configclass


@configclass
class UrdfFileCfg(FileCfg, UrdfConverterCfg):
    """An asset from a URDF file, which is converted to USD first."""

    func: Callable[..., Any] = from_files.spawn_from_urdf
