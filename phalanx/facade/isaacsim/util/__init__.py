"""What scripts import as ``isaacsim.util``: lines and points to be looked at."""
