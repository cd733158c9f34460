"""What scripts import as ``isaacsim.robot``: kinds of robots, and what controls them."""
