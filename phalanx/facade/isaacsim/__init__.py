"""What scripts import as ``isaacsim``. In progress: docs/decisions/0019-facade.md says what is there."""
