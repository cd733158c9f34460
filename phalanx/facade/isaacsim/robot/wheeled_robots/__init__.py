"""What scripts import as ``isaacsim.robot.wheeled_robots``: robots on wheels, and what drives them."""

from phalanx.facade.isaacsim.robot.wheeled_robots.controllers import (
    AckermannController,
    DifferentialController,
    HolonomicController,
    WheelBasePoseController,
)

__all__ = ["AckermannController", "DifferentialController", "HolonomicController", "WheelBasePoseController"]
