"""What scripts import as ``isaacsim.sensors``."""
