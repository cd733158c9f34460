"""What scripts import as ``isaacsim.core.api.controllers``: what computes and applies actions."""

from phalanx.facade.isaacsim.core.api.controllers.articulation_controller import ArticulationController
from phalanx.facade.isaacsim.core.api.controllers.base_controller import BaseController
from phalanx.facade.isaacsim.core.api.controllers.base_gripper_controller import BaseGripperController

__all__ = ["ArticulationController", "BaseController", "BaseGripperController"]
