"""The contact solver for GPUs, island by island."""
