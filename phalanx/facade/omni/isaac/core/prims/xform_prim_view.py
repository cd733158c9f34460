"""The older name of ``isaacsim.core.prims.XFormPrim``."""

from phalanx.facade.isaacsim.core.prims.xform_prim import XFormPrim as XFormPrimView

__all__ = ["XFormPrimView"]
