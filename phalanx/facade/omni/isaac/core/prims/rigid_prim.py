"""The older name of ``isaacsim.core.prims.SingleRigidPrim``."""

from phalanx.facade.isaacsim.core.prims.single_rigid_prim import SingleRigidPrim as RigidPrim

__all__ = ["RigidPrim"]
