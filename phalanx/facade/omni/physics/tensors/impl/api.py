"""What scripts import as ``omni.physics.tensors.impl.api``: the same as ``omni.physics.tensors.api``."""

from phalanx.facade.omni.physics.tensors.api import *  # noqa: F403
from phalanx.facade.omni.physics.tensors.api import __all__ as __all__
