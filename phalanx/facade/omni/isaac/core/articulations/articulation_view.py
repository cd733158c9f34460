"""The older name of ``isaacsim.core.prims.Articulation``."""

from phalanx.facade.isaacsim.core.prims.articulation import Articulation as ArticulationView

__all__ = ["ArticulationView"]
