"""Rigid objects."""

from phalanx.facade.isaaclab.assets.rigid_object.rigid_object import RigidObject
from phalanx.facade.isaaclab.assets.rigid_object.rigid_object_cfg import RigidObjectCfg
from phalanx.facade.isaaclab.assets.rigid_object.rigid_object_data import RigidObjectData

__all__ = ["RigidObject", "RigidObjectCfg", "RigidObjectData"]
