"""Configuration of cameras that cast rays among many meshes."""

from __future__ import annotations

import logging
from typing import Any

from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_camera import MultiMeshRayCasterCamera
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_cfg import MultiMeshRayCasterCfg
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_camera_cfg import RayCasterCameraCfg
from phalanx.facade.isaaclab.utils.configclass import configclass

logger = logging.getLogger(__name__)


@configclass
class MultiMeshRayCasterCameraCfg(RayCasterCameraCfg, MultiMeshRayCasterCfg):
    """Configuration of a camera whose rays meet many meshes, of which some move. Its rays turn with the prim."""

    class_type: Any = MultiMeshRayCasterCamera

    def __post_init__(self) -> None:
        if self.ray_alignment != "base":
            logger.warning("%s: ray_alignment=%r: a camera has 'base' only", type(self).__name__, self.ray_alignment)
            self.ray_alignment = "base"
