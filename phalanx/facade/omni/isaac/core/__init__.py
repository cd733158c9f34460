"""What older scripts import as ``omni.isaac.core``; its ``utils`` are ``isaacsim.core.utils``."""
