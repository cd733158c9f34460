"""Deformable objects: soft bodies of nodes and tetrahedra."""

from phalanx.facade.isaaclab.assets.deformable_object.deformable_object import DeformableObject
from phalanx.facade.isaaclab.assets.deformable_object.deformable_object_cfg import DeformableObjectCfg
from phalanx.facade.isaaclab.assets.deformable_object.deformable_object_data import DeformableObjectData

__all__ = ["DeformableObject", "DeformableObjectCfg", "DeformableObjectData"]
