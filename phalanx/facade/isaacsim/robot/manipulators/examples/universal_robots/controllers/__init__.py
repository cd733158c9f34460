"""Controllers of a UR10."""

from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.pick_place_controller import (
    PickPlaceController,
)
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.rmpflow_controller import (
    RMPFlowController,
)
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.stacking_controller import (
    StackingController,
)

__all__ = ["PickPlaceController", "RMPFlowController", "StackingController"]
