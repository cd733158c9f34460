"""What scripts import as ``omni.physics.tensors.impl``."""
