"""Collections of rigid objects."""

from phalanx.facade.isaaclab.assets.rigid_object_collection.rigid_object_collection import RigidObjectCollection
from phalanx.facade.isaaclab.assets.rigid_object_collection.rigid_object_collection_cfg import RigidObjectCollectionCfg
from phalanx.facade.isaaclab.assets.rigid_object_collection.rigid_object_collection_data import (
    RigidObjectCollectionData,
)

__all__ = ["RigidObjectCollection", "RigidObjectCollectionCfg", "RigidObjectCollectionData"]
