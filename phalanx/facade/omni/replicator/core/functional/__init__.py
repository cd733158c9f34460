"""What is done at once, on the stage as it is."""

from phalanx.facade.omni.replicator.core.functional import create_batch, get, modify

__all__ = ["create_batch", "get", "modify"]
