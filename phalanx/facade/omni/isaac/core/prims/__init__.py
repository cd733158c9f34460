"""What older scripts import as ``omni.isaac.core.prims``: single prims, and views, of ``isaacsim.core.prims``."""

from phalanx.facade.omni.isaac.core.prims.base_sensor import BaseSensor
from phalanx.facade.omni.isaac.core.prims.geometry_prim import GeometryPrim
from phalanx.facade.omni.isaac.core.prims.geometry_prim_view import GeometryPrimView
from phalanx.facade.omni.isaac.core.prims.rigid_contact_view import RigidContactView
from phalanx.facade.omni.isaac.core.prims.rigid_prim import RigidPrim
from phalanx.facade.omni.isaac.core.prims.rigid_prim_view import RigidPrimView
from phalanx.facade.omni.isaac.core.prims.sdf_shape_view import SdfShapeView
from phalanx.facade.omni.isaac.core.prims.soft.cloth_prim import ClothPrim
from phalanx.facade.omni.isaac.core.prims.soft.cloth_prim_view import ClothPrimView
from phalanx.facade.omni.isaac.core.prims.soft.deformable_prim import DeformablePrim
from phalanx.facade.omni.isaac.core.prims.soft.deformable_prim_view import DeformablePrimView
from phalanx.facade.omni.isaac.core.prims.soft.particle_system import ParticleSystem
from phalanx.facade.omni.isaac.core.prims.soft.particle_system_view import ParticleSystemView
from phalanx.facade.omni.isaac.core.prims.xform_prim import XFormPrim
from phalanx.facade.omni.isaac.core.prims.xform_prim_view import XFormPrimView

__all__ = [
    "BaseSensor",
    "ClothPrim",
    "ClothPrimView",
    "DeformablePrim",
    "DeformablePrimView",
    "GeometryPrim",
    "GeometryPrimView",
    "ParticleSystem",
    "ParticleSystemView",
    "RigidContactView",
    "RigidPrim",
    "RigidPrimView",
    "SdfShapeView",
    "XFormPrim",
    "XFormPrimView",
]
