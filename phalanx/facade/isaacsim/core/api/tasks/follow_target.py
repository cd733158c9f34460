"""A robot whose end effector is to be where a target is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from phalanx.facade.backends import on_host
from phalanx.facade.isaaclab.utils.string import find_unique_string_name
from phalanx.facade.isaacsim.core.api.objects.cuboid import VisualCuboid
from phalanx.facade.isaacsim.core.api.objects.shape import exists, free_path
from phalanx.facade.isaacsim.core.api.scenes.scene import Scene
from phalanx.facade.isaacsim.core.api.tasks.base_task import BaseTask, param
from phalanx.facade.isaacsim.core.prims.single_xform_prim import SingleXFormPrim
from phalanx.facade.isaacsim.core.utils.rotations import euler_angles_to_quat
from phalanx.facade.isaacsim.core.utils.stage import get_stage_units

TARGET = (0.0, 0.1, 0.7)
"""m: where the target is by default."""

EDGE, NEAR, LOWEST = 0.03, 0.035, 0.035
"""m: edge of the target's cube; mean distance along the axes below which it is reached; least height that is told."""

OBSTACLE, OBSTACLE_AT = 0.1, (0.1, 0.1, 0.7)
"""m: edge of obstacles, and where they are by default."""

RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class FollowTarget(BaseTask, ABC):
    """A target, a red cube that turns green when it is reached, and a robot; those who derive from it say which.

    Args:
        name: of the task.
        target_prim_path: of the target; a cube is made if there is nothing.
        target_name: of the target in the scene.
        target_position: (3,); (0, 0.1, 0.7) m by default.
        target_orientation: (4,); pointing downwards by default.
        offset: see :class:`BaseTask`.
    """

    def __init__(
        self,
        name: str,
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: Any = None,
        target_orientation: Any = None,
        offset: Any = None,
    ) -> None:
        BaseTask.__init__(self, name, offset)
        self._robot: Any = None
        self._target: Any = None
        self._target_visual_material: Any = None
        self._target_prim_path, self._target_name = target_prim_path, target_name
        self._target_position, self._target_orientation = target_position, target_orientation
        if target_position is None:
            self._target_position = np.array(TARGET) / get_stage_units()
        self._obstacle_cubes: dict[str, Any] = {}

    def set_up_scene(self, scene: Scene) -> None:
        """Add a ground, the target and the robot."""
        super().set_up_scene(scene)
        scene.add_default_ground_plane()
        if self._target_orientation is None:
            self._target_orientation = euler_angles_to_quat(np.array([-np.pi, 0.0, np.pi]))
        if self._target_prim_path is None:
            self._target_prim_path = free_path("/World/TargetCube")
        if self._target_name is None:
            self._target_name = self._free_name("target")
        self.set_params(self._target_prim_path, self._target_name, self._target_position, self._target_orientation)
        self._robot = self.set_robot()
        scene.add(self._robot)
        self._task_objects[self._robot.name] = self._robot
        self._move_task_objects_to_their_frame()

    def _free_name(self, name: str) -> str:
        return find_unique_string_name(name, lambda each: not self.scene.object_exists(each))

    @abstractmethod
    def set_robot(self) -> Any:
        """The robot, whose ``end_effector`` follows the target."""
        raise NotImplementedError(f"{type(self).__name__} has no set_robot(); define it in the class")

    def set_params(
        self,
        target_prim_path: str | None = None,
        target_name: str | None = None,
        target_position: Any = None,
        target_orientation: Any = None,
    ) -> None:
        """Let another prim be the target, or put the one that there is somewhere else, in the frame above it."""
        if target_prim_path is None:
            self._target.set_local_pose(target_position, target_orientation)
            return
        if self._target is not None:
            del self._task_objects[self._target.name]
        place = {"position": target_position, "orientation": target_orientation}
        if exists(target_prim_path):
            made: Any = SingleXFormPrim(target_prim_path, target_name or self._free_name("target"), **place)
        else:
            made = VisualCuboid(
                target_prim_path,
                target_name or self._free_name("target"),
                color=np.array(RED),
                size=1.0,
                scale=np.full(3, EDGE) / get_stage_units(),
                **place,
            )
        self._target = self.scene.add(made)
        self._task_objects[self._target.name] = self._target
        self._target_visual_material = self._target.get_applied_visual_material()
        self._paint(RED)

    def _paint(self, color: tuple[float, float, float]) -> None:
        if hasattr(self._target_visual_material, "set_color"):
            self._target_visual_material.set_color(np.array(color))

    def get_params(self) -> dict[str, dict[str, Any]]:
        """The target's path, name and place, and the robot's name."""
        position, orientation = self._target.get_local_pose()
        return {
            "target_prim_path": param(self._target.prim_path, True),
            "target_name": param(self._target.name, True),
            "target_position": param(position, True),
            "target_orientation": param(orientation, True),
            "robot_name": param(self._robot.name, False),
        }

    def get_observations(self) -> dict[str, Any]:
        """Positions and velocities of the robot's joints, and where the target is, not below the ground."""
        state = self._robot.get_joints_state()
        position, orientation = (np.array(on_host(each)) for each in self._target.get_local_pose())
        position[2] = max(position[2], LOWEST / get_stage_units())
        return {
            self._robot.name: {
                "joint_positions": np.array(on_host(state.positions)),
                "joint_velocities": np.array(on_host(state.velocities)),
            },
            self._target.name: {"position": position, "orientation": orientation},
        }

    def calculate_metrics(self) -> dict[str, Any]:
        """Those who derive from it say how well it goes."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate_metrics(); define it in the class")

    def is_done(self) -> bool:
        """Those who derive from it say whether it is done."""
        raise NotImplementedError(f"{type(self).__name__} has no is_done(); define it in the class")

    def target_reached(self) -> bool:
        """Whether the end effector is within 0.035 m of the target, on the average over the three axes."""
        there = on_host(self._robot.end_effector.get_world_pose()[0], float)
        wanted = on_host(self._target.get_world_pose()[0], float)
        return bool(np.abs(there - wanted).mean() < NEAR / get_stage_units())

    def pre_step(self, time_step_index: int, simulation_time: float) -> None:
        """Let the target be green while it is reached, and red while not."""
        if self._target_visual_material is not None:
            self._paint(GREEN if self.target_reached() else RED)

    # -- obstacles -------------------------------------------------------------------------------------------

    def add_obstacle(self, position: Any = None) -> VisualCuboid:
        """Add a blue cube of 0.1 m, (3,) from the task's offset; by default (0.1, 0.1, 0.7) m."""
        units = get_stage_units()
        place = np.array(OBSTACLE_AT) / units if position is None else on_host(position, float)
        cube = self.scene.add(
            VisualCuboid(
                free_path("/World/ObstacleCube"),
                self._free_name("cube"),
                position=place + self._offset,
                size=OBSTACLE / units,
                color=np.array(BLUE),
            )
        )
        self._obstacle_cubes[cube.name] = cube
        return cube

    def remove_obstacle(self, name: str | None = None) -> None:
        """Remove an obstacle by its name, or the newest; IndexError if there is none."""
        name = list(self._obstacle_cubes)[-1] if name is None else name
        self.scene.remove_object(name)
        del self._obstacle_cubes[name]

    def get_obstacle_to_delete(self) -> Any:
        """The newest obstacle; IndexError if there is none."""
        return self.scene.get_object(list(self._obstacle_cubes)[-1])

    def obstacles_exist(self) -> bool:
        """Whether there are obstacles."""
        return bool(self._obstacle_cubes)

    def cleanup(self) -> None:
        """Remove all obstacles."""
        for name in list(self._obstacle_cubes):
            self.remove_obstacle(name)


__all__ = ["FollowTarget"]
