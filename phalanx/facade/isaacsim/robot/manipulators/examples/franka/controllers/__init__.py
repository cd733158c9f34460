"""Controllers of a Franka."""

from phalanx.facade.isaacsim.robot.manipulators.examples.franka.controllers.pick_place_controller import (
    PickPlaceController,
)
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.controllers.rmpflow_controller import RMPFlowController
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.controllers.stacking_controller import (
    StackingController,
)

__all__ = ["PickPlaceController", "RMPFlowController", "StackingController"]
