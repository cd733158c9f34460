"""Controllers of robots on wheels: from velocities of a robot to those of its wheels."""

from phalanx.facade.isaacsim.robot.wheeled_robots.controllers.ackermann_controller import AckermannController
from phalanx.facade.isaacsim.robot.wheeled_robots.controllers.differential_controller import DifferentialController
from phalanx.facade.isaacsim.robot.wheeled_robots.controllers.holonomic_controller import HolonomicController
from phalanx.facade.isaacsim.robot.wheeled_robots.controllers.wheel_base_pose_controller import WheelBasePoseController

__all__ = ["AckermannController", "DifferentialController", "HolonomicController", "WheelBasePoseController"]
