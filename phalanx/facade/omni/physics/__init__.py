"""What scripts import as ``omni.physics``."""
