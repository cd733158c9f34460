"""What older scripts import as ``omni.isaac.core.prims.soft``: cloth, particles and deformable bodies."""

from phalanx.facade.omni.isaac.core.prims.soft.cloth_prim import ClothPrim
from phalanx.facade.omni.isaac.core.prims.soft.cloth_prim_view import ClothPrimView
from phalanx.facade.omni.isaac.core.prims.soft.deformable_prim import DeformablePrim
from phalanx.facade.omni.isaac.core.prims.soft.deformable_prim_view import DeformablePrimView
from phalanx.facade.omni.isaac.core.prims.soft.particle_system import ParticleSystem
from phalanx.facade.omni.isaac.core.prims.soft.particle_system_view import ParticleSystemView

__all__ = ["ClothPrim", "ClothPrimView", "DeformablePrim", "DeformablePrimView", "ParticleSystem", "ParticleSystemView"]
