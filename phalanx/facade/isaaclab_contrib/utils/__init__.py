"""Types of contributed assets."""

from phalanx.facade.isaaclab_contrib.utils.types import MultiRotorActions

__all__ = ["MultiRotorActions"]
