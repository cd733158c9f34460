"""What scripts import as ``omni.kit``."""
