"""What scripts import as ``isaacsim.storage``."""
