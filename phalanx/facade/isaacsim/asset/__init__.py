"""What scripts import as ``isaacsim.asset``: importers of robots' files."""
