"""What scripts import as ``omni.replicator.core``: seeds. docs/isaaclab.md says what is there."""

from phalanx.facade.omni.replicator.core.seeds import get_global_seed, set_global_seed

__all__ = ["get_global_seed", "set_global_seed"]
