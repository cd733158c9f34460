"""Grippers that hold by their surface."""

from phalanx.facade.isaaclab.assets.surface_gripper.surface_gripper import SurfaceGripper
from phalanx.facade.isaaclab.assets.surface_gripper.surface_gripper_cfg import SurfaceGripperCfg

__all__ = ["SurfaceGripper", "SurfaceGripperCfg"]
