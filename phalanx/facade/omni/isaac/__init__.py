"""What scripts import as ``omni.isaac``; ``omni.isaac.lab`` is ``isaaclab``, see :mod:`phalanx.facade.aliases`."""
