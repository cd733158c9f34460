"""What scripts import as ``isaacsim.core.api.tasks``."""

from phalanx.facade.isaacsim.core.api.tasks.base_task import BaseTask
from phalanx.facade.isaacsim.core.api.tasks.follow_target import FollowTarget
from phalanx.facade.isaacsim.core.api.tasks.pick_place import PickPlace
from phalanx.facade.isaacsim.core.api.tasks.stacking import Stacking

__all__ = ["BaseTask", "FollowTarget", "PickPlace", "Stacking"]
