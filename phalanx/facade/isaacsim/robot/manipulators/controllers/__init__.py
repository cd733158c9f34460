"""Controllers of arms that take things from one place to another."""

from phalanx.facade.isaacsim.robot.manipulators.controllers.pick_place_controller import PickPlaceController
from phalanx.facade.isaacsim.robot.manipulators.controllers.stacking_controller import StackingController

__all__ = ["PickPlaceController", "StackingController"]
