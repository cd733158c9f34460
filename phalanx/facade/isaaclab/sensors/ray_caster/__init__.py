"""Sensors that cast rays."""

from phalanx.facade.isaaclab.sensors.ray_caster import patterns
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster import MultiMeshRayCaster
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_camera import MultiMeshRayCasterCamera
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_camera_cfg import MultiMeshRayCasterCameraCfg
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_camera_data import MultiMeshRayCasterCameraData
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_cfg import MultiMeshRayCasterCfg
from phalanx.facade.isaaclab.sensors.ray_caster.multi_mesh_ray_caster_data import MultiMeshRayCasterData
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster import RayCaster
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_camera import RayCasterCamera
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_camera_cfg import RayCasterCameraCfg
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_cfg import RayCasterCfg
from phalanx.facade.isaaclab.sensors.ray_caster.ray_caster_data import RayCasterData

__all__ = [
    "MultiMeshRayCaster",
    "MultiMeshRayCasterCamera",
    "MultiMeshRayCasterCameraCfg",
    "MultiMeshRayCasterCameraData",
    "MultiMeshRayCasterCfg",
    "MultiMeshRayCasterData",
    "RayCaster",
    "RayCasterCamera",
    "RayCasterCameraCfg",
    "RayCasterCfg",
    "RayCasterData",
    "patterns",
]
