"""The older name of ``isaacsim.core.prims.SingleXFormPrim``."""

from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim as XFormPrim

__all__ = ["XFormPrim"]
