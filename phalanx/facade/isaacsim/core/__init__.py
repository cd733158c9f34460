"""What scripts import as ``isaacsim.core``."""
