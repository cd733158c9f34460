"""What scripts import as ``omni``. docs/isaaclab.md says what is there."""

from phalanx.facade.submodules import on_access

__getattr__ = on_access(__name__)
