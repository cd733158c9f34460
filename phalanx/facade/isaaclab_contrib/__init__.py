"""What scripts import as ``isaaclab_contrib``: multirotors. docs/decisions/0019-facade.md says what is there."""
