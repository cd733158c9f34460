"""What scripts import as ``omni.isaac``; ``omni.isaac.lab`` is ``isaaclab``, see :mod:`phalanx.facade.aliases`."""

from phalanx.facade.submodules import on_access

__getattr__ = on_access(__name__)
