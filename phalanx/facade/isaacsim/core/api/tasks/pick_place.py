"""A robot that is to take a cube somewhere else."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaaclab.utils.string import find_unique_string_name
from phalanx.facade.isaacsim.core.api.objects.cuboid import DynamicCuboid
from phalanx.facade.isaacsim.core.api.objects.shape import free_path
from phalanx.facade.isaacsim.core.api.scenes.scene import Scene
from phalanx.facade.isaacsim.core.api.tasks.base_task import BaseTask, param
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units

EDGE = 0.0515
"""m, of cubes."""

START, GOAL = (0.3, 0.3, 0.3), (-0.3, -0.3)
"""m: where the cube begins, and where it goes, x and y."""


class PickPlace(BaseTask, ABC):
    """A cube that is to be taken to a target, and a robot; those who derive from it say which.

    Args:
        name: of the task.
        cube_initial_position: (3,); (0.3, 0.3, 0.3) m by default.
        cube_initial_orientation: (4,).
        target_position: where the cube is to be, (3,), besides the offset; (-0.3, -0.3) m on the ground by default.
        cube_size: its edges, (3,); 0.0515 m by default.
        offset: see :class:`BaseTask`.
    """

    def __init__(
        self,
        name: str,
        cube_initial_position: Any = None,
        cube_initial_orientation: Any = None,
        target_position: Any = None,
        cube_size: Any = None,
        offset: Any = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        units = get_stage_units()
        self._robot: Any = None
        self._cube: Any = None
        self._cube_size = np.full(3, EDGE) / units if cube_size is None else on_host(cube_size, float)
        self._cube_initial_position = (
            np.array(START) / units if cube_initial_position is None else cube_initial_position
        )
        self._cube_initial_orientation = (
            np.array([1.0, 0.0, 0.0, 0.0]) if cube_initial_orientation is None else cube_initial_orientation
        )
        if target_position is None:
            target_position = np.array([*(each / units for each in GOAL), 0.5 * self._cube_size[2]])
        self._target_position = on_host(target_position, float) + self._offset

    def set_up_scene(self, scene: Scene) -> None:
        """Add a ground, the cube and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        self._cube = scene.add(
            DynamicCuboid(
                free_path("/World/Cube"),
                find_unique_string_name("cube", lambda each: not scene.object_exists(each)),
                self._cube_initial_position,
                orientation=self._cube_initial_orientation,
                scale=self._cube_size,
                size=1.0,
                color=np.array([0.0, 0.0, 1.0]),
            )
        )
        self._task_objects[self._cube.name] = self._cube
        self._robot = self.set_robot()
        scene.add(self._robot)
        self._task_objects[self._robot.name] = self._robot
        self._move_task_objects_to_their_frame()

    @abstractmethod
    def set_robot(self) -> Any:
        """The robot, with an ``end_effector`` and a ``gripper``."""
        raise NotImplementedError(f"{type(self).__name__} has no set_robot(); define it in the class")

    def set_params(self, cube_position: Any = None, cube_orientation: Any = None, target_position: Any = None) -> None:
        """Put the cube somewhere else, in the frame above it, or let it be taken somewhere else."""
        if target_position is not None:
            self._target_position = target_position
        if cube_position is not None or cube_orientation is not None:
            self._cube.set_local_pose(cube_position, cube_orientation)

    def get_params(self) -> dict[str, dict[str, Any]]:
        """Where the cube is and is to be, and names of cube and robot."""
        position, orientation = self._cube.get_local_pose()
        return {
            "cube_position": param(position, True),
            "cube_orientation": param(orientation, True),
            "target_position": param(self._target_position, True),
            "cube_name": param(self._cube.name, False),
            "robot_name": param(self._robot.name, False),
        }

    def get_observations(self) -> dict[str, Any]:
        """Where the cube is and is to be, positions of the robot's joints, and where its end effector is."""
        position, orientation = self._cube.get_local_pose()
        return {
            self._cube.name: {
                "position": position,
                "orientation": orientation,
                "target_position": self._target_position,
            },
            self._robot.name: {
                "joint_positions": self._robot.get_joints_state().positions,
                "end_effector_position": self._robot.end_effector.get_local_pose()[0],
            },
        }

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Nothing."""

    def post_reset(self) -> None:
        """Open a gripper with two fingers."""
        open_gripper(self._robot)

    def calculate_metrics(self) -> dict[str, Any]:
        """Those who derive from it say how well it goes."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate_metrics(); define it in the class")

    def is_done(self) -> bool:
        """Those who derive from it say whether it is done."""
        raise NotImplementedError(f"{type(self).__name__} has no is_done(); define it in the class")


def open_gripper(robot: Any) -> None:
    """Open the gripper of a robot at once, if it has fingers that are joints."""
    opened = getattr(getattr(robot, "gripper", None), "joint_opened_positions", None)
    if opened is not None:
        robot.gripper.set_joint_positions(opened)


__all__ = ["PickPlace"]
