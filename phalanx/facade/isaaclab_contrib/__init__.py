"""What scripts import as ``isaaclab_contrib``: multirotors. docs/isaaclab.md says what is there."""
