"""The older name of ``isaacsim.core.prims.SdfShapePrim``."""

from phalanx.facade.isaacsim.core.prims.sdf_shape_prim import SdfShapePrim as SdfShapeView

__all__ = ["SdfShapeView"]
