"""What scripts import from ``omni.physx.bindings``."""
