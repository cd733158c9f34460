"""What scripts import as ``isaacsim.core.cloner``: copies of prims, alone or in a grid."""

from phalanx.facade.isaacsim.core.cloner.cloner import Cloner
from phalanx.facade.isaacsim.core.cloner.grid_cloner import GridCloner

__all__ = ["Cloner", "GridCloner"]
