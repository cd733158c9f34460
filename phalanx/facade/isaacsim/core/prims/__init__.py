"""What scripts import as ``isaacsim.core.prims``: views of prims, and single ones."""

from phalanx.facade.isaacsim.core.prims.articulation import Articulation
from phalanx.facade.isaacsim.core.prims.cloth_prim import ClothPrim
from phalanx.facade.isaacsim.core.prims.deformable_prim import DeformablePrim
from phalanx.facade.isaacsim.core.prims.geometry_prim import GeometryPrim
from phalanx.facade.isaacsim.core.prims.particle_system import ParticleSystem
from phalanx.facade.isaacsim.core.prims.prim import Prim
from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim
from phalanx.facade.isaacsim.core.prims.sdf_shape_prim import SdfShapePrim
from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation
from phalanx.facade.isaacsim.core.prims.single_cloth_prim import SingleClothPrim
from phalanx.facade.isaacsim.core.prims.single_deformable_prim import SingleDeformablePrim
from phalanx.facade.isaacsim.core.prims.single_geometry_prim import SingleGeometryPrim
from phalanx.facade.isaacsim.core.prims.single_particle_system import SingleParticleSystem
from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim
from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim

__all__ = [
    "Articulation",
    "ClothPrim",
    "DeformablePrim",
    "GeometryPrim",
    "ParticleSystem",
    "Prim",
    "RigidPrim",
    "SdfShapePrim",
    "SingleArticulation",
    "SingleClothPrim",
    "SingleDeformablePrim",
    "SingleGeometryPrim",
    "SingleParticleSystem",
    "SingleRigidPrim",
    "SingleXFormPrim",
    "XFormPrim",
]
