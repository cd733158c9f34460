"""The older name of ``isaacsim.core.prims.SingleArticulation``."""

from phalanx.facade.isaacsim.core.prims.single_articulation import SingleArticulation as Articulation

__all__ = ["Articulation"]
