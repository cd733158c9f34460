"""What scripts import as ``isaacsim.robot.surface_gripper``: grippers such as suction cups, by views and by paths."""

from phalanx.facade.isaacsim.robot.surface_gripper.gripper_view import GripperView

__all__ = ["GripperView"]
