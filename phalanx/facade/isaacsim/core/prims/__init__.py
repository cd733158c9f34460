"""What scripts import as ``isaacsim.core.prims``: single prims with a pose."""

from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim

__all__ = ["SingleXFormPrim"]
