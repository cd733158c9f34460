"""What scripts import as ``isaaclab.assets``. docs/isaaclab.md says what is there."""

from phalanx.facade.isaaclab.assets.articulation import Articulation, ArticulationCfg, ArticulationData
from phalanx.facade.isaaclab.assets.asset_base import AssetBase
from phalanx.facade.isaaclab.assets.asset_base_cfg import AssetBaseCfg
from phalanx.facade.isaaclab.assets.deformable_object import DeformableObject, DeformableObjectCfg, DeformableObjectData
from phalanx.facade.isaaclab.assets.rigid_object import RigidObject, RigidObjectCfg, RigidObjectData
from phalanx.facade.isaaclab.assets.rigid_object_collection import (
    RigidObjectCollection,
    RigidObjectCollectionCfg,
    RigidObjectCollectionData,
)
from phalanx.facade.isaaclab.assets.surface_gripper import SurfaceGripper, SurfaceGripperCfg

__all__ = [
    "Articulation",
    "ArticulationCfg",
    "ArticulationData",
    "AssetBase",
    "AssetBaseCfg",
    "DeformableObject",
    "DeformableObjectCfg",
    "DeformableObjectData",
    "RigidObject",
    "RigidObjectCfg",
    "RigidObjectCollection",
    "RigidObjectCollectionCfg",
    "RigidObjectCollectionData",
    "RigidObjectData",
    "SurfaceGripper",
    "SurfaceGripperCfg",
]
