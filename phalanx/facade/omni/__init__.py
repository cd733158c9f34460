"""What scripts import as ``omni``. In progress: docs/decisions/0019-facade.md says what is there."""
