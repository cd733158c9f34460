"""The older name of ``isaacsim.core.prims.SingleClothPrim``."""

from phalanx.facade.isaacsim.core.prims.single_cloth_prim import SingleClothPrim as ClothPrim

__all__ = ["ClothPrim"]
