"""Tasks of a UR10."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.utils.string import find_unique_string_name
from phalanx.facade.isaacsim.core.api import tasks
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.controllers.pick_place_controller import DOWN
from phalanx.facade.isaacsim.robot.manipulators.examples.universal_robots.ur10 import UR10

READY = np.array([-0.5, -0.5, -0.5, -0.5, 0.5, 0.0]) * np.pi
"""rad: of the joints at the beginning."""

CUBE = 0.0515
"""m: edge of the cubes."""


def _ur10(task: Any, path: str | None = None, name: str | None = None, attach_gripper: bool = True) -> UR10:
    """A UR10 with a path and a name that nobody has, ready for its task."""
    path = path or find_unique_string_name("/World/UR10", lambda each: not stages.get_stage().GetPrimAtPath(each))
    name = name or find_unique_string_name("my_ur10", lambda each: not task.scene.object_exists(each))
    robot = UR10(path, name, attach_gripper=attach_gripper)
    robot.set_joints_default_state(positions=READY)
    return robot


class PickPlace(tasks.PickPlace):
    """A UR10 that is to take a cube somewhere else; see ``isaacsim.core.api.tasks.PickPlace``."""

    def __init__(
        self,
        name: str = "ur10_pick_place",
        cube_initial_position: Any = None,
        cube_initial_orientation: Any = None,
        target_position: Any = None,
        cube_size: Any = None,
        offset: Any = None,
    ) -> None:
        units = get_stage_units()
        size = np.full(3, CUBE) / units if cube_size is None else cube_size
        if target_position is None:
            target_position = np.array([0.7 / units, 0.7 / units, size[2] / 2.0])
        super().__init__(name, cube_initial_position, cube_initial_orientation, target_position, size, offset)

    def set_robot(self) -> UR10:
        """The UR10."""
        return _ur10(self)


class Stacking(tasks.Stacking):
    """A UR10 that is to stack two cubes; see ``isaacsim.core.api.tasks.Stacking``."""

    def __init__(
        self, name: str = "ur10_stacking", target_position: Any = None, cube_size: Any = None, offset: Any = None
    ) -> None:
        units = get_stage_units()
        super().__init__(
            name,
            np.array([[0.3, 0.3, 0.3], [0.3, -0.3, 0.3]]) / units,
            None,
            np.array([0.7, 0.7, 0.0]) / units if target_position is None else target_position,
            cube_size,
            offset,
        )

    def set_robot(self) -> UR10:
        """The UR10."""
        return _ur10(self)


class FollowTarget(tasks.FollowTarget):
    """A UR10 that is to follow a target; see ``isaacsim.core.api.tasks.FollowTarget``."""

    def __init__(
        self,
        name: str = "ur10_follow_target",
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: Any = None,
        target_orientation: Any = None,
        offset: Any = None,
        ur10_prim_path: str | None = None,
        ur10_robot_name: str | None = None,
        attach_gripper: bool = False,
    ) -> None:
        turn = DOWN if target_orientation is None else target_orientation
        super().__init__(name, target_prim_path, target_name, target_position, turn, offset)
        self._ur10_prim_path, self._ur10_robot_name = ur10_prim_path, ur10_robot_name
        self._attach_gripper = attach_gripper

    def set_robot(self) -> UR10:
        """The UR10."""
        return _ur10(self, self._ur10_prim_path, self._ur10_robot_name, self._attach_gripper)


class BinFilling(tasks.BaseTask):
    """A UR10 that is to hold a bin while it is filled: not built.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, name: str = "bin_filling") -> None:
        raise NotImplementedError(
            f"BinFilling({name!r}): the task needs NVIDIA's files of a bin and screws; PickPlace and Stacking are here"
        )


__all__ = ["BinFilling", "FollowTarget", "PickPlace", "Stacking"]
