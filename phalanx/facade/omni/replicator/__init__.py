"""What scripts import as ``omni.replicator``."""
