"""What scripts import as ``omni``. In progress: docs/decisions/0019-facade.md says what is there."""

from phalanx.facade.submodules import on_access

__getattr__ = on_access(__name__)
