"""What scripts import as ``isaaclab``. docs/isaaclab.md says what is there."""
