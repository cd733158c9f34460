"""A Franka."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaacsim.core.utils.nucleus import get_assets_root_path
from phalanx.facade.isaacsim.core.utils.stage import add_reference_to_stage, get_stage_units
from phalanx.facade.isaacsim.robot.manipulators.grippers.parallel_gripper import ParallelGripper
from phalanx.facade.isaacsim.robot.manipulators.manipulators.single_manipulator import SingleManipulator

FILE = "/Isaac/Robots/FrankaRobotics/FrankaPanda/franka.usd"

OPENED, DELTA = 0.05, 0.05
"""m: of a finger, and by how much an action moves it."""


def asset(usd_path: str | None, file: str, what: str) -> str:
    """The file of a robot: the one that is given, or that below the folder of assets.

    Raises:
        FileNotFoundError: none is given, and there is no folder of assets.
    """
    if usd_path:
        return usd_path
    root = get_assets_root_path()
    if root is None:
        raise FileNotFoundError(
            f"there is no folder of assets for a {what}: `phalanx assets build {what}` makes a stand-in, "
            "PHALANX_ASSET_ROOT says where the folder is, and usd_path gives a file"
        )
    return root + file


class Franka(SingleManipulator):
    """A Franka with its two fingers.

    Args:
        prim_path: of its prim, which refers to a file if it is not there yet.
        name: for scenes and messages.
        usd_path: the file; that below the folder of assets by default, see ``phalanx assets``.
        position, orientation: of the prim, (3,) and (w, x, y, z).
        end_effector_prim_name: of the end effector's body below the prim; the right finger by default.
        gripper_dof_names: joints of the fingers.
        gripper_open_position, gripper_closed_position: where they are when it is open and closed, (2,).
        deltas: by how much actions of the gripper move the fingers, (2,); 0.05 m by default.

    Raises:
        FileNotFoundError: there is no file.
    """

    def __init__(
        self,
        prim_path: str,
        name: str = "franka_robot",
        usd_path: str | None = None,
        position: Any = None,
        orientation: Any = None,
        end_effector_prim_name: str | None = None,
        gripper_dof_names: Sequence[str] | None = None,
        gripper_open_position: Any = None,
        gripper_closed_position: Any = None,
        deltas: Any = None,
    ) -> None:
        if not stages.get_stage().GetPrimAtPath(prim_path):
            add_reference_to_stage(asset(usd_path, FILE, "franka-sim"), prim_path)
        units = get_stage_units()
        end = f"{prim_path}/{end_effector_prim_name or 'panda_rightfinger'}"
        gripper = ParallelGripper(
            end,
            gripper_dof_names or ["panda_finger_joint1", "panda_finger_joint2"],
            np.full(2, OPENED) / units if gripper_open_position is None else gripper_open_position,
            np.zeros(2) if gripper_closed_position is None else gripper_closed_position,
            np.full(2, DELTA) / units if deltas is None else deltas,
        )
        super().__init__(prim_path, end, name, position, orientation=orientation, gripper=gripper)

    def post_reset(self) -> None:
        """Be in the default state, the fingers controlled by position."""
        super().post_reset()
        for index in self.gripper.active_joint_indices:
            self._articulation_controller.switch_dof_control_mode(dof_index=index, mode="position")


__all__ = ["Franka"]
