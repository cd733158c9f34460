"""A robot that is to pile up cubes."""

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
from phalanx.facade.isaacsim.core.api.tasks.pick_place import EDGE, GOAL, open_gripper
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units


class Stacking(BaseTask, ABC):
    """Cubes that are to be piled up in their order, and a robot; those who derive from it say which.

    Args:
        name: of the task.
        cube_initial_positions: (n, 3).
        cube_initial_orientations: (n, 4), or of each cube ``None``.
        stack_target_position: where the pile is to be, (3,), besides the offset; its height does not count.
            (-0.3, -0.3) m by default.
        cube_size: edges of cubes, (3,); 0.0515 m by default.
        offset: see :class:`BaseTask`.
    """

    def __init__(
        self,
        name: str,
        cube_initial_positions: Any,
        cube_initial_orientations: Any = None,
        stack_target_position: Any = None,
        cube_size: Any = None,
        offset: Any = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        units = get_stage_units()
        self._robot: Any = None
        self._cubes: list[Any] = []
        self._num_of_cubes = len(cube_initial_positions)
        self._cube_initial_positions = cube_initial_positions
        self._cube_initial_orientations = (
            [None] * self._num_of_cubes if cube_initial_orientations is None else cube_initial_orientations
        )
        self._cube_size = np.full(3, EDGE) / units if cube_size is None else on_host(cube_size, float)
        if stack_target_position is None:
            stack_target_position = np.array([*GOAL, 0.0]) / units
        self._stack_target_position = on_host(stack_target_position, float) + self._offset

    def set_up_scene(self, scene: Scene) -> None:
        """Add a ground, cubes of colours drawn at random, and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        for position, orientation in zip(self._cube_initial_positions, self._cube_initial_orientations, strict=True):
            cube = scene.add(
                DynamicCuboid(
                    free_path("/World/Cube"),
                    find_unique_string_name("cube", lambda each: not scene.object_exists(each)),
                    position,
                    orientation=orientation,
                    scale=self._cube_size,
                    size=1.0,
                    color=np.random.uniform(size=3),
                )
            )
            self._cubes.append(cube)
            self._task_objects[cube.name] = cube
        self._robot = self.set_robot()
        scene.add(self._robot)
        self._task_objects[self._robot.name] = self._robot
        self._move_task_objects_to_their_frame()

    @abstractmethod
    def set_robot(self) -> Any:
        """The robot, with an ``end_effector`` and a ``gripper``."""
        raise NotImplementedError(f"{type(self).__name__} has no set_robot(); define it in the class")

    def set_params(
        self,
        cube_name: str | None = None,
        cube_position: Any = None,
        cube_orientation: Any = None,
        stack_target_position: Any = None,
    ) -> None:
        """Put a cube somewhere else, in the frame above it, or let the pile be somewhere else."""
        if stack_target_position is not None:
            self._stack_target_position = stack_target_position
        if cube_name is not None:
            self._task_objects[cube_name].set_local_pose(cube_position, cube_orientation)

    def get_params(self) -> dict[str, dict[str, Any]]:
        """Where the pile is to be, and the robot's name."""
        return {
            "stack_target_position": param(self._stack_target_position, True),
            "robot_name": param(self._robot.name, False),
        }

    def get_observations(self) -> dict[str, Any]:
        """Where each cube is and is to be, positions of the robot's joints, and where its end effector is."""
        found: dict[str, Any] = {
            self._robot.name: {
                "joint_positions": self._robot.get_joints_state().positions,
                "end_effector_position": self._robot.end_effector.get_local_pose()[0],
            }
        }
        edge = self._cube_size[2]
        for i, cube in enumerate(self._cubes):
            position, orientation = cube.get_local_pose()
            target = np.array([*self._stack_target_position[:2], edge * i + 0.5 * edge])
            found[cube.name] = {"position": position, "orientation": orientation, "target_position": target}
        return found

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Nothing."""

    def post_reset(self) -> None:
        """Open a gripper with two fingers."""
        open_gripper(self._robot)

    def get_cube_names(self) -> list[str]:
        """Names of the cubes, in the order in which they are to be piled up."""
        return [cube.name for cube in self._cubes]

    def calculate_metrics(self) -> dict[str, Any]:
        """Those who derive from it say how well it goes."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate_metrics(); define it in the class")

    def is_done(self) -> bool:
        """Those who derive from it say whether it is done."""
        raise NotImplementedError(f"{type(self).__name__} has no is_done(); define it in the class")


__all__ = ["Stacking"]
