"""Tasks of a Franka."""

from __future__ import annotations

from typing import Any

import numpy as np

from phalanx.facade import stage as stages
from phalanx.facade.isaaclab.utils.string import find_unique_string_name
from phalanx.facade.isaacsim.core.api import tasks
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units
from phalanx.facade.isaacsim.robot.manipulators.examples.franka.franka import Franka


def _franka(task: Any, path: str | None = None, name: str | None = None) -> Franka:
    """A Franka with a path and a name that nobody has."""
    path = path or find_unique_string_name("/World/Franka", lambda each: not stages.get_stage().GetPrimAtPath(each))
    name = name or find_unique_string_name("my_franka", lambda each: not task.scene.object_exists(each))
    return Franka(path, name)


class PickPlace(tasks.PickPlace):
    """A Franka that is to take a cube somewhere else; see ``isaacsim.core.api.tasks.PickPlace``."""

    def __init__(
        self,
        name: str = "franka_pick_place",
        cube_initial_position: Any = None,
        cube_initial_orientation: Any = None,
        target_position: Any = None,
        cube_size: Any = None,
        offset: Any = None,
    ) -> None:
        super().__init__(name, cube_initial_position, cube_initial_orientation, target_position, cube_size, offset)

    def set_robot(self) -> Franka:
        """The Franka."""
        return _franka(self)


class Stacking(tasks.Stacking):
    """A Franka that is to stack two cubes; see ``isaacsim.core.api.tasks.Stacking``."""

    def __init__(
        self, name: str = "franka_stacking", target_position: Any = None, cube_size: Any = None, offset: Any = None
    ) -> None:
        units = get_stage_units()
        super().__init__(
            name,
            np.array([[0.3, 0.3, 0.3], [0.3, -0.3, 0.3]]) / units,
            None,
            np.array([0.5, 0.5, 0.0]) / units if target_position is None else target_position,
            cube_size,
            offset,
        )

    def set_robot(self) -> Franka:
        """The Franka."""
        return _franka(self)


class FollowTarget(tasks.FollowTarget):
    """A Franka that is to follow a target; see ``isaacsim.core.api.tasks.FollowTarget``."""

    def __init__(
        self,
        name: str = "franka_follow_target",
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: Any = None,
        target_orientation: Any = None,
        offset: Any = None,
        franka_prim_path: str | None = None,
        franka_robot_name: str | None = None,
    ) -> None:
        super().__init__(name, target_prim_path, target_name, target_position, target_orientation, offset)
        self._franka_prim_path, self._franka_robot_name = franka_prim_path, franka_robot_name

    def set_robot(self) -> Franka:
        """The Franka."""
        return _franka(self, self._franka_prim_path, self._franka_robot_name)


__all__ = ["FollowTarget", "PickPlace", "Stacking"]
