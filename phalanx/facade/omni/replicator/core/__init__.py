"""What scripts import as ``omni.replicator.core``: seeds, and the basic writer. docs/isaaclab.md says what is there."""

from phalanx.facade.omni.replicator.core.seeds import get_global_seed, set_global_seed
from phalanx.facade.omni.replicator.core.writers import BasicWriter

__all__ = ["BasicWriter", "get_global_seed", "set_global_seed"]
