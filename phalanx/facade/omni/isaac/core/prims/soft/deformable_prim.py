"""The older name of ``isaacsim.core.prims.SingleDeformablePrim``."""

from phalanx.facade.isaacsim.core.prims.single_deformable_prim import SingleDeformablePrim as DeformablePrim

__all__ = ["DeformablePrim"]
