"""The older name of ``isaacsim.core.prims.ClothPrim``."""

from phalanx.facade.isaacsim.core.prims.cloth_prim import ClothPrim as ClothPrimView

__all__ = ["ClothPrimView"]
