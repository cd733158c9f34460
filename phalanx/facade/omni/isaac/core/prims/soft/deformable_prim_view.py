"""The older name of ``isaacsim.core.prims.DeformablePrim``."""

from phalanx.facade.isaacsim.core.prims.deformable_prim import DeformablePrim as DeformablePrimView

__all__ = ["DeformablePrimView"]
