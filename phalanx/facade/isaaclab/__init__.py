"""What scripts import as ``isaaclab``. In progress: docs/decisions/0019-facade.md says what is there."""
