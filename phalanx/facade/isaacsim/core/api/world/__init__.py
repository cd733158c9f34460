"""What scripts import as ``isaacsim.core.api.world``."""

from phalanx.facade.isaacsim.core.api.world.world import World

__all__ = ["World"]
