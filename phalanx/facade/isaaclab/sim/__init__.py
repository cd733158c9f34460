"""What scripts import as ``isaaclab.sim``. In progress: docs/decisions/0019-facade.md says what is there."""

from phalanx.facade.isaaclab.sim.utils import *  # noqa: F403
