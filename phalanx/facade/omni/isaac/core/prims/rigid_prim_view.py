"""The older name of ``isaacsim.core.prims.RigidPrim``."""

from phalanx.facade.isaacsim.core.prims.rigid_prim import RigidPrim as RigidPrimView

__all__ = ["RigidPrimView"]
