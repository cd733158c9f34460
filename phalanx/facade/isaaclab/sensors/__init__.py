"""What scripts import as ``isaaclab.sensors``."""

from phalanx.facade.isaaclab.sensors.camera import Camera, CameraCfg, CameraData, TiledCamera, TiledCameraCfg
from phalanx.facade.isaaclab.sensors.camera.utils import (
    create_pointcloud_from_depth,
    create_pointcloud_from_rgbd,
    save_images_to_file,
    transform_points,
)
from phalanx.facade.isaaclab.sensors.contact_sensor import ContactSensor, ContactSensorCfg, ContactSensorData
from phalanx.facade.isaaclab.sensors.frame_transformer import (
    FrameTransformer,
    FrameTransformerCfg,
    FrameTransformerData,
    OffsetCfg,
)
from phalanx.facade.isaaclab.sensors.imu import Imu, ImuCfg, ImuData
from phalanx.facade.isaaclab.sensors.ray_caster import (
    MultiMeshRayCaster,
    MultiMeshRayCasterCamera,
    MultiMeshRayCasterCameraCfg,
    MultiMeshRayCasterCameraData,
    MultiMeshRayCasterCfg,
    MultiMeshRayCasterData,
    RayCaster,
    RayCasterCamera,
    RayCasterCameraCfg,
    RayCasterCfg,
    RayCasterData,
    patterns,
)
from phalanx.facade.isaaclab.sensors.sensor_base import SensorBase
from phalanx.facade.isaaclab.sensors.sensor_base_cfg import SensorBaseCfg

__all__ = [
    "Camera",
    "CameraCfg",
    "CameraData",
    "ContactSensor",
    "ContactSensorCfg",
    "ContactSensorData",
    "FrameTransformer",
    "FrameTransformerCfg",
    "FrameTransformerData",
    "Imu",
    "ImuCfg",
    "ImuData",
    "MultiMeshRayCaster",
    "MultiMeshRayCasterCamera",
    "MultiMeshRayCasterCameraCfg",
    "MultiMeshRayCasterCameraData",
    "MultiMeshRayCasterCfg",
    "MultiMeshRayCasterData",
    "OffsetCfg",
    "RayCaster",
    "RayCasterCamera",
    "RayCasterCameraCfg",
    "RayCasterCfg",
    "RayCasterData",
    "SensorBase",
    "SensorBaseCfg",
    "TiledCamera",
    "TiledCameraCfg",
    "create_pointcloud_from_depth",
    "create_pointcloud_from_rgbd",
    "patterns",
    "save_images_to_file",
    "transform_points",
]
