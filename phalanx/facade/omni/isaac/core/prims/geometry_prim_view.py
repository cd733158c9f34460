"""The older name of ``isaacsim.core.prims.GeometryPrim``."""

from phalanx.facade.isaacsim.core.prims.geometry_prim import GeometryPrim as GeometryPrimView

__all__ = ["GeometryPrimView"]
