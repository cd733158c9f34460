"""What scripts import as ``omni.kit.viewport``."""

from phalanx.facade.submodules import on_access

__getattr__ = on_access(__name__)
