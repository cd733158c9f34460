"""The older name of ``isaacsim.core.prims.SingleGeometryPrim``."""

from phalanx.facade.isaacsim.core.prims.single_geometry_prim import SingleGeometryPrim as GeometryPrim

__all__ = ["GeometryPrim"]
